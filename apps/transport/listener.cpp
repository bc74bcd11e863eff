#include "apps/transport/listener.hpp"

#include "apps/transport/local_socket.hpp"
#include "base/exit_codes.hpp"
#include "base/line_limit.hpp"
#include "base/text/text.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <mutex>
#include <set>

namespace troupe {

namespace {

using Id = PendingConnections::Id;
using ListenerClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto pause_without_descriptors = 100ms;
constexpr auto seconds_to_show = std::chrono::duration<double>(PendingLimits{}.deadline).count();

std::size_t open_file_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::size_t>(limit.rlim_cur) : 1024;
}

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

} // namespace

PendingLimits pending_limits(std::size_t descriptors) {
  PendingLimits limits;
  limits.total = std::clamp<std::size_t>(descriptors / 16, 16, 256);
  limits.per_address = limits.total / 2;
  return limits;
}

/// Shared by the listener's thread and the owners of connections that it handed over.
class ListenerState {
public:
  ListenerState(const std::string& what, std::vector<Listener::Socket> sockets, Listener::Take take)
    : what_(what),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      sockets_(std::move(sockets)),
      take_(std::move(take)) {
    if (wake_.get() < 0)
      throw IoError(what + " cannot listen: " + std::strerror(errno));
    for (const auto& socket : sockets_) // a connection may vanish before accept()
      fcntl(socket.descriptor.get(), F_SETFL, fcntl(socket.descriptor.get(), F_GETFL) | O_NONBLOCK);
  }

  static void run(const std::shared_ptr<ListenerState>& state) {
    while (state->serve(state)) {
    }
    // Connections that were handed over keep the state alive, so free the rest.
    state->handshakes_.clear();
    state->sockets_.clear();
    state->take_ = {};
  }

  void end() {
    {
      const std::lock_guard lock{mutex_};
      ending_ = true;
    }
    wake();
  }

  bool admit(Id id) {
    const std::lock_guard lock{mutex_};
    if (admitted_.size() >= most_admitted_)
      return false;
    pending_.remove(id);
    admitted_.insert(id);
    return true;
  }

  void refuse(Id id, const std::string& why) {
    const std::lock_guard lock{mutex_};
    report("refused", id, why);
  }

  /// The connection ends: its descriptor must not be used any more.
  void forget(Id id) {
    const std::lock_guard lock{mutex_};
    pending_.remove(id);
    admitted_.erase(id);
    known_.erase(id);
  }

private:
  struct Known {
    std::string address;
    int descriptor; ///< owned by the connection
  };
  struct Handshake {
    AcceptedConnection connection;
    short events = POLLIN;
  };
  using Handshakes = std::map<Id, Handshake>;

  /// Polls all sockets once. @returns false at the end.
  bool serve(const std::shared_ptr<ListenerState>& state) {
    std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}};
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
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto woken = read(wake_.get(), &ignored, sizeof ignored);
    if (!check_deadlines())
      return false;
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (polled[first_handshake + i].revents != 0)
        continue_handshake(ids[i]);
    if (accepts)
      for (std::size_t i = 0; i < sockets_.size(); ++i)
        if (polled[1 + i].revents != 0)
          accept_from(state, sockets_[i]);
    return true;
  }

  /// @returns false at the end.
  bool check_deadlines() {
    std::vector<Handshakes::node_type> ended; // destroyed after the lock is released
    const std::lock_guard lock{mutex_};
    if (ending_)
      return false;
    const auto now = ListenerClock::now();
    for (const auto id : pending_.overdue(now)) {
      report("late", id, "it did not authenticate within " + shortest(seconds_to_show) + " s");
      cut(id, ended);
    }
    for (const auto& line : limit_.left_out(now))
      std::cerr << line + "\n" << std::flush;
    return true;
  }

  int milliseconds_to_wait(bool accepts) {
    const std::lock_guard lock{mutex_};
    auto next = LineLimit::Time::max();
    next = std::min(next, pending_.next_deadline().value_or(next));
    next = std::min(next, limit_.next_line().value_or(next));
    if (!accepts)
      next = std::min(next, accepts_again_);
    if (next == LineLimit::Time::max())
      return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - ListenerClock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
  }

  void accept_from(const std::shared_ptr<ListenerState>& state, const Listener::Socket& socket) {
    constexpr auto in_a_row = 64; // before handshakes get their turn
    for (auto i = 0; i < in_a_row; ++i) {
      sockaddr_storage address{};
      socklen_t size = sizeof address;
      Descriptor descriptor{accept4(socket.descriptor.get(), reinterpret_cast<sockaddr*>(&address),
                                    &size, SOCK_CLOEXEC | SOCK_NONBLOCK)};
      if (descriptor.get() >= 0) {
        begin_handshake(state, socket, std::move(descriptor), peer_address(address, size));
        continue;
      }
      const auto error = errno;
      if (lacks_descriptors(error))
        make_room(error);
      if (error != EINTR && error != ECONNABORTED)
        return;
    }
  }

  void begin_handshake(const std::shared_ptr<ListenerState>& state, const Listener::Socket& socket,
                       Descriptor descriptor, const std::string& address) {
    const auto id = ++last_id_;
    {
      std::vector<Handshakes::node_type> ended;
      const std::lock_guard lock{mutex_};
      known_[id] = {address, descriptor.get()};
      if (const auto too_many = pending_.add(id, address, ListenerClock::now())) {
        report("crowded", *too_many, "newer connections wait for authentication");
        cut(*too_many, ended);
      }
    }
    auto& connection = handshakes_[id].connection;
    connection.place = std::make_unique<ListenerPlace>(state, id);
    connection.descriptor = std::move(descriptor);
    connection.local = socket.local;
    try {
      if (socket.local)
        check_same_user(connection.descriptor.get());
      if (socket.trust.tls)
        connection.tls = socket.trust.tls->accept(connection.descriptor.get());
    } catch (const std::exception& e) {
      refuse(id, e.what());
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
      refuse(id, "the peer does not belong to this cluster: " + connection.tls.why());
      handshakes_.erase(found);
      break;
    }
  }

  void hand_over(Id id) {
    auto node = handshakes_.extract(id);
    try {
      take_(std::move(node.mapped().connection));
    } catch (const std::exception& e) {
      refuse(id, e.what());
    }
  }

  void make_room(int error) {
    std::vector<Handshakes::node_type> ended;
    const std::lock_guard lock{mutex_};
    const auto oldest = pending_.oldest();
    report("accept", 0, std::string{"it cannot be accepted: "} + std::strerror(error));
    if (oldest) {
      pending_.remove(*oldest);
      cut(*oldest, ended);
    } else {
      accepts_again_ = ListenerClock::now() + pause_without_descriptors;
    }
  }

  /// Ends a connection that was pending. @pre the lock is held
  /// @param ended receives objects of this thread, to be destroyed after the lock is released
  void cut(Id id, std::vector<Handshakes::node_type>& ended) {
    if (auto own = handshakes_.extract(id))
      ended.push_back(std::move(own));
    else if (const auto known = known_.find(id); known != known_.end())
      ::shutdown(known->second.descriptor, SHUT_RDWR);
  }

  /// @pre the lock is held
  void report(const std::string& kind, Id id, const std::string& why) {
    const auto known = known_.find(id);
    const auto line = limit_.admit(
      kind,
      "a connection to " + what_ + (known == known_.end() ? "" : " from " + known->second.address)
        + " was refused: " + why,
      ListenerClock::now());
    if (line)
      std::cerr << *line + "\n" << std::flush;
    else
      wake(); // to report lines that were left out
  }

  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_.get(), &one, sizeof one);
  }

  const std::string what_;
  const Descriptor wake_;
  // Used only by the listener's thread:
  std::vector<Listener::Socket> sockets_;
  Listener::Take take_;
  Handshakes handshakes_;
  Id last_id_ = 0;
  LineLimit::Time accepts_again_{};

  std::mutex mutex_; ///< guards the members below
  bool ending_ = false;
  PendingConnections pending_{pending_limits(open_file_limit())};
  const std::size_t most_admitted_ = std::clamp<std::size_t>(open_file_limit() / 4, 64, 4096);
  std::set<Id> admitted_;
  std::map<Id, Known> known_; ///< all live connections
  LineLimit limit_;
};

ListenerPlace::~ListenerPlace() { state_->forget(id_); }
bool ListenerPlace::admit() {
  if (state_->admit(id_))
    return true;
  refuse("the limit of open files (ulimit -n) allows no more peers");
  return false;
}
void ListenerPlace::refuse(const std::string& why) { state_->refuse(id_, why); }

Listener::Listener(const std::string& what, std::vector<Socket> sockets, Take take)
  : state_(std::make_shared<ListenerState>(what, std::move(sockets), std::move(take))),
    thread_([state = state_] { ListenerState::run(state); }) {}

Listener::~Listener() {
  state_->end();
  thread_.join();
}

} // namespace troupe
