#include "actors/parameters/parameter_holder.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/holder_checks.hpp"

#include <algorithm>
#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

struct Held {
  DeterministicSystem world;
  ParameterHolder holder = world.keep(spawn_parameter_holder(world.system));

  HolderClient<DeterministicSystem> client(WorkerId worker = 0) { return {world, holder, worker}; }
};

} // namespace

TEST_CASE("a holder applies S = alpha S + beta W", "[L1]") {
  Held held;
  check_update_rule(held.world, held.holder);
}

TEST_CASE("a holder changes the selected elements only", "[L5][L6]") {
  Held held;
  check_partial_update(held.world, held.holder);
}

TEST_CASE("a holder answers invalid requests with an error and continues", "[L3][L4][L12]") {
  Held held;
  check_refusals(held.world, held.holder);
}

TEST_CASE("a push that is sent twice is applied once", "[L4]") {
  Held held;
  check_repeated_push(held.world, held.holder);
}

TEST_CASE("a worker may leave and come back", "[L9]") {
  Held held;
  check_return_of_a_worker(held.world, held.holder);
}

TEST_CASE("the holder's suite runs against any handle", "[L8]") {
  DeterministicSystem world;
  check_holder(world, [&] { return world.keep(spawn_parameter_holder(world.system)); });
}

TEST_CASE("of many concurrent creators, all get the values of one", "[L2]") {
  Held held;
  std::vector<WorkerId> order{0, 1, 2, 3, 4, 5, 6, 7};
  std::mt19937 random{GENERATE(1u, 2u, 3u)};
  std::shuffle(order.begin(), order.end(), random);
  std::vector<Pending<Parameters>> settled;
  for (auto worker : order)
    held.client(worker).join();
  for (auto worker : order)
    settled.emplace_back(held.world, held.holder,
                         CreateIfAbsent{worker, constant(static_cast<float>(worker))});
  held.world.run();
  for (const auto& parameters : settled) {
    REQUIRE(parameters.answered());
    CHECK(parameters->values == settled.front()->values);
  }
  const auto value = settled.front()->values.view()[0];
  CHECK(settled.front()->values == constant(value));
  CHECK(held.client().pull().values == constant(value));
}

TEST_CASE("a worker that joins after pushes gets the current values, not the first ones", "[L2]") {
  Held held;
  auto first = held.client(0);
  first.join();
  first.create(1);
  REQUIRE(first.ask<Applied>(first.next_push({0, 1}, constant(8))));
  auto late = held.client(1);
  late.join();
  CHECK(late.create(2) == constant(8));
}

TEST_CASE("values that a worker pulled never change", "[L3]") {
  Held held;
  auto client = held.client();
  client.join();
  client.create(1);
  const auto pulled = client.pull();
  REQUIRE(client.ask<Applied>(client.next_push({0, 1}, constant(2))));
  REQUIRE(client.ask<Applied>(client.next_part({0, 1}, {"b", {}, {}}, block_of({3, 3, 3, 3}))));
  CHECK(pulled.values == constant(1));
  CHECK(pulled.version == 0);
}

TEST_CASE("every push of many workers is applied exactly once", "[L1][L4]") {
  Held held;
  constexpr WorkerId workers = 4;
  constexpr auto pushes = 25;
  std::vector<HolderClient<DeterministicSystem>> clients;
  for (WorkerId worker = 0; worker < workers; ++worker) {
    clients.push_back(held.client(worker));
    clients.back().join();
  }
  clients.front().create(0);
  std::mt19937 random{5};
  for (auto i = 0; i < pushes; ++i)
    for (auto& client : clients) {
      const auto push = client.next_push({1, 1}, constant(1));
      for (auto repeat = random() % 3 + 1; repeat > 0; --repeat)
        held.world.self->send(held.holder, push);
    }
  held.world.run();
  CHECK(clients.front().pull().values == constant(workers * pushes));
  const auto status = clients.front().ask<HolderStatus>(GetHolderStatus{});
  REQUIRE(status);
  CHECK(status->pushes == workers * pushes);
  CHECK(status->workers == std::vector<WorkerId>{0, 1, 2, 3});
}

TEST_CASE("an exchange is answered with the values including its push, and its staleness",
          "[L10]") {
  Held held;
  auto one = held.client(0), two = held.client(1);
  one.join();
  two.join();
  one.create(0);
  REQUIRE(one.ask<Applied>(one.next_push({1, 1}, constant(2))));
  const auto exchanged = two.ask<Parameters>(Exchange{two.next_push({0.5f, 0.5f}, constant(4))});
  REQUIRE(exchanged);
  CHECK(exchanged->values == constant(3));
  CHECK(exchanged->version == 2);
  CHECK(exchanged->staleness == 1); // it was based on version 0 and applied to version 1
}

TEST_CASE("a worker that leaves is no longer listed", "[L9]") {
  Held held;
  auto client = held.client(3);
  client.join();
  held.world.self->send(held.holder, Leave{3});
  held.world.self->send(held.holder, Leave{4}); // never joined
  const auto status = client.ask<HolderStatus>(GetHolderStatus{});
  REQUIRE(status);
  CHECK(status->workers.empty());
}
