#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe::test;

namespace {

std::string fingerprint(const Ran& ran) {
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  return json_text(ran.out, "parameters");
}

} // namespace

TEST_CASE("training without a configuration trains the built-in digits", "[train]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train -q --json training.epochs=2 optimizer.learning_rate=0.02 " + small_digits);
  REQUIRE(ran.code == 0);
  const auto result = nlohmann::json::parse(ran.out);
  CHECK(result["epochs"] == 2);
  CHECK(result["examples"] == 1200);
  CHECK(result["test"]["accuracy"] > 0.3);
  CHECK(ran.error.empty());
  const std::filesystem::path folder = work.path() / result["run"].get<std::string>();
  for (const auto* file : {"config.yaml", "log.jsonl", "result.json", "state.bin"})
    CHECK(std::filesystem::exists(folder / file));
  CHECK(std::filesystem::exists(work.path() / "runs/latest/config.yaml"));
}

TEST_CASE("a run's own configuration repeats it to the same bits", "[M7][M10]") {
  WorkFolder work;
  const auto first = troupe_program(
    work.path(), "train -q --json training.epochs=2 training.seed=-1 problem.train=600 "
                 "problem.validation=100 problem.test=100");
  const auto bits = fingerprint(first);
  const auto config = json_text(first.out, "run") + "/config.yaml";
  CHECK(fingerprint(troupe_program(work.path(), "train -q --json " + config)) == bits);
  CHECK(fingerprint(troupe_program(work.path(), "train -q --json training.seed=99 " + config))
        != bits);
}

TEST_CASE("a stopped run resumes to the same bits as an uninterrupted one", "[B45][train]") {
  WorkFolder work;
  const auto options = small_digits + "optimizer.name=momentum optimizer.learning_rate=0.02 ";
  const auto whole
    = fingerprint(troupe_program(work.path(), "train -q --json training.epochs=4 " + options));
  const auto half = troupe_program(
    work.path(),
    "train -q --json training.epochs=4 extensions.finish_after.after_n_batches=13 " + options);
  CHECK(fingerprint(half) != whole);
  const auto rest
    = troupe_program(work.path(), "train -q --json --resume " + json_text(half.out, "run"));
  CHECK(fingerprint(rest) == whole);
}

TEST_CASE("a configuration may set `resume`, and the option overrides it", "[B45][train]") {
  WorkFolder work;
  const auto whole
    = fingerprint(troupe_program(work.path(), "train -q --json training.epochs=2 " + small_digits));
  const auto half = "train -q --json training.epochs=1 " + small_digits;
  const auto first = json_text(troupe_program(work.path(), half).out, "run");
  const auto second = json_text(troupe_program(work.path(), half).out, "run");
  REQUIRE(first != second);
  std::ofstream(work.path() / "on.yaml") << "resume: latest\ntraining: {epochs: 2}\n";
  const auto rest = troupe_program(work.path(), "train -q --json on.yaml");
  CHECK(fingerprint(rest) == whole);
  CHECK(json_text(rest.out, "run").find(second) != std::string::npos);
  CHECK(contents(work.path() / second / "config.yaml").find("resume") == std::string::npos);
  const auto other = troupe_program(work.path(), "train -q --json on.yaml --resume " + first);
  CHECK(fingerprint(other) == whole);
  CHECK(json_text(other.out, "run").find(first) != std::string::npos);
}

TEST_CASE("the printed configuration of a resumed run repeats the run", "[M7][train]") {
  WorkFolder work;
  const auto done = troupe_program(work.path(), "train -q --json training.epochs=1 training.seed=-1"
                                                " problem.train=600 problem.validation=100 "
                                                "problem.test=100");
  const auto bits = fingerprint(done);
  const auto repeated
    = shell(work.path(), "TROUPE__RESUME=latest \"$troupe\" train --print-config >printed.yaml && "
                         "\"$troupe\" train -q --json printed.yaml");
  CHECK(fingerprint(repeated) == bits);
  CHECK(json_text(repeated.out, "run") != json_text(done.out, "run"));
}

TEST_CASE("extensions do not change the trained parameters", "[train]") {
  WorkFolder work;
  const auto with
    = fingerprint(troupe_program(work.path(), "train -q --json training.epochs=2 " + small_digits));
  const auto without = fingerprint(
    troupe_program(work.path(), "train -q --json training.epochs=2 '~extensions.stream_monitoring' "
                                "'~extensions.timing' '~extensions.printing' "
                                  + small_digits));
  CHECK(with == without);
}

TEST_CASE("several workers train against one parameter holder", "[train][L10]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train -q --json training.workers=3 training.epochs=3 training.batch_size=10 "
                 "optimizer.learning_rate=0.02 "
                   + small_digits);
  REQUIRE(ran.code == 0);
  const auto result = nlohmann::json::parse(ran.out);
  CHECK(result["workers"].size() == 3);
  CHECK(result["examples"] == 1800); // each on its shard of 200
  CHECK(result["test"]["accuracy"] > 0.2);
}

TEST_CASE("if one of several workers fails, the others are stopped and the reason is printed",
          "[train][L22]") {
  WorkFolder work;
  std::ofstream table{work.path() / "table.csv"};
  for (auto row = 0; row < 200; ++row)
    if (row == 50)
      table << "3e38,3e38,1\n"; // a loss that is not finite for the worker that has this row
    else
      table << row % 7 << "," << row % 5 << "," << row % 2 << "\n";
  table.close();
  const auto ran = troupe_program(
    work.path(), "train --no-progress problem.name=csv problem.path=table.csv "
                 "problem.standardize=false problem.validation_fraction=0 problem.test_fraction=0 "
                 "training.workers=2 training.epochs=2000 training.batch_size=8 training.seed=5 "
                 "model.hidden='[64]'");
  CAPTURE(ran.error);
  CHECK(ran.code == 70);
  CHECK_THAT(ran.error, Catch::Contains("the other workers are stopped: worker 0: the loss"));
  CHECK_THAT(contents(work.path() / "runs/latest/log.jsonl"), !Catch::Contains("\"epoch\":2000,"));
}

TEST_CASE("early stopping ends all workers of a process, and saves the best state",
          "[train][B41][L10]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train -q --json training.workers=3 training.epochs=200 training.batch_size=10 "
                 "'extensions.early_stopping={record: validation_loss, choose: max, epochs: 2}' "
                   + small_digits);
  CAPTURE(ran.error);
  REQUIRE(ran.code == 0);
  const auto result = nlohmann::json::parse(ran.out);
  CHECK(result["outcome"] == "finished");
  CHECK_THAT(result["reason"].get<std::string>(), Catch::Contains("validation_loss"));
  REQUIRE(result["workers"].size() == 3);
  for (const auto& worker : result["workers"])
    CHECK(worker["causes"] == result["workers"][0]["causes"]);
  CHECK(std::filesystem::exists(work.path() / "runs/latest/best.bin"));
}

TEST_CASE("a time limit ends training normally", "[L19]") {
  WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "train -q --json training.epochs=0 "
                                  "+extensions.stop_after_time_elapsed.total_duration=300ms "
                                    + small_digits);
  REQUIRE(ran.code == 0);
  const auto result = nlohmann::json::parse(ran.out);
  CHECK(result["reason"].get<std::string>().find("time limit") != std::string::npos);
  CHECK(result["outcome"] == "finished");
}

TEST_CASE("an unknown key is refused with the nearest known one, and no file is created",
          "[M4][M6]") {
  WorkFolder work;
  const auto ran = troupe_program(work.path(), "train training.epoch=3");
  CHECK(ran.code == 78);
  CHECK(ran.error.find("did you mean 'epochs'") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(work.path() / "runs"));
}

TEST_CASE("a run with an invalid configuration creates no file", "[M6]") {
  WorkFolder work;
  const std::vector<std::pair<std::string, std::string>> mistakes{
    {"extensions.checkpoint.keep=0", "checkpoint.keep is 0"},
    {"'+extensions.epochs={type: printing}'", "two extensions are called 'epochs'"},
    {"problem.train=100 training.workers=3 training.drop_last=true", "has no batch to train on"},
  };
  for (const auto& [words, sentence] : mistakes) {
    const auto ran = troupe_program(work.path(), "train -q " + words);
    INFO(words << "\n" << ran.error);
    CHECK(ran.code == 78);
    CHECK_THAT(ran.error, Catch::Contains(sentence));
    CHECK_FALSE(std::filesystem::exists(work.path() / "runs"));
  }
}

TEST_CASE("each kind of mistake has its exit code and a message", "[train]") {
  WorkFolder work;
  std::ofstream(work.path() / "bad.csv") << "a,b\n1,2\n3\n";
  std::ofstream(work.path() / "bad.yaml") << "training: {epochs: 3\n";
  const std::vector<std::pair<std::string, int>> mistakes{
    {"trian", 2},
    {"train --no-such-flag", 2},
    {"train missing.yaml", 78},
    {"train bad.yaml", 78},
    {"train training.batch_size=0", 78},
    {"train optimizer.learning_rate=-1", 78},
    {"train model.activation=rleu", 78},
    {"train extensions.printng.style=json", 78},
    {"train extensions.printing.stlye=json", 78},
    {"train extensions.printing.style=xml", 78},
    {"train extensions.timing.every_n_batches=often", 78},
    {"train problem.name=csv problem.path=bad.csv", 65},
    {"train problem.name=csv problem.path=absent.csv", 74},
    {"train --resume nowhere", 74},
    {"train resume=nowhere", 74},
    {"train 'resume=[latest]'", 78},
    {"launch -n 2 --insecure resume=latest", 78},
    {"launch --at-most -1", 2},
    {"launch -n 3 --devices a,b", 2},
    {"node --cluster perhaps", 2},
    {"train training.workers=1000 problem.train=600", 78},
    {"show abalone", 78},
  };
  for (const auto& [arguments, code] : mistakes) {
    const auto ran = troupe_program(work.path(), arguments);
    INFO(arguments << "\n" << ran.error);
    CHECK(ran.code == code);
    CHECK(ran.error.size() > 10);
    CHECK(ran.error.find("terminate") == std::string::npos);
  }
  const auto nan = troupe_program(work.path(), "train training.clipping.norm=.nan");
  CHECK(nan.error.find("training.clipping.norm is nan; give") != std::string::npos);
}

TEST_CASE("the effective configuration is printed with its sources", "[M1][B48]") {
  WorkFolder work;
  std::ofstream(work.path() / "run.yaml") << "training:\n  epochs: 7\n  batch_size: 32\n";
  const auto ran
    = troupe_program(work.path(), "train --print-config --sources run.yaml training.batch_size=16");
  CHECK(ran.code == 0);
  CHECK(ran.out.find("run.yaml:2") != std::string::npos);
  CHECK(ran.out.find("command line: training.batch_size=16") != std::string::npos);
  const auto alone = troupe_program(work.path(), "train --sources run.yaml training.batch_size=16");
  CHECK(alone.out.find("command line: training.batch_size=16") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(work.path() / "runs"));
}

TEST_CASE("show draws a contact sheet", "[show]") {
  WorkFolder work;
  const auto ran = troupe_program(work.path(), "show digits -n 40 -o sheet.png seed=3");
  CHECK(ran.code == 0);
  CHECK(contents(work.path() / "sheet.png").substr(1, 3) == "PNG");
}

TEST_CASE("workers share the configured batches, and scale the learning rate on request", "[T25]") {
  WorkFolder work;
  const auto run = [&](const std::string& words) {
    const auto ran
      = troupe_program(work.path(), "train --json --no-progress " + small_digits
                                      + "training.epochs=0 training.batches=40 "
                                        "optimizer.learning_rate=0.001 "
                                        "extensions.training_monitoring.every_n_batches=5 "
                                      + words);
    CAPTURE(ran.error);
    REQUIRE(ran.code == 0);
    return contents(work.path() / "runs/latest/log.jsonl");
  };
  const auto alone = run("");
  CHECK_THAT(alone, Catch::Contains("\"batch\":40,") && Catch::Contains("\"learning_rate\":0.001"));
  const auto four = run("training.workers=4 training.scale_learning_rate=true");
  CHECK_THAT(four, Catch::Contains("\"batch\":10,") && !Catch::Contains("\"batch\":11,")
                     && Catch::Contains("\"learning_rate\":0.004"));
  const auto unscaled = run("training.workers=4");
  CHECK_THAT(unscaled, Catch::Contains("\"learning_rate\":0.001"));
}

TEST_CASE("the workers of a cluster also share the configured batches", "[T25]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "simulate --json -q -n 4 training.epochs=0 training.batches=40 " + small_digits);
  CAPTURE(ran.error);
  REQUIRE(ran.code == 0);
  const auto result = nlohmann::json::parse(ran.out);
  REQUIRE(result["workers"].size() == 4);
  for (const auto& worker : result["workers"])
    CHECK(worker["batches"] == 10);
}

TEST_CASE("early stopping saves the best state, and its parameters can be loaded", "[B41][B44]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train --no-progress " + small_digits
                   + "training.epochs=60 "
                     "'extensions.early_stopping={record: validation_loss, epochs: 2}'");
  CAPTURE(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(std::filesystem::exists(work.path() / "runs/latest/best.bin"));
  CHECK_THAT(contents(work.path() / "runs/latest/log.jsonl"),
             Catch::Contains("\"validation_loss_best_so_far\":true")
               && Catch::Contains("best.bin"));
  std::filesystem::copy_file(work.path() / "runs/latest/best.bin", work.path() / "best.bin");
  const auto loaded
    = troupe_program(work.path(), "train --no-progress " + small_digits
                                    + "training.epochs=1 extensions.load.path=best.bin");
  CAPTURE(loaded.error);
  CHECK(loaded.code == 0);
  CHECK_THAT(contents(work.path() / "runs/latest/log.jsonl"), Catch::Contains("\"loaded_from\""));
}

TEST_CASE(
  "an extension that waits for a record which nothing writes is refused with the nearest name",
  "[train]") {
  WorkFolder work;
  const auto refusal = [&](const std::string& changes) {
    const auto ran = troupe_program(work.path(), "train " + small_digits + changes);
    CHECK(ran.code == 78);
    return ran.error;
  };
  CHECK_THAT(refusal("'+extensions.early_stopping={record: val_loss, epochs: 2}'"),
             Catch::Contains("extensions.early_stopping waits for the record 'val_loss'")
               && Catch::Contains("did you mean 'validation_loss'?"));
  CHECK_THAT(refusal("'+extensions.track_the_best={record: validation_acuracy, choose: max}'"),
             Catch::Contains("did you mean 'validation_accuracy'?"));
  CHECK_THAT(
    refusal("'+extensions.hyperparameter_scheduler={schedule: {name: plateau, record: "
            "validation_r2}}'"),
    Catch::Contains("extensions.hyperparameter_scheduler waits for the record 'validation_r2'"));
  CHECK_THAT(refusal("'+extensions.checkpoint={on_record: {after_epoch: best_so_far}}'"),
             Catch::Contains("extensions.checkpoint waits for the record 'best_so_far'"));
  CHECK_THAT(refusal("'+extensions.early_stopping={record: validation_loss, epochs: 2}' "
                     "problem.validation=0"),
             Catch::Contains("no validation examples"));
  CHECK_FALSE(std::filesystem::exists(work.path() / "runs"));
}

TEST_CASE("after early stopping the best state is tested and reported by default",
          "[train][early_stopping]") {
  WorkFolder work;
  const std::string command
    = "train -q --json training.seed=3 training.epochs=200 optimizer.learning_rate=0.05 "
      "'extensions.early_stopping={record: validation_loss, epochs: 3}' "
      + small_digits;
  const auto ran = troupe_program(work.path(), command);
  CAPTURE(ran.error);
  REQUIRE(ran.code == 0);
  const auto result = nlohmann::json::parse(ran.out);
  CHECK(result["state"]["file"] == "best.bin");
  CHECK(result["state"]["batches"] < result["batches"]);
  const auto tested
    = nlohmann::json::parse(troupe_program(work.path(), "test runs/latest/best.bin --json").out);
  CHECK(tested["test"]["loss"] == result["test"]["loss"]);
  const auto latest = troupe_program(work.path(), "test latest --json");
  CHECK(nlohmann::json::parse(latest.out)["test"] == tested["test"]);
  CHECK_THAT(latest.error, Catch::Contains("best.bin"));
  const auto last
    = troupe_program(work.path(), command + " extensions.early_stopping.test_best=false");
  CAPTURE(last.error);
  const auto other = nlohmann::json::parse(last.out);
  CHECK_FALSE(other.contains("state"));
  CHECK(other["test"]["loss"] != result["test"]["loss"]);
}

TEST_CASE("extensions that wait for each other are refused with their names", "[P13]") {
  WorkFolder work;
  const auto ran = troupe_program(work.path(), "train " + small_digits
                                                 + "extensions.timing.after=[timestamp] "
                                                   "extensions.timestamp.after=[timing]");
  CHECK(ran.code == 78);
  CHECK_THAT(ran.error, Catch::Contains("'timing' after 'timestamp' after 'timing'"));
}

TEST_CASE(
  "a run with shared parameters says so, and goes on to the bits of one that was not stopped",
  "[B45][train][sharing]") {
  WorkFolder work;
  const std::string options = "problem.name=serial_recall problem.train=200 problem.validation=20 "
                              "problem.test=20 model.name=gpt_mini model.tied=true model.width=8 "
                              "model.heads=2 model.blocks=1 training.seed=1 training.epochs=2 ";
  const auto whole = troupe_program(work.path(), "train --json --no-progress " + options);
  CHECK_THAT(whole.error, Catch::Contains("linear0.weight is embedding0.weight^T"));
  const auto half = troupe_program(
    work.path(), "train -q --json extensions.finish_after.after_n_batches=5 " + options);
  const auto rest
    = troupe_program(work.path(), "train -q --json --resume " + json_text(half.out, "run"));
  CHECK(fingerprint(rest) == fingerprint(whole));
}
