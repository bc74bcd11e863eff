#include "extensions/sync/sync_membership.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace troupe;

namespace {

UpdateRule rule_called(const std::string& name) {
  UpdateRule rule;
  rule.name = name;
  return rule;
}

LoopEvent at(Callback callback, Step batches) {
  LoopEvent event;
  event.callback = callback;
  event.position.batches = batches;
  return event;
}

/// A member with this rule that has trained on 10 batches, and synced after 8 of them.
SyncMembership member(const std::string& rule, HolderFate fate = HolderFate::outlives_run) {
  SyncMembership membership{rule_called(rule), fate};
  CHECK_FALSE(membership.join(false));
  membership.synced(8);
  return membership;
}

const auto at_end = at(Callback::after_training, 10);
const auto at_interrupt = at(Callback::on_interrupt, 10);

/// What a new process knows of a member that was saved.
SyncMembership restored(const SyncMembership& saved, const std::string& rule) {
  SavedFields state;
  REQUIRE(saved.is_saved());
  saved.save(state);
  SyncMembership membership{rule_called(rule), HolderFate::saved_with_run};
  membership.restore(state);
  return membership;
}

} // namespace

TEST_CASE("a worker that has trained since its last sync pushes before it takes the result",
          "[sync_membership]") {
  auto membership = member("average");
  CHECK(membership.departure(at_end) == Departure::pushes_and_pulls);
  membership.synced(10);
  CHECK(membership.departure(at_end) == Departure::pulls);
}

TEST_CASE("the answer to a last push of steps is the result", "[sync_membership]") {
  CHECK(member("downpour").departure(at_end) == Departure::pushes);
}

TEST_CASE("a worker that never synced, or shares gradients, leaves with its own parameters",
          "[sync_membership]") {
  SyncMembership never{rule_called("average"), HolderFate::outlives_run};
  CHECK(never.departure(at_end) == Departure::leaves);
  never.join(true);
  CHECK(never.departure(at_end) == Departure::leaves);
  CHECK(never.departure(at(Callback::after_training, 0)) == Departure::pulls);
  CHECK(member("gradient_average").departure(at_end) == Departure::leaves);
}

TEST_CASE("after an error a worker only leaves", "[sync_membership]") {
  CHECK(member("downpour").departure(at(Callback::on_error, 10)) == Departure::leaves);
}

TEST_CASE("an interrupted worker leaves a holder that is saved, and stays with one of a cluster",
          "[sync_membership]") {
  CHECK(member("average", HolderFate::saved_with_run).departure(at_interrupt) == Departure::leaves);
  CHECK(member("average").departure(at_interrupt) == Departure::stays);
}

TEST_CASE("the holder hears of a departure once", "[sync_membership]") {
  auto membership = member("average", HolderFate::saved_with_run);
  CHECK(membership.leave(at_interrupt));
  CHECK_FALSE(membership.leave(at_end));
}

TEST_CASE("a holder of this run hears of a worker that never joined", "[sync_membership]") {
  SyncMembership inside{rule_called("average"), HolderFate::saved_with_run};
  CHECK(inside.leave(at_end));
  SyncMembership in_cluster{rule_called("average"), HolderFate::outlives_run};
  CHECK_FALSE(in_cluster.leave(at_end));
}

TEST_CASE("a restored worker keeps its own parameters if the holder still has some",
          "[sync_membership]") {
  const auto saved = member("average", HolderFate::saved_with_run);
  CHECK(restored(saved, "average").join(true));
  CHECK_FALSE(restored(saved, "average").join(false));
}

TEST_CASE("a restored worker remembers when it synced, unless it starts anew",
          "[sync_membership]") {
  const auto saved = member("average", HolderFate::saved_with_run);
  auto kept = restored(saved, "average");
  kept.join(true);
  CHECK(kept.departure(at(Callback::after_training, 8)) == Departure::pulls);
  auto anew = restored(saved, "average");
  anew.join(false);
  CHECK(anew.departure(at(Callback::after_training, 8)) == Departure::leaves);
}

TEST_CASE("a worker is saved as a member unless it has handed over all that it had",
          "[sync_membership]") {
  CHECK_FALSE(member("average", HolderFate::outlives_run).is_saved());
  auto interrupted = member("average", HolderFate::saved_with_run);
  interrupted.leave(at_interrupt);
  CHECK(interrupted.is_saved());
  auto done = member("average", HolderFate::saved_with_run);
  done.leave(at_end);
  CHECK_FALSE(done.is_saved());
  CHECK(restored(interrupted, "average").is_saved());
}
