#include "actors/parameters/parameter_holder.hpp"
#include "actors/parameters/simulated_connector.hpp"
#include "messages/requests/error.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/holder_checks.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

/// A worker (node 0) and two holders (nodes 1 and 2), 1 s apart.
struct ConnectorStage {
  DeterministicSystem world;
  std::vector<ParameterHolder> holders{world.keep(spawn_parameter_holder(world.system)),
                                       world.keep(spawn_parameter_holder(world.system))};
  std::vector<Transit> transits;
  Connector connector;

  explicit ConnectorStage(const std::vector<Outage>& outages = {}, const WireOptions& wire = {}) {
    SimulatedConnectorOptions options;
    options.network = std::make_shared<SimulatedNetwork>(
      SimulatedNetworkOptions{.latency = 1, .bandwidth = 1e9}, 3, outages, RandomKey{1});
    options.holders = holders;
    options.first_holder = 1;
    options.wire = wire;
    options.note = [this](const Transit& transit) { transits.push_back(transit); };
    connector = world.keep(spawn_simulated_connector(world.system, options));
  }

  caf::expected<ShardRoute> connect(std::uint64_t shard = 0) {
    return world.ask<ShardRoute>(connector, ConnectShard{shard});
  }
  /// The answer after the latency of both directions.
  template <class Answer, class Actor, class Request>
  Answer after_2_s(const Actor& actor, const Request& request) {
    Pending<Answer> pending{world, actor, request};
    world.pass(2s, 500ms);
    REQUIRE(pending.answered());
    return *pending;
  }
  /// Joins as worker 0, and creates zeros.
  ShardRoute joined() {
    const auto route = *connect();
    after_2_s<Joined>(route.control, join_of(0, holder_layout()));
    after_2_s<Parameters>(route.blocks, CreateIfAbsent{0, constant(0)});
    return route;
  }
};

Push first_push(float value) {
  Push push;
  push.id = {0, 1, 1};
  push.rule.name = "downpour";
  push.values = constant(value);
  return push;
}

} // namespace

TEST_CASE("a message and its answer each take the latency, and are reported with their bytes",
          "[L8]") {
  ConnectorStage stage;
  const auto route = *stage.connect(1);
  Pending<HolderStatus> status{stage.world, route.control, GetHolderStatus{}};
  stage.world.pass(1900ms, 100ms);
  CHECK_FALSE(status.answered());
  stage.world.pass(100ms, 100ms);
  CHECK(status.answered());
  REQUIRE(stage.transits.size() == 2);
  CHECK(stage.transits[0].from == 0);
  CHECK(stage.transits[0].to == 2);
  CHECK(stage.transits[0].message == "GetHolderStatus");
  CHECK(stage.transits[1].message == "answer GetHolderStatus");
  CHECK(*stage.transits[1].arrives - stage.transits[0].sent == Approx(2));
}

TEST_CASE("blocks arrive complete, and count by their floats", "[L8]") {
  ConnectorStage stage;
  const auto route = stage.joined();
  const auto answer = stage.after_2_s<Parameters>(route.blocks, Exchange{first_push(1.001F)});
  CHECK(answer.values.view()[0] == 1.001F);
  CHECK(answer.residual.empty());
  const auto floats = static_cast<std::size_t>(holder_layout().size()) * sizeof(float);
  CHECK(stage.transits.back().bytes > floats);
  CHECK(stage.transits.back().bytes < floats + 1000);
}

TEST_CASE("a wire format keeps the same residual of a push as on a real connection", "[L8]") {
  ConnectorStage stage{{}, {.format = WireFormat::bfloat16}};
  const auto route = stage.joined();
  const auto answer = stage.after_2_s<Parameters>(route.blocks, Exchange{first_push(1.001F)});
  CHECK(answer.values.view()[0] == 1.0F);
  REQUIRE(answer.residual.size() == holder_layout().size());
  CHECK(answer.residual.view()[0] == Approx(0.001).epsilon(0.001));
}

TEST_CASE("an answer to a worker that has received one is an encoded difference", "[L8]") {
  ConnectorStage stage{{}, {.format = WireFormat::top_k, .keep = 0.01}};
  const auto route = stage.joined();
  auto push = first_push(1);
  const auto whole = stage.after_2_s<Parameters>(route.blocks, Exchange{push});
  const auto bytes = stage.transits.back().bytes;
  push.id.number = 2;
  push.received = whole.values;
  push.residual = whole.residual;
  const auto answer = stage.after_2_s<Parameters>(route.blocks, Exchange{push});
  const auto floats = static_cast<std::size_t>(holder_layout().size()) * sizeof(float);
  CHECK(bytes - stage.transits.back().bytes >= floats - 16); // one element is left
  const auto held = stage.world.ask<Parameters>(stage.holders[0], Pull{0})->values;
  std::size_t moved = 0;
  for (std::size_t i = 0; i < held.view().size(); ++i) {
    moved += answer.values.view()[i] != whole.values.view()[i];
    CHECK((answer.values.view()[i] == whole.values.view()[i]
           || answer.values.view()[i] == held.view()[i]));
  }
  CHECK(moved == 1);
}

TEST_CASE("the last push keeps nothing back", "[L8]") {
  ConnectorStage stage{{}, {.format = WireFormat::bfloat16}};
  const auto route = stage.joined();
  auto push = first_push(1);
  push.last = true;
  push.residual = constant(0.001F);
  const auto answer = stage.after_2_s<Parameters>(route.blocks, Exchange{push});
  CHECK(answer.values.view()[0] == 1.001F);
}

TEST_CASE("an outage ends the connection and its messages; after it a new one is opened", "[R8]") {
  // The clock of the actor system does not begin at 0.
  const auto began = DeterministicSystem{}.now();
  ConnectorStage stage{{{0, began + 10, began + 20}}};
  const auto route = *stage.connect();
  auto ended = std::make_shared<bool>(false);
  stage.world.spawn([=](caf::event_based_actor* self) -> caf::behavior {
    self->monitor(route.control);
    self->set_down_handler([=](const caf::down_msg&) { *ended = true; });
    return {[](int) {}};
  });
  stage.world.pass(9500ms, 100ms);
  CHECK_FALSE(*ended);
  Pending<HolderStatus> lost{stage.world, route.control, GetHolderStatus{}};
  stage.world.pass(5s, 100ms);
  CHECK(*ended);
  CHECK_FALSE(lost.answered());
  CHECK_FALSE(stage.connect());
  stage.world.pass(6s, 100ms);
  const auto again = stage.connect();
  REQUIRE(again);
  stage.after_2_s<HolderStatus>(again->control, GetHolderStatus{});
}

TEST_CASE("a connection does not end before its outage begins, despite rounding", "[R8]") {
  const auto began = DeterministicSystem{}.now();
  for (auto i = 1; i <= 100; ++i) {
    const auto from = began + i / 100.0;
    ConnectorStage stage{{{0, from, from + 5}}};
    const auto route = *stage.connect();
    auto ended = std::make_shared<double>(0);
    stage.world.spawn([=, &stage](caf::event_based_actor* self) -> caf::behavior {
      self->monitor(route.control);
      self->set_down_handler([=, &stage](const caf::down_msg&) { *ended = stage.world.now(); });
      return {[](int) {}};
    });
    stage.world.wait();
    INFO(i);
    CHECK(*ended >= from);
    CHECK_FALSE(stage.connect());
  }
}

TEST_CASE("a connection to an unknown holder is refused", "[L8]") {
  ConnectorStage stage;
  const auto route = stage.connect(2);
  REQUIRE_FALSE(route);
  CHECK(route.error() == Error::unknown_name);
}
