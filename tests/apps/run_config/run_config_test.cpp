// The configuration of a run, made from files, environment and command line.
#include "apps/catalog/components.hpp"
#include "apps/commands/train.hpp"
#include "apps/config/print.hpp"
#include "apps/config/tree.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

using namespace troupe;
using Catch::Contains;
using Words = std::vector<std::string>;

namespace {

std::string text_of(const RunConfig& config, const std::string& path) {
  return config::text_at(config.tree, config::parse_path(path));
}

RunConfig read_words(Words words, bool in_cluster = false) {
  ConfigSources sources;
  sources.overrides = std::move(words);
  sources.in_cluster = in_cluster;
  return read_run_config(sources);
}

RunConfig read_variables(Words variables) {
  ConfigSources sources;
  sources.environment = std::move(variables);
  return read_run_config(sources);
}

/// From a file with this text, and overrides.
RunConfig read_file(const std::string& yaml, Words words = {}) {
  const test::WorkFolder work;
  ConfigSources sources;
  sources.files = {work.path() / "run.yaml"};
  std::ofstream{sources.files.front()} << yaml;
  sources.overrides = std::move(words);
  return read_run_config(sources);
}

/// From a file over a base that it names.
RunConfig read_over(const std::string& base, const std::string& yaml) {
  const test::WorkFolder work;
  ConfigSources sources;
  sources.files = {work.path() / "run.yaml"};
  std::ofstream{work.path() / "base.yaml"} << base;
  std::ofstream{sources.files.front()} << "default_configs: base.yaml\n" << yaml;
  return read_run_config(sources);
}

bool has_extension(const RunConfig& config, const std::string& name) {
  return std::any_of(config.extensions.begin(), config.extensions.end(),
                     [&](const auto& extension) { return extension.name == name; });
}

std::string defects_of_words(Words words) {
  try {
    read_words(std::move(words));
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

/// Sets `key` in every subset of file, environment and command line.
void check_later_wins(const std::string& key, const std::vector<std::string>& values,
                      const std::function<void(const RunConfig&, const std::string&)>& check) {
  const test::WorkFolder work;
  const auto path = config::parse_path(key);
  auto tree = config::Node::map();
  for (int set = 0; set < 8; ++set) {
    ConfigSources sources;
    auto expected = values[0];
    if (set & 1) {
      sources.files = {work.path() / "run.yaml"};
      std::ofstream file{sources.files.front()};
      std::string indent;
      for (const auto& part : path) {
        file << indent << part << ":" << (&part == &path.back() ? " " + values[1] : "") << "\n";
        indent += "  ";
      }
      expected = values[1];
    }
    if (set & 2) {
      std::string name = "TROUPE";
      for (const auto& part : path)
        name += "__" + part;
      std::transform(name.begin(), name.end(), name.begin(), ::toupper);
      sources.environment = {name + "=" + values[2]};
      expected = values[2];
    }
    if (set & 4) {
      sources.overrides = {key + "=" + values[3]};
      expected = values[3];
    }
    CAPTURE(key, set);
    const auto config = read_run_config(sources);
    CHECK(text_of(config, key) == expected);
    check(config, expected);
  }
}

} // namespace

TEST_CASE("a default extension with one option set keeps its other defaults",
          "[run_config][B42][B45][T13]") {
  for (const auto* word : {"extensions.checkpoint.keep=5", "+extensions.checkpoint.keep=5",
                           "extensions.checkpoint={on_failure: finish}"}) {
    CAPTURE(word);
    CHECK(text_of(read_words({word}), "extensions.checkpoint.after_epoch") == "true");
    const auto of_cluster = read_words({word}, true);
    CHECK(text_of(of_cluster, "extensions.checkpoint.after_epoch") == "true");
    CHECK(text_of(of_cluster, "extensions.checkpoint.every_n_seconds") == "600");
  }
  const auto kept = read_file("extensions: {checkpoint: {keep: 3}}\n");
  CHECK(text_of(kept, "extensions.checkpoint.keep") == "3");
  CHECK(text_of(kept, "extensions.checkpoint.after_epoch") == "true");
  const auto silent = read_words({"extensions.checkpoint.after_epoch=false"});
  CHECK(text_of(silent, "extensions.checkpoint.after_epoch") == "false");
}

TEST_CASE("a summary of a cluster can get options, or another kind under its name",
          "[run_config][T13]") {
  const auto often = read_words({"extensions.speed.every_n_batches=5"}, true);
  CHECK(text_of(often, "extensions.speed.every_n_batches") == "5");
  CHECK(text_of(often, "extensions.speed.type") == "timing");
  CHECK(text_of(often, "extensions.speed.prefix") == "speed");
  TrainCommand launched;
  launched.arguments = {"problem.train=64", "extensions.speed.every_n_batches=5"};
  CHECK(text_of(cluster_configuration(launched, 2), "extensions.speed.every_n_batches") == "5");
  const auto other = read_words({"extensions.checkpoint.type=timing"});
  CHECK(text_of(other, "extensions.checkpoint.after_epoch") == "");
}

TEST_CASE("components, trainer and workers may be named in any layer, and the later wins",
          "[run_config][B48][M8]") {
  using Defaults = config::Node (*)(const std::string&, const std::string&);
  const auto has_options_of = [](const std::string& section, Defaults defaults) {
    return [=](const RunConfig& config, const std::string& name) {
      CHECK(config.tree.find(section)->keys() == defaults(name, "test").keys());
    };
  };
  check_later_wins("problem.name", {"digits", "addition", "serial_recall", "tagging"},
                   has_options_of("problem", problem_defaults));
  check_later_wins("model.name", {"mlp", "lenet", "network", "lstm_tagger"},
                   has_options_of("model", model_defaults));
  check_later_wins("optimizer.name", {"adam", "momentum", "sgd", "rmsprop"},
                   has_options_of("optimizer", optimizer_defaults));
  check_later_wins("trainer", {"", "online", "offline", "online"},
                   [](const RunConfig& config, const std::string& kind) {
                     CHECK(config.trainer.has_value() == !kind.empty());
                   });
  check_later_wins("training.workers", {"1", "2", "1", "3"},
                   [](const RunConfig& config, const std::string& workers) {
                     CHECK(has_extension(config, "shared_params_rate_limited") == (workers != "1"));
                   });
}

TEST_CASE("a variable configures an extension as an argument does", "[run_config][B48][M8]") {
  const auto config = read_variables({"TROUPE__EXTENSIONS__CHECKPOINT__EVERY_N_BATCHES=9",
                                      "TROUPE__EXTENSIONS__EARLY_STOPPING__EPOCHS=3",
                                      "TROUPE__EXTENSIONS__PRINTING=false"});
  CHECK(text_of(config, "extensions.checkpoint.every_n_batches") == "9");
  CHECK(text_of(config, "extensions.early_stopping.epochs") == "3");
  CHECK_FALSE(has_extension(config, "printing"));
  CHECK_THROWS_WITH(read_variables({"TROUPE__EXTENSIONS__EARLY_STOPPING__EPOCH=3"}),
                    Contains("did you mean 'epochs'?")
                      && Contains("environment TROUPE__EXTENSIONS__EARLY_STOPPING__EPOCH"));
  CHECK_THROWS_WITH(read_variables({"TROUPE__TRAINING__EPOCH=3"}),
                    Contains("did you mean 'epochs'?"));
}

TEST_CASE("a configuration without problem, model or optimizer is refused",
          "[run_config][M3][M8]") {
  for (const std::string section : {"problem", "model", "optimizer"}) {
    CHECK_THAT(defects_of_words({"~" + section}), Contains("the configuration has no " + section));
    CHECK_THAT(defects_of_words({"++" + section + "=null"}), Contains("must be a map"));
  }
  for (const auto* words : {"train '~optimizer'", "train '~model'", "train '~problem'",
                            "summary '~model'", "init '~problem'"}) {
    const test::WorkFolder work;
    const auto ran = test::troupe_program(work.path(), words);
    CAPTURE(words, ran.error);
    CHECK(ran.code == 78);
  }
}

TEST_CASE("an extension is switched off and on over a file", "[run_config][M1][M5]") {
  const std::string stops = "extensions: {early_stopping: {epochs: 5}}\n";
  CHECK_FALSE(
    has_extension(read_over(stops, "extensions: {early_stopping: false}\n"), "early_stopping"));
  CHECK_FALSE(has_extension(read_file(stops, {"extensions.early_stopping=No"}), "early_stopping"));
  CHECK(text_of(read_over(stops, "extensions: {early_stopping: true}\n"),
                "extensions.early_stopping.epochs")
        == "5");
  CHECK(text_of(read_file(stops, {"extensions.early_stopping=true"}),
                "extensions.early_stopping.epochs")
        == "5");

  const std::string silent = "extensions: {timing: false, checkpoint: off}\n";
  CHECK(has_extension(read_over(silent, "extensions: {timing: true}\n"), "timing"));
  const auto renamed = read_over(silent, "extensions: {timing: {prefix: x}}\n");
  CHECK(text_of(renamed, "extensions.timing.prefix") == "x");
  CHECK_FALSE(has_extension(renamed, "checkpoint"));
}

TEST_CASE("an extension that is switched on again has its defaults again",
          "[run_config][M1][B42]") {
  const std::string silent = "extensions: {timing: false, checkpoint: off}\n";
  for (const auto* word : {"extensions.checkpoint=true", "++extensions.checkpoint=true",
                           "extensions.checkpoint.path=checkpoint.bin",
                           "extensions.checkpoint={on_failure: proceed}"}) {
    CAPTURE(word);
    const auto config = read_file(silent, {word});
    CHECK(has_extension(config, "checkpoint"));
    CHECK(text_of(config, "extensions.checkpoint.keep") == "2");
    CHECK(text_of(config, "extensions.checkpoint.after_epoch") == "true");
  }
}

TEST_CASE("deleted default extensions stay off when the run is repeated", "[run_config][M3][M7]") {
  for (const Words& words :
       {Words{"~extensions.timing", "~extensions.checkpoint.after_epoch"}, Words{"~extensions"}}) {
    const auto first = read_words(words, true);
    const auto repeated = read_file(config::to_yaml(first.tree));
    for (const auto& config : {first, repeated}) {
      CHECK_FALSE(has_extension(config, "timing"));
      CHECK(text_of(config, "extensions.checkpoint.after_epoch") != "true");
    }
    CHECK(first.extensions.size() == repeated.extensions.size());
  }
}

TEST_CASE("a single value other than a switch is refused for an extension", "[run_config][M1]") {
  CHECK_THROWS_WITH(read_file("extensions: {timing: 5}\n"), Contains("extensions.timing"));
  CHECK_THAT(defects_of_words({"extensions.timing=5"}),
             Contains("extensions.timing is '5'") && Contains("true or false"));
  CHECK(has_extension(read_words({"extensions.timing=null"}), "timing"));
  CHECK_THROWS_WITH(read_file("training: {clipping: false}\n"),
                    Contains("a map and a single value cannot be merged"));
}

TEST_CASE("a tilde removes a file's trainer", "[run_config][M8][trainers]") {
  const auto config = read_file("trainer: offline\n", {"~trainer"});
  CHECK_FALSE(config.trainer);
  CHECK(config.training.epochs == 20);
  CHECK_THROWS_WITH(
    read_file("trainer: offline\ntraining: {terminal_conditions: {epoch_limit: 3}}\n",
              {"~trainer"}),
    Contains("belongs to a trainer"));
}

TEST_CASE("a key of a trainer that is deleted means that trainer's default",
          "[run_config][M3][M20]") {
  for (const Words& words :
       {Words{"trainer=online", "~training.terminal_conditions.episode_limit"},
        Words{"trainer=online", "~training.terminal_conditions", "~validation.partial_interval"}}) {
    const auto config = read_words(words);
    REQUIRE(config.trainer);
    CHECK(config.trainer->limits.episode_limit == 100'000);
    CHECK(config.trainer->validation.partial_interval == 100);
  }
}

TEST_CASE("workers whose way to share is deleted by a tilde get the default one",
          "[run_config][M8][L10]") {
  const std::string two = "training: {workers: 2}\nextensions: {shared_params_auto_sync: "
                          "{every_n_batches: 10}}\n";
  CHECK_FALSE(has_extension(read_file(two), "shared_params_rate_limited"));
  for (const auto* word :
       {"~extensions.shared_params_auto_sync", "extensions.shared_params_auto_sync=false"})
    CHECK(has_extension(read_file(two, {word}), "shared_params_rate_limited"));
  const auto named = read_file("training: {workers: 2}\nextensions: {mine: {type: "
                               "shared_params_auto_sync, every_n_batches: 10}}\n");
  CHECK_FALSE(has_extension(named, "shared_params_rate_limited"));
}

TEST_CASE("a source is reported as the user typed it", "[run_config][M1]") {
  const auto config = read_words({"extensions.timing.prefix=x", "+extensions.norms.prefix=y"});
  CHECK(config::get(config.tree, {"extensions", "timing", "prefix"})->source()
        == "command line: extensions.timing.prefix=x");
  CHECK(config::get(config.tree, {"extensions", "norms", "prefix"})->source()
        == "command line: +extensions.norms.prefix=y");
  CHECK_THAT(defects_of_words({"extensions.timing.prefx=x"}),
             Contains("(command line: extensions.timing.prefx=x)"));
}
