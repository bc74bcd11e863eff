#include "messages/access/access_control.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

/// A cluster with the token "secret", and a peer with the key "a" that has shown the token.
struct AccessStage {
  AccessControl access{"secret"};
  AccessStage() { access.introduce("a"); }

  std::string refusal(const std::string& key, Needs needs,
                      std::optional<WorkerId> number = std::nullopt, double now = 0) const {
    return access.refusal(key, {needs, number}, now);
  }
};

} // namespace

TEST_CASE(
  "only the cluster's token admits a peer, and a missing one is distinguished from a wrong one",
  "[access]") {
  const AccessControl access{"secret"};
  CHECK(access.refusal_of("secret").empty());
  CHECK_THAT(access.refusal_of("guess"), Contains("belongs to another cluster"));
  CHECK_THAT(access.refusal_of(""), Contains("no token"));
  CHECK(AccessControl{""}.refusal_of("whatever").empty());
}

TEST_CASE("a peer without a key of this process may send only messages that carry their own token",
          "[access]") {
  const AccessStage stage;
  CHECK(stage.refusal("", Needs::nothing).empty());
  for (const auto needs : {Needs::token, Needs::introduction, Needs::membership, Needs::training,
                           Needs::own_process}) {
    CHECK_FALSE(stage.refusal("", needs).empty());
    CHECK_FALSE(stage.refusal("b", needs).empty());
  }
}

TEST_CASE("a peer that has shown the token may query the status and join, and nothing else",
          "[access]") {
  const AccessStage stage;
  CHECK(stage.refusal("a", Needs::token).empty());
  CHECK(stage.refusal("a", Needs::introduction).empty());
  CHECK_THAT(stage.refusal("a", Needs::membership, 1), Contains("has not joined"));
  CHECK_THAT(stage.refusal("a", Needs::training, 1), Contains("has not joined"));
  CHECK_THAT(stage.refusal("a", Needs::own_process), Contains("only this process"));
}

TEST_CASE("a member speaks only for itself", "[access]") {
  AccessStage stage;
  stage.access.join("a", {1, 1.0, false}, 0);
  CHECK(stage.refusal("a", Needs::training, 1).empty());
  CHECK(stage.refusal("a", Needs::training).empty());
  CHECK_THAT(stage.refusal("a", Needs::membership, 2), Contains("claims to be 2"));
}

TEST_CASE("a reader may pull but not push", "[access]") {
  AccessStage stage;
  stage.access.join("a", {4, 1.0, true}, 0);
  CHECK(stage.refusal("a", Needs::membership, 4).empty());
  CHECK_THAT(stage.refusal("a", Needs::training, 4), Contains("only reads"));
}

TEST_CASE("a member that is silent for three renewals is no member until it renews", "[access]") {
  AccessStage stage;
  stage.access.join("a", {1, 2.0, false}, 10);
  CHECK(stage.refusal("a", Needs::training, 1, 16).empty());
  CHECK_THAT(stage.refusal("a", Needs::training, 1, 16.1), Contains("lease has ended"));
  stage.access.join("a", {1}, 17);
  CHECK(stage.refusal("a", Needs::training, 1, 22).empty());
}

TEST_CASE("a lease of length 0 never ends", "[access]") {
  AccessStage stage;
  stage.access.join("a", {1, 0.0, false}, 0);
  CHECK(stage.refusal("a", Needs::training, 1, 1e9).empty());
}

TEST_CASE("a member that has left may only join again", "[access]") {
  AccessStage stage;
  stage.access.join("a", {1, 1.0, false}, 0);
  stage.access.leave("a");
  for (const auto needs : {Needs::introduction, Needs::membership, Needs::training})
    CHECK_THAT(stage.refusal("a", needs, 1), Contains("has left"));
  CHECK(stage.refusal("a", Needs::token).empty());
  stage.access.join("a", {1, 1.0, false}, 0);
  CHECK(stage.refusal("a", Needs::training, 1).empty());
}

TEST_CASE("a number belongs to the connection that joined or renewed with it last", "[access]") {
  AccessStage stage;
  stage.access.introduce("b");
  stage.access.join("a", {1, 1.0, true}, 0);
  stage.access.join("b", {1}, 1);
  CHECK_THAT(stage.refusal("a", Needs::membership, 1, 1), Contains("has not joined"));
  CHECK(stage.refusal("b", Needs::membership, 1, 1).empty());
  // Role and lease are kept from the earlier connection.
  CHECK_THAT(stage.refusal("b", Needs::training, 1, 1), Contains("only reads"));
  CHECK_THAT(stage.refusal("b", Needs::membership, 1, 5), Contains("lease has ended"));
}

TEST_CASE("a peer whose connection has ended is unknown", "[access]") {
  AccessStage stage;
  stage.access.join("a", {1, 1.0, false}, 0);
  stage.access.forget("a");
  CHECK_FALSE(stage.refusal("a", Needs::token).empty());
  stage.access.join("a", {1, 1.0, false}, 0); // a late answer
  CHECK_FALSE(stage.refusal("a", Needs::token).empty());
}
