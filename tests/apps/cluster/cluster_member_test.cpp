#include "apps/cluster/joining.hpp"
#include "apps/cluster/node_place.hpp"
#include "apps/commands/node.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/reached_holder.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"
#include "tests/support/block_stage.hpp"
#include "tests/support/captured_errors.hpp"

#include <caf/scoped_actor.hpp>
#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a worker with another cluster's token is refused before it trains", "[R14]") {
  const CapturedErrors errors;
  BlockStage stage;
  NodeSystemConfig config{2};
  caf::actor_system system{config};
  ClusterMember member;
  const PublishedActor published{
    holder_entry_point(stage.holder), {"127.0.0.1", 0}, {}, "the parameter holder"};
  member.holders = {{"127.0.0.1", published.port()}};
  member.cluster = "guess";
  std::optional<Failure> refusal;
  for (auto tries = 0; tries < 20 && !refusal; ++tries) // the holder may be slow to answer
    try {
      check_join(system, member, {});
    } catch (const Failure& e) {
      refusal = e;
    }
  REQUIRE(refusal);
  CHECK(refusal->code() == ExitCode::refused);
  CHECK_THAT(refusal->what(), Catch::Contains("refuses this process")
                                && Catch::Contains("give all nodes the same TROUPE_TOKEN"));
  member.cluster = "secret";
  CHECK(check_join(system, member, {}));
}

TEST_CASE("a parameter holder in a worker's process prints the same messages as its own process",
          "[L9][T12]") {
  const CapturedErrors errors;
  {
    NodeSystemConfig config{2};
    caf::actor_system system{config};
    ClusterMember member;
    member.holders = {{"127.0.0.1", 0}};
    member.cluster = "secret";
    const HostedHolder hosted{system, member, "", false};
    caf::scoped_actor self{system};
    Join join;
    join.worker = 1;
    join.cluster = "guess";
    caf::error refusal;
    self->request(hosted.holder(), std::chrono::seconds{20}, join)
      .receive([](const Joined&) {}, [&](const caf::error& error) { refusal = error; });
    CHECK(refusal == Error::invalid_options);
  }
  CHECK_THAT(errors.text(),
             Catch::Contains("parameter holder: worker 1 belongs to another cluster"));
}

TEST_CASE("holders number the master and its workers by shard, and the evaluator next", "[T4]") {
  const CapturedErrors errors; // the warning that certificates are missing
  const auto member = [](const std::string& role, int index) {
    NodeCommand command;
    command.role = role;
    command.index = index;
    command.ps = "127.0.0.1:1";
    command.master = true;
    command.workers = "2";
    command.insecure = true;
    return member_of(command, place_in_cluster(command));
  };
  CHECK(member("master", 0).worker == 0);
  CHECK(member("worker", 0).worker == 1);
  CHECK(member("worker", 1).worker == 2);
  CHECK_FALSE(member("worker", 1).is_reader);
  CHECK(member("evaluator", 0).worker == 3);
  CHECK(member("evaluator", 0).is_reader);
  CHECK(member("evaluator", 0).workers == 3);
}

TEST_CASE("with --last-worker-evaluates the last worker only reads, and the others train",
          "[T10][T11]") {
  const CapturedErrors errors;
  const auto member = [](Role role, int index) {
    ClusterSpec spec;
    spec.ps = {"127.0.0.1:1"};
    spec.masters = {"127.0.0.1:2"};
    spec.workers = {"127.0.0.1:3", "127.0.0.1:4"};
    spec.role = role;
    spec.index = index;
    NodeCommand command;
    command.insecure = true;
    return member_of(command, spec.last_worker_as_evaluator());
  };
  CHECK_FALSE(member(Role::master, 0).is_reader);
  CHECK_FALSE(member(Role::worker, 0).is_reader);
  CHECK(member(Role::worker, 0).worker == 1);
  CHECK(member(Role::worker, 1).is_reader);
  CHECK(member(Role::worker, 1).worker == 2);
  CHECK(member(Role::worker, 1).workers == 2);
}
