#include "messages/checkpoint/saved_run.hpp"
#include "model/formats/parameter_file.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a holder whose journal cannot be written warns, and keeps serving and saving",
          "[restart][slow]") {
  WorkFolder work;
  std::filesystem::create_directories(work.path() / "kept" / "holder.json"); // in its place
  const auto ran
    = shell(work.path(),
            "\"$troupe\" node --role ps --ps 127.0.0.1:0 --insecure --folder kept --save-every 1 "
            "--port-file port >holder.log 2>&1 & holder=$!; "
            "while [ ! -e port ]; do sleep 0.05; done; "
            "\"$troupe\" node --role worker --workers 1 --ps 127.0.0.1:$(cat port) --insecure -q "
            "training.epochs=2 "
              + small_digits + "; wait $holder");
  const auto log = contents(work.path() / "holder.log");
  INFO(log);
  CHECK(ran.code == 0);
  CHECK(log.find("the parameter holder's journal was not saved: ") != std::string::npos);
  CHECK(log.find("parameter holder ends after") != std::string::npos);
  CHECK(std::filesystem::exists(work.path() / "kept" / "holder.bin"));
}

TEST_CASE("a holder whose parameters could not be saved ends with an error", "[restart][slow]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(),
            "\"$troupe\" node --role ps --ps 127.0.0.1:0 --insecure --folder kept --save-every 100 "
            "--keep-running --port-file port >holder.log 2>&1 & holder=$!; "
            "while [ ! -e port ]; do sleep 0.05; done; "
            "\"$troupe\" node --role worker --workers 1 --ps 127.0.0.1:$(cat port) --insecure -q "
            "training.epochs=1 "
              + small_digits + "; rm -r kept; kill $holder; wait $holder");
  const auto log = contents(work.path() / "holder.log");
  INFO(log);
  CHECK(ran.code == 74);
  CHECK_THAT(log, Catch::Contains("the parameter holder's state was not saved: cannot write")
                    && Catch::Contains("its changes since the last save are lost"));
}

TEST_CASE("a folder that cannot be created is refused before the holder serves", "[restart]") {
  WorkFolder work;
  std::ofstream{work.path() / "file"} << "no folder";
  for (const auto* command :
       {"node --role ps --ps 127.0.0.1:0 --insecure --folder file/kept", "certs init file/kept"}) {
    const auto ran = troupe_program(work.path(), command);
    CHECK(ran.code == 74);
    CHECK_THAT(ran.error, Catch::Contains("cannot make the folder 'file/kept': Not a directory"));
  }
}

TEST_CASE("a second holder in the same folder is refused", "[restart]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(),
            "\"$troupe\" node --role ps --ps 127.0.0.1:0 --insecure --folder kept --port-file port "
            "2>holder.log & holder=$!; while [ ! -e port ]; do sleep 0.05; done; "
            "\"$troupe\" node --role ps --ps 127.0.0.1:0 --insecure --folder kept 2>other.log; "
            "code=$?; kill $holder; wait $holder; exit $code");
  CHECK(ran.code == 74);
  CHECK_THAT(contents(work.path() / "other.log"), Catch::Contains("trains in 'kept'"));
}

TEST_CASE("a scheduler's signal ends a holder normally", "[T12]") {
  WorkFolder work;
  for (const std::string signal : {"USR1", "USR2"}) {
    const auto ran
      = shell(work.path(),
              "rm -f port; \"$troupe\" node --role ps --ps 127.0.0.1:0 --insecure --port-file port "
              "2>holder.log & holder=$!; while [ ! -e port ]; do sleep 0.05; done; "
              "kill -"
                + signal + " $holder; wait $holder");
    CHECK(ran.code == 0);
    CHECK_THAT(contents(work.path() / "holder.log"),
               Catch::Contains("parameter holder ends after 0 pushes"));
  }
}

TEST_CASE("a holder's parameters and counters can be exported to files", "[L7][slow]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(),
            "\"$troupe\" node --role ps --ps 127.0.0.1:0 --insecure --folder kept --keep-running "
            "--port-file port 2>holder.log & holder=$!; "
            "while [ ! -e port ]; do sleep 0.05; done; ps=127.0.0.1:$(cat port); "
            "\"$troupe\" export --ps $ps -o early.npz 2>early.log; echo $? >early.code; "
            "\"$troupe\" node --role worker --workers 1 --ps $ps --insecure -q --folder worker "
            "training.epochs=1 "
              + small_digits
              + ">result.log 2>&1 || cat result.log; "
                "\"$troupe\" export --ps $ps -o dump.bin && "
                "\"$troupe\" export --ps $ps -o alone.safetensors && "
                "\"$troupe\" export worker --ps $ps -o worker/shared.safetensors && "
                "\"$troupe\" export worker/config.yaml --ps $ps -o shared.onnx && "
                "\"$troupe\" test worker/shared.safetensors --json; code=$?; "
                "kill $holder; wait $holder; exit $code");
  INFO(ran.error << contents(work.path() / "holder.log"));
  REQUIRE(ran.code == 0);
  CHECK(contents(work.path() / "early.code") == "69\n");
  CHECK(contents(work.path() / "early.log").find("has no parameters yet") != std::string::npos);
  CHECK(ran.out.find("\"accuracy\"") != std::string::npos);
  const auto dumped = load_holder(work.path() / "dump.bin");
  const auto kept = load_holder(work.path() / "kept/holder.bin");
  CHECK(dumped.values == kept.values);
  CHECK(dumped.layout == kept.layout);
  CHECK(dumped.versions == kept.versions);
  CHECK(dumped.pushes == kept.pushes);
  CHECK(dumped.pushes > 0);
  const auto shared = read_parameter_file(work.path() / "worker/shared.safetensors");
  CHECK(shared.values == dumped.values);
  CHECK(shared.layout == dumped.layout);
  CHECK(shared.metadata.at("pushes") == std::to_string(dumped.pushes));
  CHECK(contents(work.path() / "alone.safetensors")
        == contents(work.path() / "worker/shared.safetensors"));
}

TEST_CASE("an export without a reachable holder is refused with the cure", "[L7]") {
  WorkFolder work;
  const auto refused = [&work](int code, const std::string& arguments) {
    const auto ran = troupe_program(work.path(), "export " + arguments);
    CHECK(ran.code == code);
    return ran.error;
  };
  CHECK_THAT(refused(2, "-o x.npz"), Catch::Contains("needs a run") && Catch::Contains("--ps"));
  CHECK_THAT(refused(2, "--ps 127.0.0.1 -o x.npz"), Catch::Contains("--ps: "));
  CHECK_THAT(refused(2, "--ps 127.0.0.1:1 -o x.onnx"), Catch::Contains("ONNX needs the model"));
  CHECK_THAT(refused(78, "--ps 10.0.0.1:1 -o x.npz"), Catch::Contains("--certs"));
  CHECK_THAT(refused(69, "--ps 127.0.0.1:1 -o x.npz"),
             Catch::Contains("at 127.0.0.1:1 does not answer") && Catch::Contains("is it running"));
}

TEST_CASE("a cluster without a token causes a warning at both ends, and one with a token none",
          "[strangers][slow]") {
  WorkFolder work;
  const auto say = [&](const std::string& token) {
    const auto ran
      = shell(work.path(),
              token
                + " \"$troupe\" certs init certs >/dev/null && \"$troupe\" certs node certs ps-0 "
                  "worker-0 >/dev/null; rm -f port; "
                  "\"$troupe\" node --role ps --ps 127.0.0.1:0 --certs certs --port-file port "
                  "2>holder.log & holder=$!; while [ ! -e port ]; do sleep 0.05; done; "
                  "\"$troupe\" node --role worker --workers 1 --ps 127.0.0.1:$(cat port) --certs "
                  "certs -q training.epochs=1 "
                + small_digits + " 2>worker.log; code=$?; wait $holder; rm -rf certs; exit $code");
    CHECK(ran.code == 0);
    return contents(work.path() / "holder.log") + contents(work.path() / "worker.log");
  };
  const auto without = say("unset TROUPE_TOKEN;");
  CHECK_THAT(without, Catch::Contains("TROUPE_TOKEN is not set: the parameter holder accepts"));
  CHECK_THAT(without, Catch::Contains("asks for no token")
                        && Catch::Contains("start it with a TROUPE_TOKEN"));
  CHECK_THAT(say("export TROUPE_TOKEN=secret;"), !Catch::Contains("TROUPE_TOKEN"));
}
