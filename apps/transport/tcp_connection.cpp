#include "apps/transport/tcp_connection.hpp"

#include "base/failure.hpp"
#include "base/files/descriptor.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

namespace troupe {

namespace {

constexpr int look_every = 100; // milliseconds, to check for cancellation

struct Addresses {
  explicit Addresses(const Endpoint& endpoint, int flags = 0) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | flags;
    const auto code
      = getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &first);
    if (code != 0)
      throw IoError(std::string{"its host name cannot be resolved: "} + gai_strerror(code));
  }
  ~Addresses() { freeaddrinfo(first); }
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;
  addrinfo* first = nullptr;
};

/// The result of a connection attempt: 0, or an errno.
int wait_for_connection(int descriptor, double deadline, const Cancelled& cancelled) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(deadline);
  while (!(cancelled && cancelled())) {
    const std::chrono::duration<double, std::milli> left = until - std::chrono::steady_clock::now();
    if (left.count() <= 0)
      break;
    pollfd poll_for{descriptor, POLLOUT, 0};
    if (poll(&poll_for, 1, std::min(look_every, static_cast<int>(left.count()) + 1)) != 1)
      continue;
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
  }
  return ETIMEDOUT;
}

} // namespace

int connect_tcp(const Endpoint& endpoint, double deadline, const Cancelled& cancelled) {
  const Addresses addresses{endpoint};
  std::string reason = "it has no address";
  for (auto* address = addresses.first; address != nullptr; address = address->ai_next) {
    const auto descriptor
      = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    auto error = descriptor < 0 ? errno : 0;
    if (error == 0 && ::connect(descriptor, address->ai_addr, address->ai_addrlen) != 0)
      error = errno == EINPROGRESS ? wait_for_connection(descriptor, deadline, cancelled) : errno;
    if (error == 0)
      return descriptor;
    reason = std::strerror(error);
    if (descriptor >= 0)
      close(descriptor);
  }
  throw IoError(reason);
}

int listen_tcp(const Endpoint& endpoint) {
  constexpr int backlog = 512;
  const Addresses addresses{endpoint, AI_PASSIVE};
  std::string reason = "it has no address";
  for (auto* address = addresses.first; address != nullptr; address = address->ai_next) {
    Descriptor listener{socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    const int one = 1;
    setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener.get(), address->ai_addr, address->ai_addrlen) == 0
        && listen(listener.get(), backlog) == 0)
      return listener.release();
    reason = std::strerror(errno);
  }
  throw IoError(reason);
}

std::uint16_t local_port_of(int descriptor) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &size);
  return ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&name)->sin6_port
                                          : reinterpret_cast<sockaddr_in*>(&name)->sin_port);
}

} // namespace troupe
