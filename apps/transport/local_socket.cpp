#include "apps/transport/local_socket.hpp"

#include "base/failure.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace troupe {

namespace {

struct LocalAddress {
  sockaddr_un name{};
  socklen_t size = 0;
};

LocalAddress local_address(const std::string& name) {
  LocalAddress address;
  address.name.sun_family = AF_UNIX;
  const auto length = std::min(name.size(), sizeof address.name.sun_path - 2);
  std::copy_n(name.begin(), length, address.name.sun_path + 1);
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return address;
}

/// A message of one byte that carries one descriptor.
struct DescriptorMessage {
  DescriptorMessage() {
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
};

} // namespace

int listen_locally(const std::string& name) {
  const auto listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = local_address(name);
  if (listener < 0
      || bind(listener, reinterpret_cast<const sockaddr*>(&address.name), address.size) != 0
      || listen(listener, 64) != 0)
    throw IoError(std::string{"cannot listen on the local socket: "} + std::strerror(errno));
  return listener;
}

void connect_locally(int socket, const std::string& name) {
  const auto address = local_address(name);
  if (socket < 0
      || ::connect(socket, reinterpret_cast<const sockaddr*>(&address.name), address.size) != 0)
    throw IoError(std::string{"nothing listens on the local socket: "} + std::strerror(errno));
}

void check_same_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid())
    throw IoError("the peer of the local socket belongs to another user");
}

bool send_descriptor(int socket, int descriptor) {
  DescriptorMessage one;
  auto* header = CMSG_FIRSTHDR(&one.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return sendmsg(socket, &one.message, MSG_NOSIGNAL) == 1;
}

std::optional<int> receive_descriptor(int socket) {
  DescriptorMessage one;
  const auto count = recvmsg(socket, &one.message, MSG_CMSG_CLOEXEC);
  const auto* header = count == 1 ? CMSG_FIRSTHDR(&one.message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS)
    return {};
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

} // namespace troupe
