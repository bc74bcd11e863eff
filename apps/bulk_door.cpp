#include "troupe/apps/bulk_door.hpp"

#include "troupe/apps/bulk_message.hpp"
#include "troupe/apps/bulk_service.hpp"
#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/local_socket.hpp"
#include "troupe/messages/control.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/type_ids.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iostream>
#include <random>

namespace troupe {

namespace {

/// Seconds for a peer to show that it belongs here: between two of its bytes, and in all, so that
/// no stranger holds a connection by a byte now and then.
constexpr double hello_deadline = 5;
constexpr double request_piece_deadline
  = 30; // seconds for which a message that has begun may stand still
constexpr std::size_t most_connections = 1024;

void forget(int& descriptor) {
  if (descriptor >= 0)
    close(descriptor);
  descriptor = -1;
}

/// Why a peer is not let in, with the cure; "" where it is. As at the holder itself, a holder
/// without a secret asks for none.
std::string why_refused(const BulkRequest& hello, const std::string& cluster) {
  if (hello.kind != BulkKind::hello)
    return "a peer asked for blocks before it introduced itself; only workers may connect here";
  if (hello.protocol != protocol_version)
    return "a worker speaks parameter protocol " + std::to_string(hello.protocol) + ", this holder "
           + std::to_string(protocol_version) + "; use the same version of Troupe on all nodes";
  if (!cluster.empty() && !same_secret(hello.cluster, cluster))
    return "a worker is of another cluster: its token is not this holder's; give all nodes the "
           "same TROUPE_TOKEN";
  return "";
}

} // namespace

BulkDoor::BulkDoor(caf::actor_system& system, ParameterHolder holder, const std::string& host,
                   const Trust& trust, std::string cluster)
  : system_(system),
    holder_(std::move(holder)),
    trust_(trust),
    cluster_(std::move(cluster)) {
  listen(host);
  std::random_device random;
  auto name = "troupe-" + std::to_string(getpid());
  for (auto i = 0; i < 4; ++i)
    name += "-" + std::to_string(random());
  local_listener_ = listen_locally(name);
  make_large_pieces_shareable();
  caf::anon_send(holder_, UseBulkPort{port_, name});
  acceptor_ = std::thread{[this] { accept_all(); }};
}

BulkDoor::~BulkDoor() {
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
    for (auto& connection : connections_)
      if (connection.socket)
        connection.socket->shut();
    end_untrusted(std::chrono::steady_clock::time_point::max());
  }
  ::shutdown(listener_, SHUT_RDWR);
  ::shutdown(local_listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  close(local_listener_);
  for (auto& connection : connections_) {
    connection.thread.join();
    forget(connection.untrusted);
  }
}

void BulkDoor::listen(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* address = nullptr;
  if (const auto code = getaddrinfo(host.c_str(), "0", &hints, &address); code != 0)
    throw IoError("the parameter holder cannot take blocks on '" + host
                  + "': " + gai_strerror(code));
  listener_ = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto bound = listener_ >= 0 && bind(listener_, address->ai_addr, address->ai_addrlen) == 0
                     && ::listen(listener_, 64) == 0;
  freeaddrinfo(address);
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (!bound || getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &size) != 0)
    throw IoError("the parameter holder cannot take blocks on '" + host
                  + "': " + std::strerror(errno));
  port_ = ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&name)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&name)->sin_port);
}

void BulkDoor::accept_all() {
  for (;;) {
    std::array<pollfd, 2> listeners{{{listener_, POLLIN, 0}, {local_listener_, POLLIN, 0}}};
    auto next = -1;
    {
      const std::lock_guard lock{mutex_};
      next = milliseconds_to_next_end();
    }
    poll(listeners.data(), listeners.size(), next);
    const std::lock_guard lock{mutex_};
    if (ending_)
      return;
    end_untrusted(std::chrono::steady_clock::now());
    for (const auto& listener : listeners)
      if ((listener.revents & POLLIN) != 0)
        accept_one(listener.fd, listener.fd == local_listener_);
  }
}

/// @pre the lock is held
void BulkDoor::accept_one(int listener, bool local) {
  const auto descriptor = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (descriptor < 0)
    return;
  join_ended();
  if (connections_.size() >= most_connections) {
    close(descriptor);
    return;
  }
  auto& connection = connections_.emplace_back();
  connection.untrusted = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  connection.trusted_by
    = std::chrono::steady_clock::now()
      + std::chrono::milliseconds{static_cast<std::int64_t>(1000 * hello_deadline)};
  connection.thread
    = std::thread{[this, descriptor, local, &connection] { serve(descriptor, local, connection); }};
}

/// @pre the lock is held
void BulkDoor::join_ended() {
  connections_.remove_if([](Connection& connection) {
    if (connection.over)
      connection.thread.join();
    return connection.over;
  });
}

/// @pre the lock is held
int BulkDoor::milliseconds_to_next_end() const {
  using namespace std::chrono;
  auto least = -1;
  for (const auto& connection : connections_)
    if (connection.untrusted >= 0) {
      const auto left = ceil<milliseconds>(connection.trusted_by - steady_clock::now()).count();
      const auto wait = static_cast<int>(std::max<std::int64_t>(0, left));
      least = least < 0 ? wait : std::min(least, wait);
    }
  return least;
}

/// @pre the lock is held
void BulkDoor::end_untrusted(std::chrono::steady_clock::time_point now) {
  for (auto& connection : connections_)
    if (connection.untrusted >= 0 && connection.trusted_by <= now) {
      ::shutdown(connection.untrusted, SHUT_RDWR);
      forget(connection.untrusted);
    }
}

void BulkDoor::serve(int descriptor, bool local, Connection& connection) {
  try {
    auto socket = std::make_shared<BulkSocket>(
      local ? BulkSocket::accepted_local(descriptor)
            : BulkSocket::accepted(descriptor, trust_, hello_deadline));
    socket->set_deadline(hello_deadline);
    BulkRequest hello;
    read_head(system_, *socket, hello);
    BulkReply reply;
    if (auto why = why_refused(hello, cluster_); !why.empty()) {
      reply.error = static_cast<std::uint8_t>(Error::invalid_options);
      reply.sentence = std::move(why);
      write_message(system_, *socket, reply, {});
      throw IoError(reply.sentence);
    }
    {
      const std::lock_guard lock{mutex_};
      if (ending_)
        throw IoError("the holder ends");
      connection.socket = socket;
      forget(connection.untrusted);
    }
    write_message(system_, *socket, reply, {});
    socket->set_deadline(request_piece_deadline);
    BulkService{system_, holder_, *socket}.serve();
  } catch (const std::exception& e) {
    // A peer that has gone is told of by its lease; one that was never trusted, here.
    const std::lock_guard lock{mutex_};
    if (!ending_ && !connection.socket)
      std::cerr << "a connection for blocks was refused: " << e.what() << std::endl;
  }
  const std::lock_guard lock{mutex_};
  connection.socket.reset();
  forget(connection.untrusted);
  connection.over = true;
}

} // namespace troupe
