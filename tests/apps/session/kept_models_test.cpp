#include "tests/support/experiment.hpp"

#include <catch2/catch.hpp>

using namespace troupe::test;

TEST_CASE("show prints the fields of a kept model", "[trainers][M36][M39]") {
  Experiment experiment;
  experiment.train("trainer=offline " + Experiment::limits + "epoch_limit=2");
  for (const auto* field :
       {"name", "state_dict", "model_timestamp", "episode", "loss", "status", "training_causes",
        "status_timestamp", "training_stats", "validation_stats"})
    CHECK_THAT(experiment.shown(field), !Catch::Contains("(no "));
  CHECK(experiment.shown("name") == "mlp");
  CHECK_THAT(experiment.shown("state_dict"), Catch::Contains("linear0.weight"));
  CHECK_THAT(experiment.shown("training_stats"), Catch::Contains("episodes_aggregated 10; loss "));
  CHECK_THAT(experiment.shown("validation_stats"),
             Catch::Contains("accuracy ") && Catch::Contains("[Full Validation]"));
  const auto exported
    = troupe_program(experiment.path(), "export runs/latest/models/model_best.bin -o best.onnx");
  CHECK(exported.code == 0);
  const auto state = troupe_program(experiment.path(), "show runs/latest/state.bin");
  CHECK(state.code == 65);
  CHECK_THAT(state.error, Catch::Contains("not a saved model"));
}

TEST_CASE("show refuses a missing file and a folder", "[M36][M39]") {
  const WorkFolder work;
  const auto missing = troupe_program(work.path(), "show missing.bin");
  CHECK(missing.code == 74);
  CHECK_THAT(missing.error, Catch::Contains("there is no file 'missing.bin'; give the file of"));
  const auto folder = troupe_program(work.path(), "show .");
  CHECK(folder.code == 2);
  CHECK_THAT(folder.error, Catch::Contains("'.' is a folder"));
}

TEST_CASE("with save_intermediate there is a model of each validation", "[trainers][M37]") {
  Experiment experiment;
  experiment.train("trainer=online model.save_intermediate=true validation.partial_interval=5 "
                   + Experiment::limits + "episode_limit=11");
  for (const auto* episode : {"00000", "00005", "00010"})
    CHECK(std::filesystem::exists(experiment.path() / "runs/latest/models"
                                  / ("model_episode_" + std::string{episode} + ".bin")));
  CHECK(experiment.shown("episode", "runs/latest/models/model_episode_00005.bin") == "5");
}

TEST_CASE("the option --model starts with a kept model, overriding model.load", "[trainers][M40]") {
  Experiment experiment;
  experiment.train("trainer=offline " + Experiment::limits + "epoch_limit=2");
  std::filesystem::copy(experiment.path() / "runs/latest/models/model_best.bin",
                        experiment.path() / "warm.bin");
  const std::string still = "trainer=online extensions.finish_after.before_epoch=true ";
  const auto warm = experiment.train(still + "--model warm.bin model.load=absent.bin");
  const auto by_key = experiment.train(still + "model.load=warm.bin");
  const auto cold = experiment.train(still);
  CHECK(warm["parameters"] == by_key["parameters"]);
  CHECK(warm["parameters"] != cold["parameters"]);
  CHECK_THAT(experiment.shown("state_dict", "warm.bin"),
             Catch::Contains(warm["parameters"].get<std::string>()));
}

TEST_CASE("a missing or unsuitable model is refused before anything is made", "[trainers][M40]") {
  Experiment experiment;
  const auto absent = troupe_program(experiment.path(), "train --model absent.bin");
  CHECK(absent.code == 74);
  CHECK_THAT(absent.error, Catch::Contains("'absent.bin', which does not exist"));
  const auto needed
    = troupe_program(experiment.path(), "train +extensions.load='{path: no.bin, required: true}'");
  CHECK(needed.code == 74);
  CHECK_THAT(needed.error,
             Catch::Contains("extensions.load.path is 'no.bin', which does not exist"));
  std::ofstream(experiment.path() / "bad.bin") << "nothing of the kind";
  CHECK(troupe_program(experiment.path(), "train --model bad.bin").code == 65);
  CHECK_FALSE(std::filesystem::exists(experiment.path() / "runs"));
  experiment.train("trainer=offline " + Experiment::limits + "epoch_limit=1");
  const auto other = troupe_program(
    experiment.path(), "train --model runs/latest/models/model_best.bin model.hidden='[9]'");
  CHECK(other.code == 65);
  const auto loaded = troupe_program(
    experiment.path(),
    "train model.hidden='[9]' +extensions.load.path=runs/latest/models/model_best.bin");
  CHECK(loaded.code == 65);
  CHECK_THAT(loaded.error, Catch::Contains("extensions.load.path") && Catch::Contains("not fit"));
  CHECK_THAT(other.error, Catch::Contains("does not fit"));
}

TEST_CASE("Ctrl-C keeps everything, is the status, and the run resumes to the same bits",
          "[trainers][M41]") {
  Experiment experiment;
  const auto options = "train -q --json " + Experiment::ten_batches
                       + "trainer=online validation.partial_interval=50 " + Experiment::limits;
  const auto stopped
    = shell(experiment.path(), "\"$troupe\" " + options + R"(episode_limit=1000000 >out &
    trainer=$!
    until [ -e runs/latest/models/model_best.bin ]; do sleep 0.05; done
    kill -INT $trainer
    wait $trainer; echo $?)");
  CHECK(stopped.out == "75\n");
  const auto result
    = nlohmann::json::parse(contents(experiment.path() / "runs/latest/result.json"));
  CHECK(result["status"] == "interrupted");
  CHECK(result["outcome"] == "interrupted");
  const auto batches = result["batches"].get<int>();
  CHECK(experiment.batches_of("validation_loss") == Experiment::Batches{batches});
  CHECK(experiment.batches_of("partial_valid_loss").back() == batches);
  CHECK(experiment.batches_of("training_status") == Experiment::Batches{batches});
  CHECK(experiment.shown("status") == "interrupted");

  const auto limit = Experiment::limits + "episode_limit=" + std::to_string(batches + 60);
  const auto resumed
    = troupe_program(experiment.path(), "train -q --json --resume latest " + limit);
  INFO(resumed.error);
  REQUIRE(resumed.code == 0);
  const auto whole = experiment.train("trainer=online validation.partial_interval=50 " + limit);
  CHECK(nlohmann::json::parse(resumed.out)["parameters"] == whole["parameters"]);
  CHECK(nlohmann::json::parse(resumed.out)["status"] == "Not converged: Episode Limit reached");
}

TEST_CASE("the last run is loaded by its link, and the configuration names the run itself",
          "[trainers][M40]") {
  Experiment experiment;
  const auto kept = experiment.train("trainer=offline " + Experiment::limits + "epoch_limit=2");
  const auto folder = kept["run"].get<std::string>();
  const std::string still = "extensions.finish_after.before_epoch=true ";
  const auto warm = experiment.train(still + "--model runs/latest/models/model_best.bin");
  CHECK_THAT(experiment.shown("state_dict", folder + "/models/model_best.bin"),
             Catch::Contains(warm["parameters"].get<std::string>()));
  const auto configuration = warm["run"].get<std::string>() + "/config.yaml";
  CHECK_THAT(contents(experiment.path() / configuration),
             Catch::Contains("load: " + folder + "/models/model_best.bin"));
  CHECK(experiment.train(configuration)["parameters"] == warm["parameters"]);
}

TEST_CASE("the extension that loads, and --model, take the last run and not their own",
          "[M40][load]") {
  Experiment experiment;
  const std::string still = "extensions.finish_after.before_epoch=true ";
  const auto trained = experiment.train("training.epochs=1")["parameters"];
  for (const auto* words : {"'extensions.load={path: runs/latest}'", "extensions.load.path=latest",
                            "'extensions.old={type: load, path: runs/latest, strict: true}'",
                            "--model latest", "--model runs/latest"})
    CHECK(experiment.train(still + words)["parameters"] == trained);
}
