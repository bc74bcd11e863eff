#include "troupe/apps/config/nearest.hpp"

#include <catch2/catch.hpp>

using namespace troupe::config;

TEST_CASE("the edit distance counts insertions, deletions, substitutions and swaps", "[nearest]") {
  CHECK(edit_distance("epoch", "epoch") == 0);
  CHECK(edit_distance("epch", "epoch") == 1);
  CHECK(edit_distance("epochs", "epoch") == 1);
  CHECK(edit_distance("epxch", "epoch") == 1);
  CHECK(edit_distance("eopch", "epoch") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest known word is found", "[nearest][M4]") {
  const std::vector<std::string> known{"loss_stop", "episode_limit", "epoch_limit"};
  CHECK(nearest("epoch_limt", known) == "epoch_limit");
  CHECK(nearest("episodes_limit", known) == "episode_limit");
  CHECK(nearest("epochs_limit", known) == "epoch_limit");
  CHECK(nearest("Epoch-Limit", known) == "epoch_limit");
}

TEST_CASE("a word that resembles none has no nearest", "[nearest][M4]") {
  CHECK_FALSE(nearest("momentum", {"loss_stop", "epoch_limit"}));
  CHECK_FALSE(nearest("a", {"b"}));
  CHECK_FALSE(nearest("", {"b"}));
  CHECK_FALSE(nearest("epoch", {}));
  CHECK_FALSE(nearest(std::string(1'000'000, 'a'), {std::string(1'000'000, 'a')}));
}

TEST_CASE("an unknown key is reported with its place, the nearest and all known keys",
          "[nearest][M4]") {
  CHECK(unknown_key("epoch_limt", "training", "run.yaml:3:3", {"epoch_limit", "loss_stop"})
        == "unknown key 'epoch_limt' in training (run.yaml:3:3); did you mean 'epoch_limit'? "
           "known keys: epoch_limit, loss_stop");
  CHECK(unknown_key("x", "", "run.yaml:1:1", {"training"})
        == "unknown key 'x' at the top level (run.yaml:1:1); known keys: training");
}
