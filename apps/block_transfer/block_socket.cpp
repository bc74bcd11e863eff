#include "apps/block_transfer/block_socket.hpp"

#include "apps/transport/local_socket.hpp"
#include "apps/transport/tcp_connection.hpp"
#include "base/failure.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace troupe {

namespace {

/// Bytes of a record. Longer ones take fewer system calls; shorter ones, less of the cache, and one
/// end decrypts a record while the other encrypts the next.
constexpr std::size_t largest_record = std::size_t{128} << 10;

using RecordLength = std::uint32_t; ///< before each record: its bytes, without the tag

std::string system_reason() {
  return errno == EAGAIN || errno == EWOULDBLOCK ? "no byte was transferred within the deadline"
                                                 : std::strerror(errno);
}

timeval timeval_of(double seconds) {
  timeval time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(time.tv_sec)) * 1e6);
  return time;
}

int connect_for_blocks(const Endpoint& endpoint, double deadline) {
  try {
    return connect_tcp(endpoint, deadline);
  } catch (const IoError& e) {
    throw IoError(to_string(endpoint) + " could not be reached for block transfer: " + e.what());
  }
}

void make_blocking(int descriptor) {
  const auto flags = fcntl(descriptor, F_GETFL);
  fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
  const int one = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  // A peer whose machine is gone is noticed within half a minute.
  const int idle = 10, interval = 5, count = 4;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

} // namespace

BlockSocket BlockSocket::connect(const Endpoint& endpoint, const Trust& trust, double deadline) {
  BlockSocket socket{Descriptor{connect_for_blocks(endpoint, deadline)}};
  make_blocking(socket.descriptor_.get());
  socket.set_deadline(deadline);
  if (!trust.tls)
    return socket;
  socket.tls_ = trust.tls->connect(socket.descriptor_.get());
  if (socket.tls_.shake_hands() != TlsSession::Handshake::done)
    throw IoError("the peer of the block connection does not belong to this cluster: "
                  + socket.tls_.why());
  return socket;
}

BlockSocket::BlockSocket(AcceptedConnection connection)
  : descriptor_(std::move(connection.descriptor)),
    local_(connection.local),
    tls_(std::move(connection.tls)),
    place_(std::move(connection.place)) {
  make_blocking(descriptor_.get());
}

BlockSocket BlockSocket::connect_local(const std::string& name, double deadline) {
  BlockSocket socket{Descriptor{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)}};
  socket.set_deadline(deadline); // also for connecting, if the listener's backlog is full
  connect_locally(socket.descriptor_.get(), name);
  check_same_user(socket.descriptor_.get());
  socket.local_ = true;
  return socket;
}

void BlockSocket::admit() {
  if (place_ && !place_->admit())
    throw IoError("too many peers are connected");
}

void BlockSocket::refuse(const std::string& why) {
  if (place_)
    place_->refuse(why);
}

void BlockSocket::write_descriptor(int descriptor) {
  if (!send_descriptor(descriptor_.get(), descriptor))
    throw IoError("a memory descriptor could not be sent: " + system_reason());
}

int BlockSocket::read_descriptor() {
  const auto descriptor = receive_descriptor(descriptor_.get());
  if (!descriptor)
    throw IoError("an announced memory descriptor did not arrive");
  return *descriptor;
}

void BlockSocket::set_deadline(double seconds) {
  const auto time = timeval_of(seconds);
  setsockopt(descriptor_.get(), SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(descriptor_.get(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

void BlockSocket::use_records() {
  if (!tls_)
    return;
  cipher_.emplace(tls_);
  tls_ = {};
}

void BlockSocket::write(std::span<const std::byte> bytes) {
  if (!cipher_)
    return send_all(bytes);
  while (!bytes.empty()) {
    const auto length = std::min(bytes.size(), largest_record);
    const auto announced = static_cast<RecordLength>(length);
    sealed_.resize(sizeof announced + length + RecordCipher::tag);
    std::memcpy(sealed_.data(), &announced, sizeof announced);
    cipher_->seal(bytes.first(length), sealed_.data() + sizeof announced);
    send_all(sealed_);
    bytes = bytes.subspan(length);
  }
}

void BlockSocket::read(std::span<std::byte> bytes) {
  if (!cipher_)
    return receive_all(bytes);
  while (!bytes.empty()) {
    if (unread_.empty())
      receive_record(bytes);
    const auto length = std::min(bytes.size(), unread_.size());
    if (unread_.data() != bytes.data())
      std::memcpy(bytes.data(), unread_.data(), length);
    unread_ = unread_.subspan(length);
    bytes = bytes.subspan(length);
  }
}

/// Opens it where it is wanted if it fits there.
void BlockSocket::receive_record(std::span<std::byte> bytes) {
  RecordLength length = 0;
  receive_all(std::as_writable_bytes(std::span{&length, 1}));
  if (length == 0 || length > largest_record)
    throw IoError("the peer of the block connection does not speak Troupe's protocol");
  sealed_.resize(length + RecordCipher::tag);
  receive_all(sealed_);
  if (length > bytes.size())
    opened_.resize(length);
  auto* const plain = length > bytes.size() ? opened_.data() : bytes.data();
  if (!cipher_->open(sealed_, plain))
    throw IoError("a record of the block connection was changed on its way");
  unread_ = {plain, length};
}

void BlockSocket::send_all(std::span<const std::byte> bytes) {
  ERR_clear_error();
  while (!bytes.empty()) {
    const auto count = tls_ ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                            : send(descriptor_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0 && !tls_ && errno == EINTR)
      continue;
    if (count <= 0)
      throw IoError("sending a block failed: " + (tls_ ? tls_reason() : system_reason()));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void BlockSocket::receive_all(std::span<std::byte> bytes) {
  ERR_clear_error();
  while (!bytes.empty()) {
    const auto count = tls_ ? SSL_read(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                            : recv(descriptor_.get(), bytes.data(), bytes.size(), 0);
    if (count < 0 && !tls_ && errno == EINTR)
      continue;
    if (count <= 0)
      throw IoError("receiving a block failed: "
                    + (tls_         ? tls_reason()
                       : count == 0 ? std::string{"the connection ended"}
                                    : system_reason()));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

bool BlockSocket::wait() {
  if (!unread_.empty())
    return true;
  pollfd poll_for{descriptor_.get(), POLLIN, 0};
  while (poll(&poll_for, 1, -1) < 0)
    if (errno != EINTR)
      return false;
  std::byte first{};
  return recv(descriptor_.get(), &first, 1, MSG_PEEK) == 1;
}

void BlockSocket::shut() { ::shutdown(descriptor_.get(), SHUT_RDWR); }

} // namespace troupe
