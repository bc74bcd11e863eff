#include "apps/transport/listener.hpp"

#include "apps/transport/local_socket.hpp"
#include "base/exit_codes.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>

namespace troupe {

namespace {

using Id = ListenerConnections::Id;
using ListenerClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto pause_without_descriptors = 100ms;

std::string peer_address(const sockaddr_storage& address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  if (address.ss_family == AF_UNIX
      || getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host.data(), host.size(),
                     nullptr, 0, NI_NUMERICHOST)
           != 0)
    return "this machine";
  return host.data();
}

bool lacks_descriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/// What a listener's thread does: it polls, accepts, and shakes hands.
class ListenerLoop {
public:
  ListenerLoop(std::shared_ptr<ListenerConnections> connections,
               std::vector<Listener::Socket> sockets, Listener::Take take)
    : connections_(std::move(connections)),
      sockets_(std::move(sockets)),
      take_(std::move(take)) {
    for (const auto& socket : sockets_) // a connection may vanish before accept()
      fcntl(socket.descriptor.get(), F_SETFL, fcntl(socket.descriptor.get(), F_GETFL) | O_NONBLOCK);
  }

  void run() {
    while (serve()) {
    }
  }

private:
  struct Handshake {
    AcceptedConnection connection;
    short events = POLLIN;
  };

  /// Polls all sockets once. @returns false at the end.
  bool serve() {
    std::vector<pollfd> polled{{connections_->wake_descriptor(), POLLIN, 0}};
    const auto accepts = ListenerClock::now() >= accepts_again_;
    if (accepts)
      for (const auto& socket : sockets_)
        polled.push_back({socket.descriptor.get(), POLLIN, 0});
    const auto first_handshake = polled.size();
    std::vector<Id> ids;
    for (const auto& [id, handshake] : handshakes_) {
      ids.push_back(id);
      polled.push_back({handshake.connection.descriptor.get(), handshake.events, 0});
    }
    poll(polled.data(), polled.size(), milliseconds_to_wait(accepts));
    connections_->clear_wake();
    if (connections_->ending())
      return false;
    check_deadlines();
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (polled[first_handshake + i].revents != 0)
        continue_handshake(ids[i]);
    if (accepts)
      for (std::size_t i = 0; i < sockets_.size(); ++i)
        if (polled[1 + i].revents != 0)
          accept_from(sockets_[i]);
    return true;
  }

  void check_deadlines() {
    const auto now = ListenerClock::now();
    for (const auto id : connections_->overdue(now))
      cut(id);
    connections_->report_left_out(now);
  }

  int milliseconds_to_wait(bool accepts) {
    auto next = connections_->next_deadline();
    if (!accepts)
      next = std::min(next.value_or(accepts_again_), accepts_again_);
    if (!next)
      return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - ListenerClock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
  }

  void accept_from(const Listener::Socket& socket) {
    constexpr auto in_a_row = 64; // before handshakes get their turn
    for (auto i = 0; i < in_a_row; ++i) {
      sockaddr_storage address{};
      socklen_t size = sizeof address;
      Descriptor descriptor{accept4(socket.descriptor.get(), reinterpret_cast<sockaddr*>(&address),
                                    &size, SOCK_CLOEXEC | SOCK_NONBLOCK)};
      if (descriptor.get() >= 0) {
        begin_handshake(socket, std::move(descriptor), peer_address(address, size));
        continue;
      }
      const auto error = errno;
      if (lacks_descriptors(error))
        make_room(error);
      if (error != EINTR && error != ECONNABORTED)
        return;
    }
  }

  void begin_handshake(const Listener::Socket& socket, Descriptor descriptor,
                       const std::string& address) {
    const auto id = ++last_id_;
    if (const auto too_many
        = connections_->add(id, address, descriptor.get(), ListenerClock::now()))
      cut(*too_many);
    auto& connection = handshakes_[id].connection;
    connection.place = std::make_unique<ListenerPlace>(connections_, id);
    connection.descriptor = std::move(descriptor);
    connection.local = socket.local;
    try {
      if (socket.local)
        check_same_user(connection.descriptor.get());
      if (socket.trust.tls)
        connection.tls = socket.trust.tls->accept(connection.descriptor.get());
    } catch (const std::exception& e) {
      connections_->refuse(id, e.what());
      handshakes_.erase(id);
      return;
    }
    if (connection.tls)
      continue_handshake(id);
    else
      hand_over(id);
  }

  void continue_handshake(Id id) {
    const auto found = handshakes_.find(id);
    if (found == handshakes_.end())
      return;
    auto& [connection, events] = found->second;
    switch (connection.tls.shake_hands()) {
    case TlsSession::Handshake::done: hand_over(id); break;
    case TlsSession::Handshake::reads: events = POLLIN; break;
    case TlsSession::Handshake::writes: events = POLLOUT; break;
    case TlsSession::Handshake::failed:
      connections_->refuse(id, "the peer does not belong to this cluster: " + connection.tls.why());
      handshakes_.erase(found);
      break;
    }
  }

  void hand_over(Id id) {
    auto node = handshakes_.extract(id);
    try {
      take_(std::move(node.mapped().connection));
    } catch (const std::exception& e) {
      connections_->refuse(id, e.what());
    }
  }

  void make_room(int error) {
    if (const auto oldest = connections_->oldest_for_room(std::strerror(error)))
      cut(*oldest);
    else
      accepts_again_ = ListenerClock::now() + pause_without_descriptors;
  }

  /// Ends a connection that was pending.
  void cut(Id id) {
    if (handshakes_.erase(id) == 0)
      connections_->shut(id);
  }

  const std::shared_ptr<ListenerConnections> connections_;
  const std::vector<Listener::Socket> sockets_;
  const Listener::Take take_;
  std::map<Id, Handshake> handshakes_;
  Id last_id_ = 0;
  ListenerClock::time_point accepts_again_{};
};

} // namespace

Listener::Listener(const std::string& what, std::vector<Socket> sockets, Take take)
  : connections_(std::make_shared<ListenerConnections>(what)) {
  auto loop = std::make_unique<ListenerLoop>(connections_, std::move(sockets), std::move(take));
  thread_ = std::thread{[loop = std::move(loop)] { loop->run(); }};
}

Listener::~Listener() {
  connections_->end();
  thread_.join();
}

} // namespace troupe
