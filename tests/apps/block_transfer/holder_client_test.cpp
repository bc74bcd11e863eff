#include "apps/block_transfer/holder_client.hpp"
#include "apps/block_transfer/served_holder.hpp"
#include "apps/transport/node_system.hpp"
#include "base/failure.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <thread>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

Layout two_numbers() {
  Layout layout;
  layout.add("w", {2});
  return layout;
}

Block numbers(float a, float b) {
  Block block{2};
  block.edit()[0] = a;
  block.edit()[1] = b;
  return block;
}

const UpdateRule elastic{"easgd", {{"elasticity", 0.5f}}};

struct HolderStage {
  explicit HolderStage(ServedHolderOptions options = {}) : holder(system, std::move(options)) {}

  HolderAccess access(WorkerId worker = 0) const {
    HolderAccess access;
    access.holders = {{"127.0.0.1", holder.port()}};
    access.worker = worker;
    access.join_deadline = 5;
    return access;
  }

  NodeSystemConfig config{2};
  caf::actor_system system{config};
  ServedHolder holder;
};

} // namespace

TEST_CASE("a client joins a holder over TCP, pushes, pulls and leaves", "[holder_client]") {
  HolderStage stage;
  HolderClient client{stage.access()};
  CHECK_FALSE(client.join(two_numbers(), elastic).created);
  CHECK(client.create(numbers(1, 2)).created);
  CHECK(client.pull().values == numbers(1, 2));
  const auto settled = client.push(numbers(3, 4));
  CHECK(settled.version == 1);
  CHECK(settled.values == numbers(2, 3)); // half of the way to the shared ones
  CHECK(client.pull().values == numbers(2, 3));
  CHECK(client.pull_part({"w", {{1}}, {}}).values.view()[0] == 3);
  CHECK(client.status().workers == std::vector<WorkerId>{0});
  client.leave();
  stage.holder.wait_for_end();
  CHECK(stage.holder.status().workers.empty());
  CHECK_THROWS_WITH(client.status(), Contains("it has left"));
}

TEST_CASE("clients of two workers share the parameters of one holder", "[holder_client]") {
  HolderStage stage;
  HolderClient first{stage.access(0)}, second{stage.access(1)};
  first.join(two_numbers(), elastic);
  second.join(two_numbers(), elastic);
  first.create(numbers(0, 0));
  CHECK(second.create(numbers(9, 9)).values == numbers(0, 0));
  first.push(numbers(4, 8));
  CHECK(second.pull().values == numbers(2, 4));
}

TEST_CASE("a client that ends leaves the holder", "[holder_client]") {
  HolderStage stage;
  { HolderClient{stage.access()}.join(two_numbers(), elastic); }
  stage.holder.wait_for_end();
  CHECK(stage.holder.status().lost.empty());
}

TEST_CASE("a client with another layout is refused with the parameter's name", "[holder_client]") {
  HolderStage stage;
  HolderClient first{stage.access(0)}, second{stage.access(1)};
  first.join(two_numbers(), elastic);
  first.create(numbers(0, 0));
  Layout other;
  other.add("w", {3});
  CHECK_THROWS_WITH(second.join(other, elastic), Contains("w") && Contains("3"));
}

TEST_CASE("a client needs the holder's token and certificate", "[holder_client]") {
  const DataFolder folder;
  make_authority(folder.path("certs"));
  const Trust trust{make_identity(folder.path("certs"), "n1")};
  HolderStage stage{{.trust = trust, .token = "secret"}};
  auto access = stage.access();
  access.join_deadline = 1;
  SECTION("both are given") {
    access.trust = trust;
    access.token = "secret";
    HolderClient client{access};
    CHECK_NOTHROW(client.join(two_numbers(), elastic));
  }
  SECTION("another token is refused") {
    access.trust = trust;
    access.token = "guess";
    HolderClient client{access};
    CHECK_THROWS_AS(client.join(two_numbers(), elastic), Failure);
  }
  SECTION("plain TCP does not connect") {
    HolderClient client{access};
    CHECK_THROWS_AS(client.join(two_numbers(), elastic), Failure);
  }
}

TEST_CASE("holders and clients on other machines need certificates", "[holder_client]") {
  HolderAccess access;
  CHECK_THROWS_WITH(HolderClient{access}, Contains("no parameter holder is named"));
  // cure: no parameter holder is named; give the host and port of each
  access.holders = {{"127.0.0.1", 1}};
  CHECK_NOTHROW(HolderClient{access});
  access.holders = {{"example.org", 4000}};
  CHECK_THROWS_WITH(HolderClient{access}, Contains("'example.org' is another machine"));
  // cure: another machine, which needs TLS: give a trust with certificates
  const DataFolder folder;
  make_authority(folder.path("certs"));
  access.trust = Trust{make_identity(folder.path("certs"), "n1")};
  CHECK_NOTHROW(HolderClient{access});
  CHECK_THROWS_WITH(HolderStage({.endpoint = {"0.0.0.0", 0}}), Contains("from other machines"));
  // cure: other machines, which needs TLS: give a trust with certificates, or listen on 127.0.0.1
  CHECK_NOTHROW(HolderStage({.endpoint = {"0.0.0.0", 0}, .trust = access.trust}));
}
