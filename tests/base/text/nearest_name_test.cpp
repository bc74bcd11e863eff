#include "base/text/nearest_name.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("the edit distance counts insertions, deletions, substitutions and swaps",
          "[nearest_name]") {
  CHECK(edit_distance("epoch", "epoch") == 0);
  CHECK(edit_distance("epch", "epoch") == 1);
  CHECK(edit_distance("epochs", "epoch") == 1);
  CHECK(edit_distance("epxch", "epoch") == 1);
  CHECK(edit_distance("eopch", "epoch") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest known name is found", "[nearest_name][M4]") {
  const std::vector<std::string> known{"loss_stop", "episode_limit", "epoch_limit"};
  CHECK(nearest_name("epoch_limt", known) == "epoch_limit");
  CHECK(nearest_name("episodes_limit", known) == "episode_limit");
  CHECK(nearest_name("epochs_limit", known) == "epoch_limit");
  CHECK(nearest_name("Epoch-Limit", known) == "epoch_limit");
}

TEST_CASE("a name that resembles none has no nearest name", "[nearest_name][M4]") {
  CHECK_FALSE(nearest_name("momentum", {"loss_stop", "epoch_limit"}));
  CHECK_FALSE(nearest_name("a", {"b"}));
  CHECK_FALSE(nearest_name("", {"b"}));
  CHECK_FALSE(nearest_name("epoch", {}));
  CHECK_FALSE(nearest_name(std::string(1'000'000, 'a'), {std::string(1'000'000, 'a')}));
}

TEST_CASE("a suggestion ends a sentence, and is empty where no name is close", "[nearest_name]") {
  CHECK(suggestion("resmue", {"pause", "resume"}) == "; did you mean 'resume'?");
  CHECK(suggestion("stop", {"pause", "resume"}).empty());
}

TEST_CASE("a sentence that continues after a suggestion has one punctuation mark there",
          "[nearest_name]") {
  CHECK(suggestion("resmue", {"pause", "resume"}, "known are two")
        == "; did you mean 'resume'? known are two");
  CHECK(suggestion("stop", {"pause", "resume"}, "known are two") == "; known are two");
}

TEST_CASE("initials stand for a name of several words where no other is close", "[nearest_name]") {
  CHECK(nearest_name("lr", {"name", "learning_rate", "beta1"}) == "learning_rate");
  CHECK(nearest_name("wd", {"learning_rate", "weight_decay"}) == "weight_decay");
  CHECK_FALSE(nearest_name("xy", {"learning_rate", "weight_decay"}));
}
