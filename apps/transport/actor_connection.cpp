#include "apps/transport/actor_connection.hpp"

#include "base/failure.hpp"
#include "messages/access/frame_check.hpp"
#include "messages/requests/error.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/scoped_actor.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <memory>

namespace troupe {

namespace {

using caf::io::network::rw_state;

/// Reads and writes bytes, with the interface that CAF's streams ask for.
class SocketBytes {
public:
  explicit SocketBytes(TlsSession tls) : tls_(std::move(tls)) {}

  rw_state read_some(std::size_t& count, int descriptor, void* bytes, std::size_t size) {
    if (tls_)
      return moved(SSL_read, count, bytes, size);
    return moved(recv(descriptor, bytes, size, 0), count, true);
  }
  rw_state write_some(std::size_t& count, int descriptor, const void* bytes, std::size_t size) {
    if (tls_)
      return moved(SSL_write, count, bytes, size);
    return moved(send(descriptor, bytes, size, MSG_NOSIGNAL), count, false);
  }
  /// Bytes that OpenSSL has decrypted already do not make the socket readable.
  bool must_read_more(int, std::size_t threshold) const {
    return tls_ && SSL_pending(tls_.get()) > 0
           && static_cast<std::size_t>(SSL_pending(tls_.get())) >= threshold;
  }

private:
  template <class Bytes>
  rw_state moved(int (*move)(SSL*, Bytes*, int), std::size_t& count, Bytes* bytes,
                 std::size_t size) {
    count = 0;
    if (size == 0)
      return rw_state::indeterminate;
    ERR_clear_error(); // SSL_get_error looks at the thread's whole error queue
    const auto result
      = move(tls_.get(), bytes, static_cast<int>(std::min<std::size_t>(size, INT_MAX)));
    if (result > 0) {
      count = static_cast<std::size_t>(result);
      return rw_state::success;
    }
    const auto error = SSL_get_error(tls_.get(), result);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? rw_state::success
                                                                         : rw_state::failure;
  }

  static rw_state moved(ssize_t result, std::size_t& count, bool zero_is_end) {
    count = result > 0 ? static_cast<std::size_t>(result) : 0;
    if (result > 0)
      return rw_state::success;
    if (result == 0)
      return zero_is_end ? rw_state::failure : rw_state::success;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? rw_state::success
                                                                     : rw_state::failure;
  }

  TlsSession tls_;
};

/// A handle that is never reused. CAF's handles are descriptors: when it cleaned up after a closed
/// connection late, it hit a new connection with the same number.
caf::io::connection_handle new_handle() {
  static std::atomic<std::int64_t> last{0};
  return caf::io::connection_handle::from_int(++last);
}

/// A connection as CAF sees it. Its broker reads headers and payloads alternately.
class ActorConnection : public caf::io::scribe {
public:
  ActorConnection(caf::io::network::default_multiplexer& multiplexer, int descriptor,
                  TlsSession tls, FrameCheck::Side side, std::unique_ptr<ListenerPlace> place)
    : scribe(new_handle()),
      check_(side),
      stream_(multiplexer, descriptor, std::move(tls)),
      place_(std::move(place)) {}

  void configure_read(caf::io::receive_policy::config config) override {
    expected_ = config.second;
    received_.clear();
    read_next_piece();
    if (!launched_) {
      launched_ = true;
      stream_.start(this);
    }
  }

  bool consume(caf::execution_unit* context, const void* bytes, std::size_t size) override {
    if (detached())
      return false;
    if (expected_ > largest_piece) {
      const auto* const first = static_cast<const char*>(bytes);
      received_.insert(received_.end(), first, first + size);
      if (received_.size() < expected_) {
        read_next_piece();
        return true;
      }
      rd_buf().swap(received_);
      size = rd_buf().size();
    }
    if (const auto why = refusal({rd_buf().data(), size}); !why.empty()) {
      if (place_)
        place_->refuse(why);
      detach(context, true);
      return false;
    }
    const auto goes_on = scribe::consume(context, rd_buf().data(), size);
    if (rd_buf().capacity() > 2 * largest_piece)
      std::vector<char>{}.swap(rd_buf());
    return goes_on;
  }

  void ack_writes(bool enable) override { stream_.ack_writes(enable); }
  std::vector<char>& wr_buf() override { return stream_.wr_buf(); }
  std::vector<char>& rd_buf() override { return stream_.rd_buf(); }
  void flush() override { stream_.flush(this); }
  void graceful_shutdown() override {
    stream_.graceful_shutdown();
    detach(&stream_.backend(), false);
  }
  void add_to_loop() override { stream_.activate(this); }
  void remove_from_loop() override { stream_.passivate(); }
  std::string addr() const override {
    const auto address = caf::io::network::remote_addr_of_fd(stream_.fd());
    return address ? *address : "";
  }
  std::uint16_t port() const override {
    const auto port = caf::io::network::remote_port_of_fd(stream_.fd());
    return port ? *port : 0;
  }

private:
  /// Memory grows with the bytes that arrive, not with what a header announces.
  static constexpr std::size_t largest_piece = 1 << 20;

  void read_next_piece() {
    stream_.configure_read(
      caf::io::receive_policy::exactly(std::min(largest_piece, expected_ - received_.size())));
  }

  std::string refusal(std::span<const char> bytes) {
    const auto known = check_.introduced();
    auto why = check_.refuse(bytes);
    if (why.empty() && place_ && !known && check_.introduced() && !place_->admit())
      why = "too many peers are connected";
    return why;
  }

  FrameCheck check_;
  std::size_t expected_ = 0;   ///< bytes of the current header or payload
  std::vector<char> received_; ///< its bytes so far, if it comes in pieces
  bool launched_ = false;
  caf::io::network::stream_impl<SocketBytes> stream_;
  std::unique_ptr<ListenerPlace> place_; ///< destroyed before the stream closes the descriptor
};

/// Notices a peer that has stopped reading, even if it still sends.
void limit_waiting(int descriptor) {
  const int one = 1;
  const unsigned milliseconds = 30'000;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

caf::io::scribe_ptr connection_of(caf::actor_system& system, Descriptor descriptor, TlsSession tls,
                                  FrameCheck::Side side, std::unique_ptr<ListenerPlace> place) {
  limit_waiting(descriptor.get());
  auto& multiplexer
    = dynamic_cast<caf::io::network::default_multiplexer&>(system.middleman().backend());
  auto connection = caf::make_counted<ActorConnection>(multiplexer, descriptor.get(),
                                                       std::move(tls), side, std::move(place));
  static_cast<void>(descriptor.release()); // the stream owns it now
  return connection;
}

TlsSession shake_hands_within(const TlsContext& context, int descriptor,
                              std::chrono::steady_clock::time_point until,
                              const Cancelled& cancelled) {
  using namespace std::chrono_literals;
  auto tls = context.connect(descriptor);
  for (;;) {
    const auto handshake = tls.shake_hands();
    if (handshake == TlsSession::Handshake::done)
      return tls;
    if (handshake == TlsSession::Handshake::failed)
      throw IoError("the TLS handshake failed: " + tls.why());
    const short events = handshake == TlsSession::Handshake::reads ? POLLIN : POLLOUT;
    pollfd polled{descriptor, events, 0};
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= 0s || (cancelled && cancelled()))
      throw IoError("it does not answer in time");
    poll(&polled, 1, static_cast<int>(std::min<std::int64_t>(100, left / 1ms + 1)));
  }
}

} // namespace

caf::io::scribe_ptr actor_connection(caf::actor_system& system, AcceptedConnection connection) {
  return connection_of(system, std::move(connection.descriptor), std::move(connection.tls),
                       FrameCheck::Side::accepts, std::move(connection.place));
}

caf::actor node_broker(caf::actor_system& system) {
  return system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
}

caf::expected<RemoteActor> connect_actor(caf::actor_system& system, const Endpoint& endpoint,
                                         const Trust& trust, caf::timespan deadline,
                                         const Cancelled& cancelled) {
  constexpr double connection_deadline = 3; // enough to resend a lost packet
  const auto until = std::chrono::steady_clock::now() + deadline;
  const auto seconds = std::chrono::duration<double>(deadline).count();
  Descriptor descriptor;
  try {
    descriptor
      = Descriptor{connect_tcp(endpoint, std::min(seconds, connection_deadline), cancelled)};
  } catch (const IoError& e) {
    return fail(Error::unavailable, e.what());
  }
  TlsSession tls;
  try {
    if (trust.tls)
      tls = shake_hands_within(*trust.tls, descriptor.get(), until, cancelled);
  } catch (const IoError& e) {
    return caf::make_error(caf::sec::disconnect_during_handshake, std::string{e.what()});
  }
  auto connection = connection_of(system, std::move(descriptor), std::move(tls),
                                  FrameCheck::Side::connects, nullptr);
  const auto left = std::max<caf::timespan>(until - std::chrono::steady_clock::now(),
                                            std::chrono::milliseconds{1});
  caf::scoped_actor self{system};
  caf::expected<RemoteActor> reached{caf::error{}};
  self
    ->request(node_broker(system), left, caf::connect_atom::value, std::move(connection),
              endpoint.port)
    .receive(
      [&](const caf::node_id&, caf::strong_actor_ptr& actor, std::set<std::string>& signatures) {
        reached = RemoteActor{std::move(actor), std::move(signatures)};
      },
      [&](caf::error& error) { reached = std::move(error); });
  return reached;
}

} // namespace troupe
