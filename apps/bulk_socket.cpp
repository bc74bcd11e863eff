#include "troupe/apps/bulk_socket.hpp"

#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/local_socket.hpp"
#include "troupe/apps/tcp_connection.hpp"

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

/// Bytes given to TLS at a time.
constexpr std::size_t piece = std::size_t{256} << 10;

std::string tls_reason() {
  const auto code = ERR_get_error();
  const auto* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "the connection ended" : reason;
}

std::string system_reason() {
  return errno == EAGAIN || errno == EWOULDBLOCK ? "no byte has moved within the deadline"
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
    throw IoError(to_string(endpoint) + " could not be reached for blocks: " + e.what());
  }
}

void make_blocking(int descriptor) {
  const auto flags = fcntl(descriptor, F_GETFL);
  fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
  const int one = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  // A peer whose machine is gone is found out within half a minute.
  const int idle = 10, interval = 5, count = 4;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

} // namespace

BulkSocket::BulkSocket(BulkSocket&& other) noexcept
  : descriptor_(std::exchange(other.descriptor_, -1)),
    local_(other.local_),
    context_(std::exchange(other.context_, nullptr)),
    tls_(std::exchange(other.tls_, nullptr)) {}

BulkSocket& BulkSocket::operator=(BulkSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(local_, other.local_);
  std::swap(context_, other.context_);
  std::swap(tls_, other.tls_);
  return *this;
}

BulkSocket::~BulkSocket() {
  SSL_free(tls_);
  SSL_CTX_free(context_);
  if (descriptor_ >= 0)
    close(descriptor_);
}

BulkSocket BulkSocket::connect(const Endpoint& endpoint, const Trust& trust, double deadline) {
  BulkSocket socket{connect_for_blocks(endpoint, deadline)};
  make_blocking(socket.descriptor_);
  socket.set_deadline(deadline);
  socket.begin_tls(trust, false);
  return socket;
}

BulkSocket BulkSocket::accepted(int descriptor, const Trust& trust, double deadline) {
  BulkSocket socket{descriptor};
  make_blocking(descriptor);
  socket.set_deadline(deadline);
  socket.begin_tls(trust, true);
  return socket;
}

BulkSocket BulkSocket::connect_local(const std::string& name, double deadline) {
  BulkSocket socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  socket.set_deadline(deadline); // where too many wait to be accepted, for the connection, too
  connect_locally(socket.descriptor_, name);
  check_same_user(socket.descriptor_);
  socket.local_ = true;
  return socket;
}

BulkSocket BulkSocket::accepted_local(int descriptor) {
  BulkSocket socket{descriptor};
  check_same_user(descriptor);
  socket.local_ = true;
  return socket;
}

void BulkSocket::write_descriptor(int descriptor) {
  if (!send_descriptor(descriptor_, descriptor))
    throw IoError("a piece of memory could not be handed over: " + system_reason());
}

int BulkSocket::read_descriptor() {
  const auto descriptor = receive_descriptor(descriptor_);
  if (!descriptor)
    throw IoError("no piece of memory came where one was announced");
  return *descriptor;
}

void BulkSocket::begin_tls(const Trust& trust, bool server) {
  if (!trust.identity)
    return;
  ERR_clear_error();
  context_ = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
  const auto& identity = *trust.identity;
  const auto ready
    = context_ != nullptr && SSL_CTX_set_min_proto_version(context_, TLS1_3_VERSION) == 1
      && SSL_CTX_use_certificate_file(context_, identity.certificate.c_str(), SSL_FILETYPE_PEM) == 1
      && SSL_CTX_use_PrivateKey_file(context_, identity.key.c_str(), SSL_FILETYPE_PEM) == 1
      && SSL_CTX_load_verify_locations(context_, identity.authority.c_str(), nullptr) == 1;
  if (!ready)
    throw IoError("the certificates for blocks cannot be used: " + tls_reason());
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_mode(context_, SSL_MODE_AUTO_RETRY);
  tls_ = SSL_new(context_);
  SSL_set_fd(tls_, descriptor_);
  if ((server ? SSL_accept(tls_) : SSL_connect(tls_)) != 1)
    throw IoError("the peer for blocks is not of this cluster: " + tls_reason());
}

void BulkSocket::set_deadline(double seconds) {
  const auto time = timeval_of(seconds);
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

void BulkSocket::write(std::span<const std::byte> bytes) {
  ERR_clear_error();
  while (!bytes.empty()) {
    const auto length = tls_ != nullptr ? std::min(bytes.size(), piece) : bytes.size();
    const auto count = tls_ != nullptr ? SSL_write(tls_, bytes.data(), static_cast<int>(length))
                                       : send(descriptor_, bytes.data(), length, MSG_NOSIGNAL);
    if (count <= 0 && tls_ == nullptr && errno == EINTR)
      continue;
    if (count <= 0)
      throw IoError("sending a block failed: "
                    + (tls_ != nullptr ? tls_reason() : system_reason()));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void BulkSocket::read(std::span<std::byte> bytes) {
  ERR_clear_error();
  while (!bytes.empty()) {
    const auto count = tls_ != nullptr ? SSL_read(tls_, bytes.data(),
                                                  static_cast<int>(std::min(bytes.size(), piece)))
                                       : recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (count < 0 && tls_ == nullptr && errno == EINTR)
      continue;
    if (count <= 0)
      throw IoError("receiving a block failed: "
                    + (tls_ != nullptr ? tls_reason()
                       : count == 0    ? std::string{"the connection ended"}
                                       : system_reason()));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

bool BulkSocket::wait() {
  if (tls_ != nullptr && SSL_pending(tls_) > 0)
    return true;
  pollfd poll_for{descriptor_, POLLIN, 0};
  while (poll(&poll_for, 1, -1) < 0)
    if (errno != EINTR)
      return false;
  std::byte first{};
  return tls_ != nullptr || recv(descriptor_, &first, 1, MSG_PEEK) == 1;
}

void BulkSocket::shut() {
  if (descriptor_ >= 0)
    ::shutdown(descriptor_, SHUT_RDWR);
}

} // namespace troupe
