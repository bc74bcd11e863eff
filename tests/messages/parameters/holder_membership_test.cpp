#include "messages/parameters/holder_membership.hpp"
#include "messages/requests/error.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;
using Member = HolderMembership::State;

namespace {

Join join_with(const std::string& parameter) {
  Join join;
  join.worker = 3;
  join.layout.add(parameter, {32});
  join.layout.add("bias", {16});
  return join;
}

/// Worker 3 with its 48 parameters at three shards, in its incarnation 7.
HolderMembership member() {
  HolderMembership membership{3, 3};
  membership.begin(join_with("w"));
  membership.admitted(7);
  return membership;
}

Push push_by(std::uint64_t incarnation, Index size = 48) {
  Push push;
  push.id = {3, incarnation, 1};
  push.values = Block{size};
  return push;
}

} // namespace

TEST_CASE("a worker that has not joined is refused", "[holder_membership]") {
  const HolderMembership membership{3, 1};
  CHECK(membership.refusal_of("Pull", true) == Error::not_joined);
  CHECK_FALSE(membership.is_wanted());
}

TEST_CASE("a member's requests are accepted while its holders are reachable",
          "[holder_membership]") {
  const auto membership = member();
  CHECK(membership.state() == Member::joined);
  CHECK_FALSE(membership.refusal_of("Pull", true));
  CHECK(membership.refusal_of("Pull", false) == Error::unavailable);
}

TEST_CASE("a worker that joins for the first time waits for its holders", "[holder_membership]") {
  HolderMembership membership{3, 1};
  membership.begin(join_with("w"));
  CHECK(membership.state() == Member::joining);
  CHECK_FALSE(membership.refusal_of("Await", false));
}

TEST_CASE("a push of another worker, incarnation or size is refused", "[holder_membership]") {
  const auto membership = member();
  CHECK_FALSE(membership.refusal_of(push_by(7), true));
  CHECK(membership.refusal_of(push_by(6), true) == Error::stale);
  CHECK(membership.refusal_of(push_by(7, 47), true) == Error::shape_mismatch);
  auto push = push_by(7);
  push.residual = Block{1};
  CHECK(membership.refusal_of(push, true) == Error::shape_mismatch);
  push.residual = {};
  push.received = Block{1};
  CHECK(membership.refusal_of(push, true) == Error::shape_mismatch);
  push.id.worker = 4;
  CHECK(membership.refusal_of(push, true) == Error::not_joined);
}

TEST_CASE("a member that joins again has to train the same model", "[holder_membership]") {
  auto membership = member();
  CHECK_FALSE(membership.refusal_of(join_with("w")));
  CHECK(membership.refusal_of(join_with("v")) == Error::shape_mismatch);
  membership.leave();
  CHECK_FALSE(membership.refusal_of(join_with("v")));
}

TEST_CASE("a member that was declared lost is stale until it has the shared parameters",
          "[holder_membership]") {
  auto membership = member();
  membership.forgotten();
  CHECK(membership.state() == Member::stale);
  membership.admitted(9); // the worker keeps the incarnation that it knows
  CHECK(membership.state() == Member::stale);
  CHECK(membership.incarnation() == 7);
  membership.has_shared();
  CHECK(membership.state() == Member::joined);
}

TEST_CASE("a worker that is forgotten while joining has trained nothing yet",
          "[holder_membership]") {
  HolderMembership membership{3, 1};
  membership.begin(join_with("w"));
  membership.forgotten();
  membership.admitted(1);
  CHECK(membership.state() == Member::joined);
}

TEST_CASE("a superseded worker stays so until it joins", "[holder_membership]") {
  auto membership = member();
  membership.supersede(fail(Error::superseded, "another process has joined as worker 3"));
  CHECK_FALSE(membership.is_wanted());
  membership.leave();
  CHECK(membership.refusal_of("Pull", true) == Error::superseded);
  membership.begin(join_with("w"));
  CHECK_FALSE(membership.refusal_of("Pull", true));
  CHECK_FALSE(membership.superseded());
}

TEST_CASE("the shard of a parameter is known if the parameter is not split",
          "[holder_membership]") {
  const auto membership = member(); // w is split at 16
  CHECK(membership.shard_with("bias", true).value() == 2);
  CHECK_THAT(sentence(membership.shard_with("w", true).error()), Contains("is split between"));
  // cure: is split between two shards; exchange it as a whole, or use one parameter holder
  HolderMembership of_one{3, 1};
  of_one.begin(join_with("w"));
  of_one.admitted(7);
  CHECK(of_one.shard_with("w", true).value() == 0);
  CHECK(membership.shard_with("x", true).error() == Error::unknown_name);
}
