#include "troupe/tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a holder whose journal cannot be written says so, and serves and saves on",
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

TEST_CASE("a folder that cannot be made is named before anybody is served", "[restart]") {
  WorkFolder work;
  std::ofstream{work.path() / "file"} << "no folder";
  for (const auto* command :
       {"node --role ps --ps 127.0.0.1:0 --insecure --folder file/kept", "certs init file/kept"}) {
    const auto ran = troupe_program(work.path(), command);
    CHECK(ran.code == 74);
    CHECK_THAT(ran.error, Catch::Contains("cannot make the folder 'file/kept': Not a directory"));
  }
}
