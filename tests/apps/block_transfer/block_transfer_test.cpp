#include "tests/support/block_stage.hpp"

#include <cmath>
#include <cstring>
#include <thread>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Arbitrary bits, including NaN and infinity.
Block any_bits(Index size) {
  std::mt19937 random{9};
  auto block = Block::uninitialized(size);
  for (auto& value : block.edit()) {
    const auto bits = static_cast<std::uint32_t>(random());
    std::memcpy(&value, &bits, sizeof value);
  }
  return block;
}

UpdateRule adding() {
  UpdateRule rule;
  rule.name = "downpour";
  return rule;
}

} // namespace

TEST_CASE("blocks of any size arrive bit by bit, over TCP, TLS and within one machine", "[L8]") {
  const auto size = GENERATE(Index{0}, Index{1}, Index{17}, Index{1'000'000});
  const auto [secured, local]
    = GENERATE(std::pair{false, false}, std::pair{true, false}, std::pair{false, true});
  WorkFolder work;
  const auto trust = secured ? trust_of_node(work.path()) : Trust{};
  BlockStage stage{trust};
  const auto channel = stage.channel({}, trust, local);
  const auto bits = any_bits(size);
  stage.create(channel, bits);
  CHECK(stage.ask<Parameters>(stage.holder, Pull{0})->values == bits);
  CHECK(stage.ask<Parameters>(channel, Pull{0})->values == bits);
  for (std::uint64_t number = 1; number <= 5; ++number) {
    const auto values = random_block(size, static_cast<unsigned>(number));
    const auto exchanged = stage.ask<Parameters>(channel, exchange_of(number, values, replacing()));
    REQUIRE(exchanged);
    CHECK(exchanged->values == (size == 0 ? Block{} : values));
    CHECK(exchanged->version == number);
    CHECK(stage.ask<Parameters>(stage.holder, Pull{0})->values == exchanged->values);
  }
}

TEST_CASE("a shorter format arrives within its error", "[L8]") {
  struct Case {
    WireFormat format;
    double relative, absolute;
  };
  const auto [format, relative, absolute]
    = GENERATE(Case{WireFormat::float32, 0, 0}, Case{WireFormat::bfloat16, 1.0 / 256, 0},
               Case{WireFormat::float16, 1.0 / 2048, 1e-7}, Case{WireFormat::int8, 0, 5.0 / 200},
               Case{WireFormat::int4, 0, 5.0 / 12});
  BlockStage stage;
  const auto channel = stage.channel({.format = format});
  const auto size = Index{5000};
  stage.create(channel, Block{size});
  const auto values = random_block(size, 1);
  REQUIRE(stage.ask<Parameters>(channel, exchange_of(1, values, replacing())));
  const auto arrived = stage.ask<Parameters>(stage.holder, Pull{0})->values;
  REQUIRE(arrived.size() == size);
  auto within = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
    const auto sent = static_cast<double>(values.view()[i]);
    within = within && std::abs(arrived.view()[i] - sent) <= relative * std::abs(sent) + absolute;
  }
  CHECK(within);
}

TEST_CASE("residuals are sent with later pushes, and all of them with the last", "[L8]") {
  const auto format
    = GENERATE(WireFormat::top_k, WireFormat::int8, WireFormat::int4, WireFormat::bfloat16);
  BlockStage stage;
  const auto channel = stage.channel({.format = format, .keep = 0.05});
  const auto size = std::size_t{400};
  stage.create(channel, Block{Index{size}});
  std::vector<double> sum(size, 0);
  Block residual;
  constexpr std::uint64_t pushes = 10;
  for (std::uint64_t number = 1; number <= pushes; ++number) {
    auto exchange
      = exchange_of(number, random_block(Index{size}, static_cast<unsigned>(number)), adding());
    exchange.push.last = number == pushes;
    exchange.push.residual = residual;
    for (std::size_t i = 0; i < size; ++i)
      sum[i] += static_cast<double>(exchange.push.values.view()[i]);
    const auto exchanged = stage.ask<Parameters>(channel, exchange);
    REQUIRE(exchanged);
    residual = exchanged->residual;
    CHECK(residual.empty() == exchange.push.last);
    const auto held = stage.ask<Parameters>(stage.holder, Pull{0})->values;
    if (format == WireFormat::top_k) {
      CHECK(exchanged->values == held); // whole parameters are not shortened
      CHECK(static_cast<std::size_t>(std::count(held.view().begin(), held.view().end(), 0.0f))
            >= (exchange.push.last ? 0 : size - 20 * number));
    }
    if (exchange.push.last)
      for (std::size_t i = 0; i < size; ++i)
        REQUIRE(held.view()[i] == Approx(sum[i]).margin(1e-4));
  }
}

TEST_CASE("a push repeated on another connection has the same residual", "[L8]") {
  BlockStage stage;
  const WireOptions wire{.format = WireFormat::top_k, .keep = 0.1};
  const auto first = stage.channel(wire);
  stage.create(first, Block{Index{100}});
  auto exchange = exchange_of(1, random_block(100, 1), adding());
  exchange.push.residual = random_block(100, 2);
  const auto answered = stage.ask<Parameters>(first, exchange);
  const auto repeated = stage.ask<Parameters>(stage.channel(wire), exchange);
  REQUIRE(answered);
  REQUIRE(repeated);
  CHECK(repeated->residual == answered->residual);
  CHECK(repeated->values == answered->values);
}

TEST_CASE("answers are differences to what the worker has received, and lose nothing", "[L8]") {
  const auto format = GENERATE(WireFormat::top_k, WireFormat::int8, WireFormat::int4);
  BlockStage stage;
  const auto channel = stage.channel({.format = format, .keep = 0.1});
  const auto size = Index{400};
  stage.create(channel, random_block(size, 9));
  stage.join(1, size);
  auto others = exchange_of(1, random_block(size, 1), adding());
  others.push.id.worker = 1;
  REQUIRE(stage.ask<Parameters>(stage.holder, others));

  Block received, residual;
  const auto exchange = [&](std::uint64_t number) {
    auto push = exchange_of(number, Block{size}, adding());
    push.push.residual = residual;
    push.push.received = received;
    const auto answer = stage.ask<Parameters>(channel, push);
    REQUIRE(answer);
    residual = answer->residual;
    received = answer->values;
    return stage.ask<Parameters>(stage.holder, Pull{0})->values;
  };
  CHECK(exchange(1) == received); // a worker that has received nothing yet gets all
  others.push.id.number = 2;
  REQUIRE(stage.ask<Parameters>(stage.holder, others));
  CHECK_FALSE(exchange(2) == received);
  Block held;
  for (std::uint64_t number = 3; number <= 13; ++number)
    held = exchange(number);
  for (std::size_t i = 0; i < held.view().size(); ++i)
    REQUIRE(received.view()[i] == Approx(held.view()[i]).margin(1e-4));
  auto last = exchange_of(14, Block{size}, adding());
  last.push.last = true;
  last.push.received = received;
  const auto exact = stage.ask<Parameters>(channel, last);
  REQUIRE(exact);
  CHECK(exact->values == stage.ask<Parameters>(stage.holder, Pull{0})->values);
}

TEST_CASE("a push repeated on another connection has the same answer, a difference, too", "[L8]") {
  BlockStage stage;
  const WireOptions wire{.format = WireFormat::top_k, .keep = 0.1};
  const auto first = stage.channel(wire);
  stage.create(first, Block{Index{100}});
  stage.join(1, 100);
  auto others = exchange_of(1, random_block(100, 2), adding());
  others.push.id.worker = 1;
  REQUIRE(stage.ask<Parameters>(stage.holder, others));
  auto exchange = exchange_of(1, random_block(100, 1), adding());
  exchange.push.received = Block{Index{100}};
  const auto answered = stage.ask<Parameters>(first, exchange);
  const auto repeated = stage.ask<Parameters>(stage.channel(wire), exchange);
  const auto late = stage.ask<Parameters>(first, exchange); // as if the first answer was lost
  REQUIRE(answered);
  REQUIRE(repeated);
  REQUIRE(late);
  CHECK_FALSE(answered->values == stage.ask<Parameters>(stage.holder, Pull{0})->values);
  CHECK(repeated->values == answered->values);
  CHECK(late->values == answered->values);
}

TEST_CASE("a holder's answers are the same through the listener, errors and sentences too",
          "[L12]") {
  BlockStage stage;
  const auto channel = stage.channel();
  const auto same = [&](const auto& request) {
    const auto near = stage.ask<Parameters>(stage.holder, request);
    const auto far = stage.ask<Parameters>(channel, request);
    REQUIRE_FALSE(near);
    REQUIRE_FALSE(far);
    CHECK(near.error() == far.error());
    CHECK(sentence(near.error()) == sentence(far.error()));
  };
  same(CreateIfAbsent{0, Block{3}});
  stage.join(0, 17);
  same(Pull{0});
  same(CreateIfAbsent{0, Block{3}});
  REQUIRE(stage.ask<Parameters>(channel, CreateIfAbsent{0, Block{17}}));
  same(exchange_of(1, Block{3}, {}));
  auto exchange = exchange_of(1, Block{17}, {});
  exchange.push.rule.name = "easgd";
  exchange.push.rule.settings["elasticity"] = 2;
  same(exchange);
  exchange = exchange_of(1, Block{17}, {});
  exchange.push.id.incarnation = 8;
  same(exchange);
  exchange.push.id.worker = 5;
  same(exchange);
  CHECK(stage.ask<Parameters>(channel, Pull{0})->values == Block{17});
}

TEST_CASE("two channels share a holder, and one that waits does not block the other", "[L8]") {
  const auto local = GENERATE(false, true);
  BlockStage stage;
  const auto one = stage.channel({}, {}, local), two = stage.channel({}, {}, local);
  const auto size = Index{100'000};
  stage.create(one, Block{size});
  caf::scoped_actor self{stage.system};
  auto awaited = self->request(two, std::chrono::seconds{20}, Await{1, 19});
  auto ones = Block{size};
  for (auto& value : ones.edit())
    value = 1;
  for (std::uint64_t number = 1; number <= 20; ++number)
    REQUIRE(stage.ask<Parameters>(one, exchange_of(number, ones, adding())));
  Parameters newest;
  awaited.receive([&](Parameters& answer) { newest = std::move(answer); },
                  [](const caf::error& error) { FAIL(sentence(error)); });
  CHECK(newest.version == 20);
  CHECK(newest.values.view().front() == 20);
  CHECK(newest.values.view().back() == 20);
}

TEST_CASE("a worker waits for the main worker's parameters through the listener, too",
          "[L8][T12]") {
  BlockStage stage;
  const auto channel = spawn_block_channel(stage.system, stage.open(), {1, {}});
  Join join;
  join.layout.add("w", {3});
  join.workers = 2;
  join.worker = 1;
  REQUIRE(stage.ask<Joined>(stage.holder, join));
  caf::scoped_actor self{stage.system};
  auto awaited
    = self->request(channel, std::chrono::seconds{20}, CreateIfAbsent{1, random_block(3, 1), true});
  std::this_thread::sleep_for(std::chrono::milliseconds{100}); // the main worker comes later
  join.worker = 0;
  REQUIRE(stage.ask<Joined>(stage.holder, join));
  const auto loaded = random_block(3, 2);
  REQUIRE(stage.ask<Parameters>(stage.holder, CreateIfAbsent{0, loaded, true}));
  awaited.receive([&](Parameters& answer) { CHECK(answer.values == loaded); },
                  [](const caf::error& error) { FAIL(sentence(error)); });
}

TEST_CASE("pulled blocks stay unchanged", "[L3]") {
  const auto local = GENERATE(false, true);
  BlockStage stage;
  const auto channel = stage.channel({}, {}, local);
  const auto size = Index{100'000};
  stage.create(channel, random_block(size, 0));
  std::vector<Block> pulled, copies;
  for (std::uint64_t number = 1; number <= 6; ++number) {
    pulled.push_back(stage.ask<Parameters>(channel, Pull{0})->values);
    copies.push_back(Block::copy_of(pulled.back().view()));
    auto values = random_block(size, static_cast<unsigned>(number));
    const auto kept = Block::copy_of(values.view());
    REQUIRE(stage.ask<Parameters>(channel, exchange_of(number, values, replacing())));
    values.edit()[0] = 99; // the worker changes its own copy
    CHECK(stage.ask<Parameters>(stage.holder, Pull{0})->values == kept);
  }
  for (std::size_t i = 0; i < pulled.size(); ++i)
    CHECK(pulled[i] == copies[i]);
}

TEST_CASE("a channel whose listener has ended answers 'unavailable' and ends", "[R7]") {
  const auto local = GENERATE(false, true);
  BlockStage stage;
  const auto channel = stage.channel({}, {}, local);
  stage.create(channel, Block{17});
  caf::scoped_actor self{stage.system};
  self->monitor(channel);
  auto awaited = self->request(channel, std::chrono::seconds{20}, Await{0, 7});
  std::this_thread::sleep_for(std::chrono::milliseconds{50}); // the request is at the listener
  stage.end_holder();
  stage.listener.reset();
  awaited.receive([](const Parameters&) { FAIL("there is no newer version"); },
                  [](const caf::error& error) { CHECK(error == Error::unavailable); });
  caf::anon_send(channel, Pull{0}); // an idle channel notices at its next request
  self->receive([](const caf::down_msg&) {});
}
