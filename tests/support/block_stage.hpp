// A holder with its listener for blocks, and workers that connect to it over real sockets.
#pragma once

#include "actors/parameters/parameter_holder.hpp"
#include "apps/block_transfer/block_channel.hpp"
#include "apps/block_transfer/block_listener.hpp"
#include "apps/block_transfer/block_message.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/trust.hpp"
#include "base/exit_codes.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"
#include "tests/support/program.hpp"

#include <arpa/inet.h>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <random>

namespace troupe::test {

/// The trust of a node with a new authority in this folder.
inline Trust trust_of_node(const std::filesystem::path& folder) {
  make_authority(folder);
  return make_identity(folder, "node");
}

class BlockStage {
  NodeSystemConfig config_{2};

public:
  explicit BlockStage(Trust trust = {}, std::string cluster = "secret")
    : listener{std::in_place, system, holder, "127.0.0.1", trust, cluster} {}
  ~BlockStage() { end_holder(); }

  caf::actor_system system{config_};
  ParameterHolder holder = spawn_parameter_holder(system);
  std::optional<BlockListener> listener;

  void end_holder() { caf::anon_send_exit(holder, caf::exit_reason::user_shutdown); }

  /// @param local through shared memory, as workers on the same machine do
  std::shared_ptr<BlockSocket> open(const Trust& trust = {}, bool local = false,
                                    const std::string& cluster = "secret") {
    const auto name = local ? ask<HolderStatus>(holder, GetHolderStatus{})->block_name : "";
    return open_block_socket(system, {"127.0.0.1", listener->port()}, name, trust, cluster, 5);
  }
  BlockHolder channel(const WireOptions& wire = {}, const Trust& trust = {}, bool local = false) {
    return spawn_block_channel(system, open(trust, local), {0, wire});
  }

  template <class Answer, class Actor, class Request>
  caf::expected<Answer> ask(const Actor& actor, const Request& request) {
    caf::expected<Answer> result{caf::error{}};
    caf::scoped_actor self{system};
    self->request(actor, std::chrono::seconds{20}, request)
      .receive([&](Answer& answer) { result = std::move(answer); },
               [&](caf::error& error) { result = std::move(error); });
    return result;
  }

  void join(WorkerId worker, Index size, bool is_reader = false) {
    Join join;
    join.worker = worker;
    join.is_reader = is_reader;
    if (size > 0) // a shard of a small model may be empty
      join.layout.add("w", {size});
    REQUIRE(ask<Joined>(holder, join));
  }

  /// Joins as worker 0 and creates.
  void create(const BlockHolder& through, const Block& values) {
    join(0, values.size());
    REQUIRE(ask<Parameters>(through, CreateIfAbsent{0, values}));
  }

  /// Whether a well-behaved worker is served: it gets the holder's answer, or its refusal.
  bool serves(const Trust& trust = {}) {
    const auto answered = ask<Parameters>(channel({}, trust), CreateIfAbsent{0, Block{}});
    return answered.engaged() || answered.error() == Error::not_joined
           || answered.error() == Error::shape_mismatch;
  }
};

/// Exchange number `number` of worker 0 in its first incarnation.
inline Exchange exchange_of(std::uint64_t number, Block values, UpdateRule rule) {
  Exchange exchange;
  exchange.push.id = {0, 1, number};
  exchange.push.rule = rule;
  exchange.push.values = std::move(values);
  return exchange;
}

inline UpdateRule replacing() {
  UpdateRule rule;
  rule.settings = {{"alpha", 0.0f}, {"beta", 1.0f}};
  return rule;
}

inline Block random_block(Index size, unsigned seed) {
  std::mt19937 random{seed};
  std::normal_distribution<float> normal;
  auto block = Block::uninitialized(size);
  for (auto& value : block.edit())
    value = normal(random);
  return block;
}

/// A connection of a peer that may send anything.
class Stranger {
public:
  explicit Stranger(std::uint16_t port) : descriptor_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  ~Stranger() { close(descriptor_); }

  int descriptor() const { return descriptor_; }
  void send(const std::string& bytes) const {
    ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  /// Waits until the other side hangs up. @returns the number of bytes before that.
  std::size_t read_to_end() const {
    std::size_t count = 0;
    char byte = 0;
    while (recv(descriptor_, &byte, 1, 0) == 1)
      ++count;
    return count;
  }

private:
  int descriptor_;
};

} // namespace troupe::test
