#include "tests/support/remote_holder_stage.hpp"

#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

Block ramp(float first) {
  auto block = constant(first);
  auto values = block.edit();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] += static_cast<float>(i);
  return block;
}

} // namespace

TEST_CASE("the holder's whole suite runs against a remote holder", "[L8]") {
  RemoteStage stage;
  check_holder(stage.world, [&] {
    stage.holders = {stage.world.keep(spawn_parameter_holder(stage.world.system))};
    return stage.remote().holder;
  });
}

TEST_CASE("the holder's suite runs against two shards, too", "[L8]") {
  RemoteStage stage;
  const auto fresh = [&] {
    stage.holders.clear();
    for (auto shard = 0; shard < 2; ++shard)
      stage.holders.push_back(stage.world.keep(spawn_parameter_holder(stage.world.system)));
    return stage.remote().holder;
  };
  check_update_rule(stage.world, fresh());
  check_repeated_push(stage.world, fresh());
  check_return_of_a_worker(stage.world, fresh());
}

TEST_CASE("several shards give the same values as one", "[L8]") {
  const auto rule = GENERATE(as<std::string>{}, "alpha_beta", "average", "easgd", "downpour",
                             "outer_nesterov", "gradient_average");
  const auto in_rounds = GENERATE(true, false);
  const auto values_with = [&](std::size_t shards) {
    RemoteStage stage{shards};
    std::vector<RemoteStage::Remote> remotes;
    std::vector<HolderClient<DeterministicSystem>> clients;
    for (WorkerId worker = 0; worker < 2; ++worker) {
      remotes.push_back(stage.remote(worker));
      clients.push_back(stage.client(remotes.back(), worker));
      clients.back().join();
    }
    clients.front().create(1);
    std::mt19937 random{3};
    for (auto step = 0; step < 10; ++step) {
      std::vector<Pending<Parameters>> pending;
      for (std::size_t i = 0; i < clients.size(); ++i) {
        auto push = clients[i].next_push({0.25f, 0.75f}, ramp(static_cast<float>(random() % 100)));
        if (rule != push.rule.name)
          push.rule = {rule};
        push.staleness.bound = in_rounds ? 0 : Staleness::no_bound;
        pending.emplace_back(stage.world, remotes[i].handle, Exchange{push});
        stage.world.run();
      }
      for (const auto& one : pending)
        REQUIRE(one.answered());
    }
    return clients.front().pull().values;
  };
  CHECK(values_with(2) == values_with(1));
}

TEST_CASE("of many concurrent creators over two shards, all get the values of one", "[L2]") {
  std::mt19937 random{GENERATE(range(1u, 11u))};
  RemoteStage stage{2};
  std::vector<RemoteStage::Remote> remotes;
  std::vector<Pending<Parameters>> settled;
  for (WorkerId worker = 0; worker < 5; ++worker) {
    remotes.push_back(stage.remote(worker));
    for (auto& far : remotes.back().far)
      far->deliveries = [&](const std::string& message) {
        Delivery delivery;
        if (message != "Join")
          delivery.late = static_cast<double>(random() % 6) / 10;
        return delivery;
      };
    stage.client(remotes.back(), worker).join();
  }
  for (WorkerId worker = 0; worker < 5; ++worker)
    settled.emplace_back(stage.world, remotes[worker].handle,
                         CreateIfAbsent{worker, constant(static_cast<float>(worker))});
  stage.pass(5s);
  std::size_t creators = 0;
  for (const auto& one : settled) {
    REQUIRE(one.answered());
    CHECK(one->values == constant(one->values.view()[0]));
    CHECK(one->values == settled.front()->values);
    creators += one->created;
  }
  CHECK(creators == 1);
}

TEST_CASE("parameters are awaited over two shards", "[L8]") {
  RemoteStage stage{2};
  auto trains = stage.remote(0);
  RemoteHolderOptions reader;
  reader.worker = 1;
  reader.is_reader = true;
  auto watches = stage.remote(reader);
  auto one = stage.client(trains, 0), two = stage.client(watches, 1);
  one.join();
  two.join();
  one.create(1);
  const Pending<Parameters> awaited{stage.world, watches.handle, Await{1, 0}};
  stage.pass(1s);
  CHECK_FALSE(awaited.answered());
  REQUIRE(one.ask<Applied>(one.next_push({1, 1}, ramp(0))));
  stage.pass(1s);
  REQUIRE(awaited.answered());
  CHECK(awaited->version == 1);
  CHECK(awaited->values == ramp(1));
}

TEST_CASE("a block whose size differs from the layout's is refused before it is split", "[L12]") {
  RemoteStage stage{2};
  auto remote = stage.remote();
  auto client = stage.client(remote);
  client.join();
  const auto created = client.ask<Parameters>(CreateIfAbsent{0, block_of({1, 2, 3})});
  REQUIRE_FALSE(created);
  CHECK(created.error() == Error::shape_mismatch);
  CHECK(sentence(created.error()).find("3") != std::string::npos);
  client.create(1);
  const auto pushed = client.ask<Parameters>(Exchange{client.next_push({}, block_of({1, 2}))});
  REQUIRE_FALSE(pushed);
  CHECK(pushed.error() == Error::shape_mismatch);
  CHECK(client.pull().values == constant(1));
}

TEST_CASE("a parameter that is split between two shards is distinguished from an unknown one",
          "[L5]") {
  RemoteStage stage{2};
  auto remote = stage.remote();
  auto client = stage.client(remote);
  client.join();
  client.create(1);
  CHECK(client.ask<Part>(PullPart{0, {"w", {}, {}}}).error() == Error::invalid_options);
  CHECK(client.ask<Part>(PullPart{0, {"x", {}, {}}}).error() == Error::unknown_name);
  const auto part = client.ask<Part>(PullPart{0, {"b", {}, {}}});
  REQUIRE(part);
  CHECK(part->values == block_of({1, 1, 1, 1}));
}

TEST_CASE("shards that differ by a push are waited for once, and then taken as they are", "[L5]") {
  RemoteStage stage{2};
  auto remote = stage.remote();
  auto client = stage.client(remote);
  client.join();
  client.create(1);
  // A push to a parameter of one shard: the other never sees it.
  REQUIRE(client.ask<Applied>(client.next_part({0, 1}, {"b", {}, {}}, block_of({2, 2, 2, 2}))));
  const Pending<Parameters> first{stage.world, remote.handle, Pull{0}};
  stage.pass(3s);
  REQUIRE(first.answered());
  CHECK(first->values.view().front() == 1);
  CHECK(first->values.view().back() == 2);
  CHECK(client.pull().values == first->values);
}

TEST_CASE("the trainer is told which worker is main, and when the main worker is lost", "[L9]") {
  RemoteStage stage;
  const auto trace = std::make_shared<std::vector<std::string>>();
  auto first = stage.remote(0), second = stage.remote(1);
  stage.client(first, 0).join();
  stage.client(second, 1).join();
  stage.world.self->send(second.handle, Watch{stage.noting_trainer(trace)});
  stage.pass(2s);
  CHECK(*trace == std::vector<std::string>{"not main"});
  first.far.front()->deliveries = [](const std::string&) { return Delivery{.arrives = false}; };
  stage.pass(4500ms); // three renewals, a check of the leases, the next renewal
  CHECK(*trace == std::vector<std::string>{"not main", "main"});
}

TEST_CASE("of two processes with one number the later continues, and the earlier gets the cure",
          "[L9][L12]") {
  RemoteStage stage{GENERATE(1u, 2u)};
  const auto trace = std::make_shared<std::vector<std::string>>();
  RemoteHolderOptions options;
  options.logger = stage.logger();
  options.process = 11;
  auto earlier = stage.remote(options);
  options.process = 22;
  auto later = stage.remote(options);
  auto one = stage.client(earlier), two = stage.client(later);
  stage.world.self->send(earlier.handle, Watch{stage.noting_trainer(trace)});
  one.join();
  one.create(1);
  two.join();
  stage.pass(10s);
  const auto refused = one.ask<Parameters>(Exchange{one.next_push({1, 1}, constant(4))});
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == Error::superseded);
  CHECK(sentence(refused.error())
        == "another process has joined as worker 0; give each its own --index");
  CHECK(one.ask<HolderStatus>(GetHolderStatus{}).error() == Error::superseded);
  CHECK(*trace == std::vector<std::string>{"main", "not main"});
  stage.world.self->send(earlier.handle, Leave{0}); // for itself only
  stage.pass(3s);
  REQUIRE(two.ask<Parameters>(Exchange{two.next_push({1, 1}, constant(2))}));
  CHECK(two.pull().values == constant(3));
  CHECK(stage.logged("refuses it: another process has joined") == 1);
  CHECK(stage.logged("joins again") == 1);
}

TEST_CASE("a worker that leaves is gone from every shard, and may join again", "[L9]") {
  RemoteStage stage{2};
  auto remote = stage.remote(4);
  auto client = stage.client(remote, 4);
  client.join();
  client.create(1);
  stage.world.self->send(remote.handle, Leave{4});
  stage.world.run();
  for (const auto& holder : stage.holders)
    CHECK(stage.world.ask<HolderStatus>(holder, GetHolderStatus{})->workers.empty());
  CHECK(client.ask<Parameters>(Pull{4}).error() == Error::not_joined);
  client.join();
  CHECK(client.pull().values == constant(1));
}

TEST_CASE("what only a holder itself can do is refused by a remote holder", "[L8]") {
  RemoteStage stage;
  auto remote = stage.remote();
  auto client = stage.client(remote);
  client.join();
  CHECK(client.ask<SavedHolder>(SaveHolder{}).error() == Error::invalid_options);
  CHECK(client.ask<Joined>(RestoreHolder{}).error() == Error::invalid_options);
  CHECK(client.ask<HolderStatus>(GetHolderStatus{})->workers == std::vector<WorkerId>{0});
}
