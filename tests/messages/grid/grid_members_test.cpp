#include "messages/grid/grid_members.hpp"
#include "messages/requests/error.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

GridMembers some_members() {
  GridMembersOptions options;
  options.version = "1.0";
  options.cluster = "secret";
  options.probe = "probe";
  options.folder = "nodes/aa";
  options.grid = "/shared/grid";
  return GridMembers{options};
}

JoinGrid some_join() { return {protocol_version, "1.0", "secret", "n2", 4}; }

std::string join_refusal(const JoinGrid& join) {
  auto members = some_members();
  const auto joined = members.join(join, 0);
  REQUIRE_FALSE(joined);
  return sentence(joined.error());
}

} // namespace

TEST_CASE("a node with another program or cluster, or without a runner, is refused with the cure",
          "[M47]") {
  auto join = some_join();
  SECTION("protocol") {
    join.protocol = 1;
    CHECK(join_refusal(join).find("with protocol 1, the grid's is troupe 1.0")
          != std::string::npos);
  }
  SECTION("version") {
    join.version = "0.9";
    CHECK(join_refusal(join).find("use the same version on all nodes") != std::string::npos);
  }
  SECTION("token") {
    join.cluster = "guess";
    CHECK(join_refusal(join).find("TROUPE_TOKEN") != std::string::npos);
  }
  SECTION("runners") {
    join.runners = 0;
    CHECK(join_refusal(join).find("has no runner") != std::string::npos);
  }
  // cure: ; use the same version on all nodes
  // cure: token is not the grid's; give both the same TROUPE_TOKEN
  // cure: has no runner; give it at least one processor, like --at-once 1
  CHECK(some_members().join(some_join(), 0));
}

TEST_CASE("nodes of one machine have different names and folders", "[M47]") {
  auto members = some_members();
  const auto one = members.join(some_join(), 0), two = members.join(some_join(), 0);
  CHECK(members.node(*one).name == "n2-1");
  CHECK(members.node(*two).name == "n2-2");
  CHECK(members.node(*one).folder == "nodes/aa-1");
  CHECK(members.node(*two).folder == "nodes/aa-2");
}

TEST_CASE("a node is admitted once it has shown the probe, and not before", "[M47]") {
  auto members = some_members();
  const auto one = *members.join(some_join(), 0), two = *members.join(some_join(), 0);
  CHECK(members.check(one, "a request") == Error::not_joined);
  CHECK_FALSE(members.admit({one, "probe"}));
  CHECK_FALSE(members.check(one, "a request"));
  const auto refused = members.admit({two, ""});
  CHECK(refused == Error::invalid_options);
  CHECK(sentence(refused).find("'/shared/grid/nodes/aa-2' is not there") != std::string::npos);
  // cure: is not there, or another; mount the grid's folder on its machine, or give the node
  // --folder with the place where it is mounted
  const auto three = *members.join(some_join(), 0); // now where the folder is mounted
  CHECK_FALSE(members.admit({three, "probe"}));
  CHECK_FALSE(members.knows(two));
}

TEST_CASE("a refused node is no member, and is not waited for", "[M47]") {
  auto members = some_members();
  const auto node = *members.join(some_join(), 0);
  REQUIRE(members.admit({node, "guess"}));
  CHECK(members.check(node, "a request") == Error::not_joined);
  CHECK(members.expire(1e6).empty());
}

TEST_CASE("a node that is silent for two to three renewals is lost for good", "[M49]") {
  auto members = some_members();
  const auto one = *members.join(some_join(), 0);
  REQUIRE_FALSE(members.admit({one, "probe"}));
  members.lease(7, one);
  for (const auto time : {1.0, 2.0, 3.0})
    members.renew(one, time);
  CHECK(members.expire(4.9).empty());
  CHECK(members.expire(6.0) == std::vector<NodeNumber>{one});
  CHECK(members.node(one).runs == std::set<RunNumber>{7});
  CHECK(members.check(one, "the end of run 7") == Error::not_joined);
  members.forget(one);
  CHECK(members.empty());
  CHECK(*members.join(some_join(), 6) == one + 1);
}
