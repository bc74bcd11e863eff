#include "messages/parameters/sharded_request.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

/// 32 parameters, split into two ranges of 16.
ShardMap two_shards() {
  Layout layout;
  layout.add("w", {32});
  return {layout, 2};
}

std::optional<ShardRequest> part_of(const ShardedRequest& request, std::size_t shard) {
  return request.for_shard(shard, two_shards(), 3, 70 + shard);
}

template <class Message>
Message part_as(const ShardedRequest& request, std::size_t shard) {
  const auto part = part_of(request, shard);
  REQUIRE(part);
  REQUIRE(std::holds_alternative<Message>(*part));
  return std::get<Message>(*part);
}

Parameters answered(bool created) {
  Parameters answer;
  answer.created = created;
  return answer;
}

Push push_with(Index size) {
  Push push;
  push.id = {3, 1, 5};
  push.values = Block{size};
  return push;
}

} // namespace

TEST_CASE("a pull goes to all shards", "[sharded_request]") {
  RequestsInFlight requests{2};
  const auto& pull = requests.add(PullAll{}, 0);
  CHECK(part_as<Pull>(pull, 0).worker == 3);
  CHECK(part_as<Pull>(pull, 1).worker == 3);
}

TEST_CASE("an exchange sends each shard its range and the incarnation there", "[sharded_request]") {
  RequestsInFlight requests{2};
  const auto& exchange = requests.add(ExchangeAll{push_with(32)}, 0);
  for (std::size_t shard = 0; shard < 2; ++shard) {
    const auto push = part_as<Exchange>(exchange, shard).push;
    CHECK(push.values.size() == 16);
    CHECK(push.id.incarnation == 70 + shard);
    CHECK(push.id.number == 5);
    CHECK(push.residual.empty());
  }
}

TEST_CASE("an exchange tells each shard what the worker has received of its range",
          "[sharded_request]") {
  RequestsInFlight requests{2};
  auto push = push_with(32);
  push.received = Block{32};
  push.received.edit()[16] = 3;
  const auto& exchange = requests.add(ExchangeAll{push}, 0);
  CHECK(part_as<Exchange>(exchange, 0).push.received == Block{16});
  CHECK(part_as<Exchange>(exchange, 1).push.received.view()[0] == 3);
}

TEST_CASE("shard 0 decides whose values are created, and the others follow", "[sharded_request]") {
  RequestsInFlight requests{2};
  auto& create = requests.add(CreateAll{Block{32}, true}, 0);
  CHECK(part_as<CreateIfAbsent>(create, 0).main_first);
  CHECK_FALSE(part_of(create, 1)); // shard 0 has to answer first
  create.answers[0] = answered(true);
  CHECK_FALSE(part_as<CreateIfAbsent>(create, 1).main_first);
  create.answers[0] = answered(false);
  part_as<Pull>(create, 1); // another worker creates
  create.tries = ShardedRequest::most_tries;
  part_as<CreateIfAbsent>(create, 1); // no other worker creates
}

TEST_CASE("shard 0 is asked for a newer version, and then the others for theirs",
          "[sharded_request]") {
  RequestsInFlight requests{2};
  auto& await = requests.add(AwaitAll{8}, 0);
  CHECK(part_as<Await>(await, 0).after == 8);
  CHECK_FALSE(part_of(await, 1));
  await.answers[0] = Parameters{};
  part_as<Pull>(await, 1);
  await.ask_again(); // their versions differ; the awaited one exists
  CHECK_FALSE(await.awaits());
  part_as<Pull>(await, 0);
}

TEST_CASE("a request is due until it is sent, and again if its connection is lost",
          "[sharded_request]") {
  RequestsInFlight requests{2};
  auto& pull = requests.add(PullAll{}, 0);
  CHECK(requests.is_due(pull, 0));
  pull.sent[0] = pull.sent[1] = true;
  CHECK_FALSE(requests.is_due(pull, 0));
  pull.answers[0] = Parameters{};
  requests.lose(0);
  requests.lose(1);
  CHECK_FALSE(requests.is_due(pull, 0)); // that shard has answered
  CHECK(requests.is_due(pull, 1));
}

TEST_CASE("a push waits for an earlier one that was given up", "[sharded_request]") {
  RequestsInFlight requests{2};
  auto& earlier = requests.add(ExchangeAll{push_with(32)}, 0);
  auto& later = requests.add(ExchangeAll{push_with(32)}, 1);
  const auto& pull = requests.add(PullAll{}, 1);
  CHECK(requests.is_due(later, 0)); // the holder knows their order from their numbers
  earlier.given_up = true;
  earlier.answers[0] = Parameters{};
  CHECK(requests.is_due(later, 0));
  CHECK_FALSE(requests.is_due(later, 1));
  CHECK(requests.is_due(pull, 1));
  requests.erase(earlier);
  CHECK(requests.is_due(later, 1));
}

TEST_CASE("a worker declared lost gets the present parameters for its push", "[sharded_request]") {
  RequestsInFlight requests{2};
  auto& exchange = requests.add(ExchangeAll{push_with(32)}, 0);
  auto& given_up = requests.add(ExchangeAll{push_with(32)}, 0);
  const auto& pull = requests.add(PullAll{}, 0);
  given_up.given_up = true;
  exchange.sent[0] = true;
  const auto ticket = exchange.ticket, id = exchange.id, ticket_of_pull = pull.ticket;
  requests.rejoin();
  CHECK(requests.all().size() == 2);
  CHECK(exchange.refetches());
  CHECK(exchange.id == id);
  CHECK(requests.find(ticket) == nullptr); // answers to earlier requests are void
  CHECK(requests.is_due(exchange, 0));
  part_as<Pull>(exchange, 0);
  CHECK(requests.find(ticket_of_pull) == &pull);
}
