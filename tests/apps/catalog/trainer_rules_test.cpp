#include "tests/support/experiment.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace troupe::test;

TEST_CASE("offline training validates fully after each epoch, and partially if configured",
          "[trainers][M19][M22]") {
  Experiment experiment;
  const auto result = experiment.train("trainer=offline validation.partial_interval=4 "
                                       + Experiment::limits + "epoch_limit=2");
  CHECK(result["epochs"] == 2);
  CHECK(experiment.batches_of("validation_loss")
        == Experiment::Batches{10, 20}); // the last one once
  CHECK(experiment.batches_of("partial_valid_loss") == Experiment::Batches{1, 5, 9, 13, 17});
  CHECK(experiment.batches_of("training_loss") == Experiment::Batches{10, 20});
  CHECK(experiment.batches_of("training_status") == Experiment::Batches{20});
}

TEST_CASE("at the end of an epoch validation, decision and printing follow in this order",
          "[trainers][M19]") {
  Experiment experiment;
  experiment.train("trainer=offline " + Experiment::limits + "epoch_limit=1");
  const auto log = contents(experiment.path() / "runs/latest/log.jsonl");
  std::vector<std::size_t> places;
  for (const auto* record :
       {"\"validation_loss\"", "\"training_finish_requested\"", "\"training_status\""})
    places.push_back(log.find(record));
  CHECK(std::is_sorted(places.begin(), places.end()));
  CHECK(places.back() != std::string::npos);
}

TEST_CASE("online training validates partly at the episodes 0, 100, 200 and the last, and fully at "
          "the end",
          "[trainers][M20][M21][M22]") {
  Experiment experiment;
  const auto result
    = experiment.train("trainer=online " + Experiment::limits + "episode_limit=250");
  CHECK(result["batches"] == 250);
  CHECK(result["status"] == "Not converged: Episode Limit reached");
  CHECK(experiment.batches_of("partial_valid_loss") == Experiment::Batches{1, 101, 201, 250});
  CHECK(experiment.batches_of("validation_loss") == Experiment::Batches{250});
}

TEST_CASE("a partial validation looks at the same batches each time, as many as configured",
          "[trainers][M21]") {
  Experiment experiment;
  const std::string still = "trainer=online optimizer.name=sgd optimizer.learning_rate=1e-30 "
                            "validation.partial_interval=10 "
                            + Experiment::limits + "episode_limit=31 ";
  experiment.train(still);
  const auto one = experiment.log_of("partial_valid_loss");
  REQUIRE(one.size() == 4);
  for (const auto& [batch, loss] : one)
    CHECK(loss == one.front().second);
  CHECK(experiment.log_of("validation_loss").front().second != one.front().second);
  experiment.train(still + "validation.partial_batches=3");
  CHECK(experiment.log_of("validation_loss").front().second
        == experiment.log_of("partial_valid_loss").front().second);
}

TEST_CASE("every end of training is followed by one full validation of the last batch",
          "[trainers][M22]") {
  struct Scene {
    std::string words;
    int batch;
    std::string status;
  };
  const auto scene = GENERATE(
    Scene{"trainer=offline " + Experiment::limits + "epoch_limit=1", 10,
          "Not converged: Epoch Limit reached"},
    Scene{"trainer=offline " + Experiment::limits + "episode_limit=13", 13,
          "Not converged: Episode Limit reached"},
    Scene{"trainer=offline " + Experiment::limits + "loss_stop=1e9", 10,
          "Converged (Full Validation Loss went below Loss Stop threshold)"},
    Scene{"trainer=offline " + Experiment::limits + "early_stop_delta=1e9 " + Experiment::limits
            + "early_stop_validations=2",
          30, "Not converged: Validation Loss stopped improving"},
    Scene{"trainer=offline extensions.finish_after.after_n_batches=7", 7, "Not Converged"},
    Scene{"trainer=online " + Experiment::limits + "epoch_limit=2", 20,
          "Not converged: Epoch Limit reached"},
    Scene{"trainer=online " + Experiment::limits + "episode_limit=13", 13,
          "Not converged: Episode Limit reached"},
    Scene{"trainer=online " + Experiment::limits + "loss_stop=1e9", 1,
          "Converged (Partial Validation Loss went below Loss Stop threshold)"},
    Scene{"trainer=online extensions.finish_after.after_n_batches=7", 7, "Not Converged"});
  Experiment experiment;
  INFO(scene.words);
  const auto result = experiment.train(scene.words);
  CHECK(result["batches"] == scene.batch);
  CHECK(result["status"] == scene.status);
  const auto validations = experiment.batches_of("validation_loss");
  CHECK(std::count(validations.begin(), validations.end(), scene.batch) == 1);
  CHECK(validations.back() == scene.batch);
}

TEST_CASE("a low loss ends training at the validation that finds it", "[trainers][M23]") {
  Experiment experiment;
  CHECK(experiment.train("trainer=online " + Experiment::limits + "loss_stop=1e9")["batches"] == 1);
  CHECK(experiment.train("trainer=offline " + Experiment::limits + "loss_stop=1e9")["epochs"] == 1);
}

TEST_CASE("a limit of three epochs gives three", "[trainers][M24]") {
  Experiment experiment;
  const auto result = experiment.train("trainer=offline " + Experiment::limits + "epoch_limit=3");
  CHECK(result["epochs"] == 3);
  CHECK(result["batches"] == 30);
}

TEST_CASE("a limit of episodes inside an epoch still aggregates it offline, and not online",
          "[trainers][M25]") {
  Experiment experiment;
  experiment.train("trainer=offline " + Experiment::limits + "episode_limit=13");
  CHECK(experiment.batches_of("training_loss") == Experiment::Batches{10, 13});
  experiment.train("trainer=online " + Experiment::limits + "episode_limit=13");
  CHECK(experiment.batches_of("training_loss") == Experiment::Batches{10});
}

TEST_CASE("if all ends coincide training has converged, and every cause is kept",
          "[trainers][M26][M27]") {
  Experiment experiment;
  const auto result = experiment.train("trainer=offline " + Experiment::limits + "loss_stop=1e9 "
                                       + Experiment::limits + "epoch_limit=1 " + Experiment::limits
                                       + "episode_limit=10");
  const std::string converged = "Converged (Full Validation Loss went below Loss Stop threshold)";
  CHECK(result["status"] == converged);
  CHECK(result["reason"] == converged);
  CHECK(result["workers"][0]["causes"]
        == nlohmann::json{converged, "Not converged: Episode Limit reached",
                          "Not converged: Epoch Limit reached"});
  CHECK(experiment.log_of("training_status").back().second == converged);
  CHECK_THAT(contents(experiment.path() / "runs/latest/log.jsonl"),
             Catch::Contains("\"training_causes\":\"" + converged + "; Not converged: Episode"));
  CHECK(experiment.shown("status") == converged);
  CHECK(experiment.shown("training_causes")
        == converged
             + "; Not converged: Episode Limit reached; Not converged: Epoch Limit reached");
  CHECK_THAT(contents(experiment.path() / "runs/latest/state.bin"), Catch::Contains(converged));
}

TEST_CASE("an ended trainer resumes only with a higher limit", "[trainers][M24]") {
  Experiment experiment;
  experiment.train("trainer=online " + Experiment::limits + "episode_limit=11");
  const auto resume = [&](const std::string& words) {
    return troupe_program(experiment.path(), "train -q --resume latest " + words);
  };
  const auto again = resume("");
  CHECK(again.code == 78);
  CHECK_THAT(again.error, Catch::Contains("nothing left to do")
                            && Catch::Contains("terminal_conditions.episode_limit=22"));
  const auto more = resume("training.terminal_conditions.episode_limit=22");
  CHECK(more.code == 0);
  CHECK_THAT(more.out, Catch::Contains("22 batches"));
}

TEST_CASE("early_stop_delta ends training after several validations without improvement",
          "[trainers][M28]") {
  Experiment experiment;
  const auto result
    = experiment.train("trainer=offline " + Experiment::limits + "early_stop_delta=1e9 "
                       + Experiment::limits + "early_stop_validations=3");
  CHECK(result["epochs"] == 4);
}

TEST_CASE("invalid limits and keys of a trainer are refused before anything is made",
          "[trainers][M20][M24][M25]") {
  Experiment experiment;
  const std::vector<std::pair<std::string, std::string>> mistakes{
    {"trainer=oflline", "give offline or online"},
    {"trainer=offline " + Experiment::limits + "epoch_limit=0", "epoch_limit is 0"},
    {"trainer=offline " + Experiment::limits + "episode_limit=0", "episode_limit is 0"},
    {"trainer=online " + Experiment::limits + "episode_limit=-1", "episode_limit is -1"},
    {"trainer=online validation.partial_interval=0", "partial_interval is 0"},
    {"trainer=online validation.partial_batches=0", "partial_batches is 0"},
    {"trainer=offline training.epochs=3", "epoch_limit instead"},
    {"trainer=offline training.workers=2", "one worker"},
    {"trainer=offline problem.validation=0", "no examples to validate on"},
    {"trainer=offline +extensions.best_model.record=validation_loss", "give yours another name"},
    {"+training.terminal_conditions.loss_stop=1", "belongs to a trainer"},
    {"+validation.partial_interval=5", "belongs to a trainer"},
    {"+model.save_intermediate=true", "belongs to a trainer"},
  };
  for (const auto& [words, sentence] : mistakes) {
    const auto ran = troupe_program(experiment.path(), "train " + words);
    INFO(words);
    CHECK(ran.code == 78);
    CHECK_THAT(ran.error, Catch::Contains(sentence));
  }
  const auto unknown = troupe_program(
    experiment.path(), "train trainer=offline " + Experiment::limits + "episodes_limit=5");
  CHECK_THAT(unknown.error, Catch::Contains("did you mean 'episode_limit'"));
  const auto launched = troupe_program(experiment.path(), "launch -n 2 --insecure trainer=offline");
  CHECK_THAT(launched.error, Catch::Contains("trains in a single process"));
  CHECK_FALSE(std::filesystem::exists(experiment.path() / "runs"));
}
