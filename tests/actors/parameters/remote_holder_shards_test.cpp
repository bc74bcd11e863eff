// One block over several holders: parts that belong together stay together.
#include "tests/support/lossy_connection.hpp"
#include "tests/support/remote_holder_stage.hpp"

#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr std::size_t first_range = 16; // of 24 floats over two holders

Block random_values(std::mt19937& random) {
  auto block = constant(0);
  for (auto& value : block.edit())
    value = std::uniform_real_distribution<float>{-1, 1}(random);
  return block;
}

/// A push that is added to the shared parameters.
Push adding_push(HolderClient<DeterministicSystem>& client, Block values) {
  auto push = client.next_push({}, std::move(values));
  push.rule = {"downpour"};
  return push;
}

bool even(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [&](float one) { return one == values[0]; });
}

/// Whether each holder's range is of one version, where every version has equal elements.
bool each_range_is_even(const Block& values) {
  return even(values.view().first(first_range)) && even(values.view().subspan(first_range));
}

} // namespace

TEST_CASE("a format keeps the same residual over several holders as over one",
          "[residual][shards][L8]") {
  const auto sent_over = [](std::size_t shards) {
    RemoteStage stage{shards};
    auto remote = stage.remote();
    for (std::size_t shard = 0; shard < shards; ++shard)
      remote.far[shard]->holder = lossy_connection(stage.world, stage.holders[shard]);
    auto client = stage.client(remote);
    client.join();
    client.create(0);
    std::mt19937 random{5};
    std::vector<Block> seen;
    std::vector<double> sum(24, 0);
    Block residual;
    for (auto step = 0; step < 10; ++step) {
      auto push = adding_push(client, random_values(random));
      push.residual = residual;
      push.last = step == 9;
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += static_cast<double>(push.values.view()[i]);
      const auto answer = client.ask<Parameters>(Exchange{push});
      REQUIRE(answer);
      residual = answer->residual;
      seen.insert(seen.end(), {answer->values, residual});
    }
    CHECK(residual.empty());
    for (std::size_t i = 0; i < sum.size(); ++i)
      CHECK(seen[18].view()[i] == Approx(sum[i]).margin(1e-5)); // nothing was lost on any
                                                                // connection
    return seen;
  };
  const auto one = sent_over(1);
  CHECK_FALSE(one[1] == constant(0));
  CHECK(sent_over(2) == one);
  CHECK(sent_over(3) == one); // of which one keeps nothing
}

TEST_CASE("an exact connection among lossy ones keeps back nothing of its range",
          "[residual][shards][L8]") {
  RemoteStage stage{2};
  auto remote = stage.remote();
  remote.far[0]->holder = lossy_connection(stage.world, stage.holders[0]);
  auto client = stage.client(remote);
  client.join();
  client.create(0);
  std::mt19937 random{6};
  const auto values = random_values(random);
  const auto first = client.ask<Parameters>(Exchange{adding_push(client, values)});
  REQUIRE(first);
  REQUIRE(first->residual.size() == 24);
  auto second_push = adding_push(client, constant(0));
  second_push.residual = first->residual;
  const auto second = client.ask<Parameters>(Exchange{second_push});
  REQUIRE(second);
  for (std::size_t i = 0; i < 24; ++i) {
    const auto left_out = values.view()[i] - first->values.view()[i];
    CHECK(first->residual.view()[i] == left_out);
    if (i >= first_range) {
      CHECK(left_out == 0);
      CHECK(second->values.view()[i] == values.view()[i]);
    }
  }
}

TEST_CASE("a pull waits until a push has reached every holder", "[shards][L5]") {
  RemoteStage stage{2};
  auto pulls = stage.remote(0), pushes = stage.remote(1);
  pushes.far[1]->deliveries
    = [](const std::string& message) { return Delivery{.late = message == "Exchange" ? 0.7 : 0}; };
  auto one = stage.client(pulls, 0), two = stage.client(pushes, 1);
  one.join();
  two.join();
  one.create(1);
  const Pending<Parameters> pushed{stage.world, pushes.handle,
                                   Exchange{adding_push(two, constant(4))}};
  stage.world.run();
  const Pending<Parameters> pulled{stage.world, pulls.handle, Pull{0}};
  stage.pass(500ms);
  CHECK_FALSE(pulled.answered());
  stage.pass(1s);
  REQUIRE(pulled.answered());
  CHECK(pulled->values == constant(5));
  CHECK(stage.logged("different versions") == 0);
}

TEST_CASE(
  "if a push never reaches one of the holders, each range is of one version, and people are "
  "told once",
  "[shards][L5]") {
  RemoteStage stage{2};
  auto pulls = stage.remote(0), pushes = stage.remote(1);
  pushes.far[1]->deliveries
    = [](const std::string& message) { return Delivery{.arrives = message != "Exchange"}; };
  auto one = stage.client(pulls, 0), two = stage.client(pushes, 1);
  one.join();
  two.join();
  one.create(1);
  const Pending<Parameters> pushed{stage.world, pushes.handle,
                                   Exchange{adding_push(two, constant(4))}};
  stage.world.run();
  stage.world.self->send(pushes.handle, Leave{1}); // its process has ended
  const Pending<Parameters> pulled{stage.world, pulls.handle, Pull{0}};
  stage.pass(4s);
  REQUIRE(pulled.answered());
  CHECK(each_range_is_even(pulled->values));
  CHECK(pulled->values.view().front() == 5);
  CHECK(pulled->values.view().back() == 1);
  CHECK(stage.logged("different versions") == 1);
  const auto again = one.ask<Parameters>(Pull{0}); // it is known by now
  REQUIRE(again);
  CHECK(again->values == pulled->values);
  CHECK(stage.logged("different versions") == 1);
}

TEST_CASE("without rounds a pull is of one version over all holders, however late pushes are",
          "[shards][L5][L9]") {
  std::mt19937 random{GENERATE(range(1u, 11u))};
  RemoteStage stage{2};
  auto pulls = stage.remote(0);
  std::vector<RemoteStage::Remote> remotes;
  std::vector<HolderClient<DeterministicSystem>> clients;
  stage.client(pulls, 0).join();
  stage.client(pulls, 0).create(0);
  for (WorkerId worker = 1; worker < 4; ++worker) {
    remotes.push_back(stage.remote(worker));
    clients.push_back(stage.client(remotes.back(), worker));
    clients.back().join();
    for (auto& far : remotes.back().far)
      far->deliveries = [&](const std::string& message) {
        return Delivery{.late = message == "Exchange" ? static_cast<double>(random() % 5) / 10 : 0};
      };
  }
  std::vector<Pending<Parameters>> pulled;
  for (auto step = 0; step < 30; ++step) {
    const auto who = random() % clients.size();
    const Pending<Parameters> pushed{stage.world, remotes[who].handle,
                                     Exchange{adding_push(clients[who], constant(1))}};
    pulled.emplace_back(stage.world, pulls.handle, Pull{0});
    stage.pass(1s);
    REQUIRE(pushed.answered());
    CHECK(each_range_is_even(pushed->values));
  }
  for (const auto& one : pulled) {
    REQUIRE(one.answered());
    CHECK(even(one->values.view()));
  }
  CHECK(stage.logged("different versions") == 0);
  const auto last = stage.client(pulls, 0).ask<Parameters>(Pull{0});
  REQUIRE(last);
  CHECK(last->values == constant(30));
}

TEST_CASE("after a push of a part that one holder keeps, none waits for the others",
          "[shards][L5]") {
  RemoteStage stage{2};
  auto pulls = stage.remote(0), pushes = stage.remote(1);
  auto one = stage.client(pulls, 0), two = stage.client(pushes, 1);
  one.join();
  two.join();
  one.create(1);
  const Selection b{"b", {}, {}}; // after the cut
  REQUIRE(two.ask<Applied>(two.next_part({0, 1}, b, block_of({5, 6, 7, 8}))));
  const Pending<Parameters> pulled{stage.world, pulls.handle, Pull{0}};
  REQUIRE(pulled.answered());
  CHECK(pulled->values.view().front() == 1);
  CHECK(pulled->values.view().back() == 8);
  CHECK(stage.logged("different versions") == 0);
}

namespace {

/// Three workers that sync in rounds over two holders, of which the second is unreachable for
/// longer than a push waits, but not long enough to be lost.
struct RoundsOverTwo {
  RoundsOverTwo() {
    for (WorkerId worker = 0; worker < 3; ++worker) {
      RemoteHolderOptions options;
      options.worker = worker;
      options.logger = stage.logger();
      options.lease = 20;
      remotes.push_back(stage.remote(options));
      clients.push_back(stage.client(remotes.back(), worker));
    }
    for (auto& client : clients)
      client.join();
    clients.front().create(0);
  }

  Pending<Parameters> push(WorkerId worker, float value) {
    return {stage.world, remotes[worker].handle,
            Exchange{clients[worker].next_push_in_round({0, 1}, constant(value))}};
  }
  /// Loses what is in flight to the second holder, and the connection.
  void lose_connection(WorkerId worker) { stage.cut(remotes[worker], 1); }
  void swallow_pushes(WorkerId worker) {
    remotes[worker].far[1]->deliveries
      = [](const std::string& message) { return Delivery{.arrives = message != "Exchange"}; };
  }
  void mend_connection(WorkerId worker) {
    remotes[worker].far[1]->deliveries = [](const std::string&) { return Delivery{}; };
    stage.mend(remotes[worker], 1);
    stage.pass(4s);
  }

  RemoteStage stage{2};
  std::vector<RemoteStage::Remote> remotes;
  std::vector<HolderClient<DeterministicSystem>> clients;
};

} // namespace

TEST_CASE(
  "a late push to one of several holders is delivered, so that rounds stay the same over all",
  "[shards][L8][R8]") {
  RoundsOverTwo run;
  run.swallow_pushes(0);
  const auto late = run.push(0, 1), second = run.push(1, 2), third = run.push(2, 6);
  run.stage.pass(1s);
  run.lose_connection(0);
  run.stage.pass(3s);
  CHECK(late.error() == Error::unavailable); // the worker continues
  CHECK_FALSE((second.ended() || third.ended()));
  run.mend_connection(0);
  REQUIRE((second.answered() && third.answered()));
  CHECK(second->values == constant(3));
  const auto next = run.push(0, 4), to = run.push(1, 5), it = run.push(2, 9);
  run.stage.pass(1s);
  REQUIRE((next.answered() && to.answered() && it.answered()));
  CHECK(next->values == constant(6));
  CHECK(to->values == constant(6));
}

TEST_CASE("a push waits behind one that another round still waits for", "[shards][L8][R8]") {
  RoundsOverTwo run;
  run.swallow_pushes(0);
  run.swallow_pushes(2);
  const auto late = run.push(0, 1), second = run.push(1, 2), later = run.push(2, 6);
  run.stage.pass(1s);
  run.lose_connection(0);
  run.lose_connection(2);
  run.stage.pass(3s);
  REQUIRE((late.error() && later.error()));
  run.mend_connection(0); // while the second holder's first round lacks a push of worker 2
  const auto next = run.push(0, 4);
  run.stage.pass(1s);
  CHECK_FALSE((second.ended() || next.ended()));
  run.mend_connection(2);
  REQUIRE(second.answered());
  CHECK(second->values == constant(3));
  const auto to = run.push(1, 5), it = run.push(2, 9);
  run.stage.pass(1s);
  REQUIRE((next.answered() && to.answered() && it.answered()));
  for (const auto* answer : {&next, &to, &it})
    CHECK((*answer)->values == constant(6));
}
