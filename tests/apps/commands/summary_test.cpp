#include "apps/catalog/components.hpp"
#include "apps/commands/summary.hpp"
#include "apps/session/run_actors_options.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

TEST_CASE("a summary lists each layer with its output and its parameters by role", "[M56]") {
  test::WorkFolder work;
  const auto ran = test::troupe_program(
    work.path(),
    "summary problem.train=200 problem.validation=100 problem.test=100 training.batch_size=32 "
    "model.name=mlp model.hidden='[16]' model.frozen='[linear0.weight]'");
  REQUIRE(ran.code == 0);
  CHECK_THAT(
    ran.out,
    Contains("linear0                [any, 16]                      16      12544          0"));
  CHECK_THAT(
    ran.out,
    Contains("linear1                [any, 10]                     170          0          0"));
  CHECK_THAT(
    ran.out,
    Contains("mlp                    [any, 10]                     186      12544          0"));
  CHECK_THAT(ran.out, Contains("batches of 32: "));
  CHECK_THAT(ran.out, Contains(" MB for the whole process, with program, data and "));
}

TEST_CASE("a summary says when a batch is smaller than configured", "[M56]") {
  test::WorkFolder work;
  const auto of_all = test::troupe_program(
    work.path(), "summary problem.train=200 problem.validation=100 problem.test=100 "
                 "training.batch_size=100000 model.hidden='[]'");
  CHECK_THAT(of_all.out, Contains("one batch per epoch, of all 200 examples of a worker: "));
  const auto endless = test::troupe_program(
    work.path(), "summary problem.name=addition problem.train=20 training.batch_size=40 "
                 "model.name=char_lstm model.width=4 model.hidden=4");
  INFO(endless.error);
  CHECK_THAT(endless.out, Contains("batches of 40: "));
}

TEST_CASE("a summary counts the statistics of batch normalization separately", "[M56]") {
  const DataSpec data{{{"x", ElementType::float32, {any_size, 4}, 0}},
                      {{"y", ElementType::class_index, {any_size}, 3}}};
  auto section = model_defaults("network", "test");
  config::Node layers = config::Node::list();
  layers.append(config::Node::scalar("batch_norm", "test"));
  layers.append(config::Node::scalar("output", "test"));
  section.put("layers", std::move(layers));
  const auto text = stages_text(*make_model(section, data));
  CHECK_THAT(
    text,
    Contains("batch_norm0            [any, 4]                        8          0          8"));
}

TEST_CASE("more computing threads than cores cause a warning", "[threads]") {
  TrainingOptions training;
  training.workers = 2;
  training.threads = 2;
  CHECK(crowded(training, 4).empty());
  CHECK_THAT(crowded(training, 2), Contains("4 threads that compute, on 2 cores"));
  training.threads = 1; // workers alone share the available threads
  CHECK(crowded(training, 1).empty());
}

TEST_CASE("a learning rate multiplied by the number of workers is reported", "[T25]") {
  TrainingOptions training;
  CHECK(scaled_rate_text(training, 4).empty());
  training.scale_learning_rate = true;
  CHECK_THAT(scaled_rate_text(training, 4), Contains("learning rate is multiplied by 4"));
  CHECK(scaled_rate_text(training, 1).empty());
}

TEST_CASE("an impossible path is refused with its name", "[errors]") {
  const auto refused = GENERATE(as<std::string>{}, "summary ", "show ", "test ", "log ");
  test::WorkFolder work;
  const auto ran = test::troupe_program(work.path(), refused + std::string(300, 'a'));
  CAPTURE(refused, ran.error);
  CHECK((ran.code == 2 || ran.code == 74));
  CHECK_THAT(ran.error, Contains("aaaa") && !Contains("a defect"));
}
