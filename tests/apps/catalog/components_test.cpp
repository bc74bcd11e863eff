#include "apps/catalog/components.hpp"
#include "apps/config/yaml.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/run_actors_options.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

RunConfig configured(std::vector<std::string> overrides) {
  ConfigSources sources;
  sources.overrides = std::move(overrides);
  return read_run_config(sources);
}

} // namespace

TEST_CASE("an unknown problem, model or optimizer is refused with the nearest and all known names",
          "[M11]") {
  CHECK_THROWS_WITH(configured({"problem.name=digit"}),
                    Contains("problem.name is 'digit' (command line: problem.name=digit)")
                      && Contains("did you mean 'digits'?")
                      && Contains("known: addition, arrays, csv, digits"));
  CHECK_THROWS_WITH(configured({"model.name=Lenet"}),
                    Contains("did you mean 'lenet'?")
                      && Contains("known: char_lstm, gpt_mini, lenet"));
  CHECK_THROWS_WITH(configured({"optimizer.name=adm"}),
                    Contains("did you mean 'adam'?") && Contains("known: adadelta, adagrad, adam"));
  CHECK_THROWS_WITH(configured({"optimizer.name=shampoo"}),
                    Contains("which is unknown; known: adadelta, adagrad, adam"));
}

TEST_CASE("every name that an error lists can be made or says what it lacks", "[M11]") {
  for (const auto& name : optimizer_names())
    CHECK(make_optimizer_factory(optimizer_defaults(name, "test"))(3) != nullptr);
  for (const auto& name : problem_names()) {
    const auto section = problem_defaults(name, "test");
    if (makes_examples(section))
      CHECK(make_problem(section)->name() == name);
    else
      CHECK_THROWS(make_problem(section));
  }
}

TEST_CASE("a model takes its sizes from the problem", "[M12]") {
  const test::DataFolder folder;
  std::string text = "a,b,c,kind\n";
  for (int i = 0; i < 20; ++i)
    text += std::to_string(i) + ",2." + std::to_string(i) + ",0.5,"
            + (i % 3 == 0   ? "x"
               : i % 3 == 1 ? "y"
                            : "z")
            + "\n";
  const auto config = configured(
    {"problem.name=csv", "problem.path=" + folder.write("kinds.csv", text), "model.hidden=[5]"});
  const auto problem = make_problem(*config.tree.find("problem"));
  const auto model = make_model(*config.tree.find("model"), problem->spec());
  CHECK(model->layout().find("linear0.weight")->shape == Shape{3, 5});
  CHECK(model->layout().find("linear1.weight")->shape == Shape{5, 3});
}

TEST_CASE("a model takes the number of tokens from the problem", "[M12]") {
  const auto config
    = configured({"problem.name=tagging", "problem.symbols=6", "model.name=lstm_tagger"});
  const auto problem = make_problem(*config.tree.find("problem"));
  const auto model = make_model(*config.tree.find("model"), problem->spec());
  const auto tokens = problem->spec().inputs.front().classes;
  CHECK(tokens == 7); // the symbols and the empty place
  CHECK(model->layout().find("embedding0.weight")->shape.front() == tokens);
  CHECK(model->prediction().shape.back() == problem->spec().targets.front().classes);
}

TEST_CASE("an argument that the optimizer does not have is refused with the nearest", "[M17]") {
  CHECK_THROWS_WITH(configured({"optimizer.learning_rat=0.1"}),
                    Contains("optimizer") && Contains("did you mean 'learning_rate'?"));
  CHECK_THROWS_WITH(
    make_optimizer_factory(config::read_value("{name: adam, bta1: 0.8}", "run.yaml")),
    Contains("unknown key 'bta1' in optimizer") && Contains("did you mean 'beta1'?"));
  CHECK_THROWS_WITH(
    make_optimizer_factory(config::read_value("{name: sgd, beta2: 0.8}", "run.yaml")),
    Contains("unknown key 'beta2'") && Contains("known keys: learning_rate"));
}

TEST_CASE("shares of the optimizer's settings reach the learner, and wrong ones are refused",
          "[M17][B50]") {
  const auto with_scales = [](const std::string& scales) {
    const auto config = configured({"problem.train=64", "problem.validation=8", "problem.test=8",
                                    "model.hidden=[4]", "optimizer.scales=" + scales});
    const auto problem = make_problem(*config.tree.find("problem"));
    const auto model = make_model(*config.tree.find("model"), problem->spec());
    check_scales(config, *model);
    return run_actors_options(config, problem, nullptr).learner.scales;
  };
  CHECK(with_scales("[{match: '*.bias', weight_decay: 0}, {match: linear0.*, learning_rate: 0.1}]")
        == std::vector<ParameterScale>{{"*.bias", 1, 0}, {"linear0.*", 0.1, 1}});
  CHECK(with_scales("[]").empty());
  CHECK_THROWS_WITH(with_scales("[{match: conv*}]"),
                    Contains("optimizer.scales: no parameter is called 'conv*'")
                      && Contains("linear0.weight"));
  CHECK_THROWS_WITH(with_scales("[{match: '*.bias', weight_decy: 0}]"),
                    Contains("did you mean 'weight_decay'?"));
  CHECK_THROWS_WITH(with_scales("[{match: '*', learning_rate: -1}]"), Contains("give 0 or more"));
  CHECK_THROWS_AS(with_scales("0.1"), ConfigError);
}

TEST_CASE("a model larger than the machine's memory is refused with its size", "[M12]") {
  const auto refused = [](const std::string& hidden) {
    const auto config = configured(
      {"problem.train=8", "problem.validation=2", "problem.test=2", "model.hidden=" + hidden});
    const auto problem = make_problem(*config.tree.find("problem"));
    return test::sentence_of<ConfigError>(
      [&] { check_memory(*make_model(*config.tree.find("model"), problem->spec())); });
  };
  CHECK_THAT(refused("[99999999999]"),
             Contains("parameters, which take") || Contains("more memory than there is"));
  // cure: more memory than there is; give smaller sizes
  const auto small
    = configured({"problem.train=8", "problem.validation=2", "problem.test=2", "model.hidden=[8]"});
  const auto data = make_problem(*small.tree.find("problem"))->spec();
  CHECK_NOTHROW(check_memory(*make_model(*small.tree.find("model"), data)));
  CHECK_THAT(refused("[4611686018427387904, 4]"), Contains("larger than any memory"));
}

TEST_CASE("a TorchScript module is refused with the cure if the file or libtorch is missing",
          "[torch]") {
  const auto section = config::read_yaml("{name: torch, file: absent.pt}", "run.yaml");
  const DataSpec data{{{"x", ElementType::float32, {any_size, 4}, 0}},
                      {{"y", ElementType::class_index, {any_size}, 3}}};
  CHECK_THROWS_WITH(make_model(section, data), Contains("configure with -DTROUPE_TORCH=ON")
                                                 || Contains("absent.pt does not exist"));
}
