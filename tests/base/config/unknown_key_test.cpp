#include "base/config/node.hpp"
#include "base/config/unknown_key.hpp"

#include <catch2/catch.hpp>

using namespace troupe::config;

TEST_CASE("an unknown key is reported with its place, the nearest and all known keys",
          "[unknown_key][M4]") {
  CHECK(unknown_key("epoch_limt", "training", "run.yaml:3:3", {"epoch_limit", "loss_stop"})
        == "unknown key 'epoch_limt' in training (run.yaml:3:3); did you mean 'epoch_limit'? "
           "known keys: epoch_limit, loss_stop");
  CHECK(unknown_key("x", "", "run.yaml:1:1", {"training"})
        == "unknown key 'x' at the top level (run.yaml:1:1); known keys: training");
}

TEST_CASE("an unknown key of a section with a name may be one of another name", "[config][M4]") {
  auto section = Node::map("run.yaml:1:1");
  section.put("name", Node::scalar("digits", "run.yaml:1:1"));
  const auto text = [&](const std::string& key) {
    return unknown_key_of(section, key, "problem", "run.yaml:1:1", {"name", "seed"}, "run.path");
  };
  CHECK(text("path")
        == "unknown key 'path' in problem (run.yaml:1:1); known keys: name, seed: those of digits; "
           "set problem.name, too, if the key is of another one");
  CHECK(text("sed")
        == "unknown key 'sed' in problem (run.yaml:1:1); did you mean 'seed'? known keys: name, "
           "seed");
}

TEST_CASE("a key of an earlier version is refused with its new name", "[config]") {
  CHECK(unknown_key("drift", "extensions.sync", "run.yaml:1:1", {"divergence", "limit"})
        == "unknown key 'drift' in extensions.sync (run.yaml:1:1); it is now called 'divergence'; "
           "known keys: divergence, limit");
  CHECK(unknown_key("parameter_modifier", "extensions", "run.yaml:1:1",
                    {"hyperparameter_scheduler", "timing"})
        == "unknown key 'parameter_modifier' in extensions (run.yaml:1:1); it is now called "
           "'hyperparameter_scheduler'; known keys: hyperparameter_scheduler, timing");
}
