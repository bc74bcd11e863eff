#include "apps/block_transfer/block_listener.hpp"

#include "apps/block_transfer/block_message.hpp"
#include "apps/block_transfer/block_service.hpp"
#include "apps/transport/local_socket.hpp"
#include "apps/transport/tcp_connection.hpp"
#include "base/failure.hpp"
#include "base/same_secret.hpp"
#include "messages/control/control.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <unistd.h>

#include <random>

namespace troupe {

namespace {

constexpr double hello_deadline = 5;          // seconds between two bytes of a peer's first message
constexpr double request_piece_deadline = 30; // seconds without progress within a message

/// An unguessable name within this machine.
std::string new_local_name() {
  std::random_device random;
  auto name = "troupe-" + std::to_string(getpid());
  for (auto i = 0; i < 4; ++i)
    name += "-" + std::to_string(random());
  return name;
}

/// Why a peer is refused, with the cure; "" if it is accepted. A holder without a secret asks for
/// none, as in its introduction.
std::string why_refused(const BlockRequest& request, const std::string& cluster) {
  const auto* hello = std::get_if<BlockHello>(&request.call);
  if (!hello)
    return "a peer asked for blocks before it introduced itself; only workers may connect here";
  if (hello->protocol != protocol_version)
    return "a worker speaks parameter protocol " + std::to_string(hello->protocol)
           + ", this holder " + std::to_string(protocol_version)
           + "; use the same version of Troupe on all nodes";
  if (!cluster.empty() && !same_secret(hello->cluster, cluster))
    return "a worker belongs to another cluster: its token is not this holder's; give all nodes "
           "the "
           "same TROUPE_TOKEN";
  return "";
}

} // namespace

BlockListener::BlockListener(caf::actor_system& system, ParameterHolder holder,
                             const std::string& host, const Trust& trust, std::string cluster)
  : system_(system),
    holder_(std::move(holder)),
    cluster_(std::move(cluster)),
    local_name_(new_local_name()) {
  listener_.emplace("the parameter holder's block port", sockets(host, trust),
                    [this](AcceptedConnection accepted) { take(std::move(accepted)); });
  make_large_segments_shareable();
  caf::anon_send(holder_, UseBlockPort{port_, local_name_});
}

BlockListener::~BlockListener() {
  listener_.reset();
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
    for (auto& connection : connections_)
      if (connection.socket)
        connection.socket->shut();
  }
  for (auto& connection : connections_)
    connection.thread.join();
}

std::vector<Listener::Socket> BlockListener::sockets(const std::string& host, const Trust& trust) {
  std::vector<Listener::Socket> sockets(2);
  try {
    sockets[0].descriptor = Descriptor{listen_tcp({host, 0})};
  } catch (const IoError& e) {
    throw IoError("the parameter holder cannot listen for blocks on '" + host + "': " + e.what());
  }
  sockets[0].trust = trust;
  port_ = local_port_of(sockets[0].descriptor.get());
  sockets[1].descriptor = Descriptor{listen_locally(local_name_)};
  sockets[1].local = true;
  return sockets;
}

void BlockListener::take(AcceptedConnection accepted) {
  const std::lock_guard lock{mutex_};
  join_ended();
  auto& connection = connections_.emplace_back();
  try {
    connection.socket = std::make_shared<BlockSocket>(std::move(accepted));
    connection.thread = std::thread{[this, &connection, socket = connection.socket] {
      serve(*socket);
      const std::lock_guard over{mutex_};
      connection.socket.reset();
      connection.over = true;
    }};
  } catch (...) {
    connections_.pop_back();
    throw;
  }
}

/// @pre the lock is held
void BlockListener::join_ended() {
  connections_.remove_if([](Connection& connection) {
    if (connection.over)
      connection.thread.join();
    return connection.over;
  });
}

void BlockListener::serve(BlockSocket& socket) {
  auto admitted = false;
  try {
    socket.set_deadline(hello_deadline);
    BlockRequest hello;
    read_head(system_, socket, hello);
    BlockReply reply;
    if (auto why = why_refused(hello, cluster_); !why.empty()) {
      reply.error = static_cast<std::uint8_t>(Error::invalid_options);
      reply.sentence = std::move(why);
      write_message(system_, socket, reply, {});
      throw IoError(reply.sentence);
    }
    socket.admit();
    admitted = true;
    write_message(system_, socket, reply, {});
    socket.use_records();
    socket.set_deadline(request_piece_deadline);
    BlockService{system_, holder_, socket}.serve();
  } catch (const std::exception& e) {
    // The end of an admitted peer is reported by its lease; that of any other peer, here.
    const std::lock_guard lock{mutex_};
    if (!ending_ && !admitted)
      socket.refuse(e.what());
  }
}

} // namespace troupe
