#include "apps/dashboard/client_socket.hpp"

#include "base/failure.hpp"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto handshake_time = 5s;
constexpr auto writing_time = 10s;
constexpr std::size_t longest_head = std::size_t{16} << 10;
constexpr int send_buffer = 256 << 10; // a page that does not read holds no more of the kernel's

} // namespace

BrowserTls::BrowserTls(const std::string& certificate, const std::string& key)
  : context_(SSL_CTX_new(TLS_server_method())) {
  if (context_ == nullptr || SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION) != 1
      || SSL_CTX_use_certificate_chain_file(context_.get(), certificate.c_str()) != 1
      || SSL_CTX_use_PrivateKey_file(context_.get(), key.c_str(), SSL_FILETYPE_PEM) != 1
      || SSL_CTX_check_private_key(context_.get()) != 1)
    throw IoError("the certificate '" + certificate + "' with the key '" + key
                  + "' cannot be used: " + tls_reason());
  SSL_CTX_set_mode(context_.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

TlsSession BrowserTls::accept(int descriptor) const {
  auto* session = SSL_new(context_.get());
  if (session != nullptr && SSL_set_fd(session, descriptor) == 1)
    SSL_set_accept_state(session);
  return TlsSession{session};
}

ClientSocket::ClientSocket(int descriptor, const BrowserTls* tls)
  : descriptor_(descriptor),
    deadline_(Clock::now() + handshake_time) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
  if (tls != nullptr)
    tls_ = tls->accept(descriptor);
}

bool ClientSocket::wait(short events, Clock::time_point deadline) const {
  for (;;) {
    const auto left
      = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd one{descriptor_, events, 0};
    const auto ready = left > 0 ? poll(&one, 1, static_cast<int>(left) + 1) : 0;
    if (ready > 0)
      return true;
    if (ready == 0 || errno != EINTR)
      return false;
  }
}

ssize_t ClientSocket::read_some(char* data, std::size_t size, Clock::time_point deadline) {
  for (;;) {
    if (!tls_) {
      const auto got = recv(descriptor_, data, size, 0);
      if (got >= 0 || (errno != EAGAIN && errno != EINTR))
        return got;
      if (!wait(POLLIN, deadline))
        return -1;
      continue;
    }
    const auto got = SSL_read(tls_.get(), data, static_cast<int>(std::min(size, longest_head)));
    if (got > 0)
      return got;
    const auto error = SSL_get_error(tls_.get(), got);
    if ((error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
        || !wait(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline)) {
      tls_reason(); // leaves the queue of errors empty
      return -1;
    }
  }
}

ssize_t ClientSocket::write_some(const char* data, std::size_t size, Clock::time_point deadline) {
  for (;;) {
    if (!tls_) {
      const auto sent = send(descriptor_, data, size, MSG_NOSIGNAL);
      if (sent >= 0 || (errno != EAGAIN && errno != EINTR))
        return sent;
      if (!wait(POLLOUT, deadline))
        return -1;
      continue;
    }
    const auto sent = SSL_write(tls_.get(), data, static_cast<int>(std::min(size, longest_head)));
    if (sent > 0)
      return sent;
    const auto error = SSL_get_error(tls_.get(), sent);
    if ((error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
        || !wait(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline)) {
      tls_reason();
      return -1;
    }
  }
}

std::string ClientSocket::read_head(std::chrono::milliseconds longest) {
  const auto deadline = Clock::now() + longest;
  deadline_ = deadline + handshake_time; // of the body
  std::array<char, 4096> piece{};
  for (;;) {
    if (const auto end = beyond_.find("\r\n\r\n"); end != std::string::npos) {
      auto head = beyond_.substr(0, end + 4);
      beyond_.erase(0, end + 4);
      return head;
    }
    if (beyond_.size() > longest_head)
      return "";
    const auto got = read_some(piece.data(), piece.size(), deadline);
    if (got <= 0)
      return "";
    beyond_.append(piece.data(), static_cast<std::size_t>(got));
  }
}

ssize_t ClientSocket::read(char* data, std::size_t size) {
  if (beyond_.empty())
    return read_some(data, size, deadline_);
  const auto taken = std::min(size, beyond_.size());
  std::copy_n(beyond_.data(), taken, data);
  beyond_.erase(0, taken);
  return static_cast<ssize_t>(taken);
}

bool ClientSocket::write(const char* data, std::size_t size) {
  while (size > 0) {
    const auto sent = write_some(data, size, Clock::now() + writing_time);
    if (sent <= 0)
      return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool ClientSocket::is_open() const {
  char byte = 0;
  const auto got = recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

} // namespace troupe
