#include "apps/transport/local_socket.hpp"
#include "base/exit_codes.hpp"

#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

using namespace troupe;

namespace {

std::string name_here() { return "troupe-local-socket-test-" + std::to_string(getpid()); }

} // namespace

TEST_CASE("a descriptor can be sent over a local connection", "[block_transfer]") {
  const auto listener = listen_locally(name_here());
  const auto near = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  connect_locally(near, name_here());
  const auto far = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  CHECK_NOTHROW(check_same_user(near));
  CHECK_NOTHROW(check_same_user(far));
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  REQUIRE(send_descriptor(near, pipe_ends[1]));
  const auto received = receive_descriptor(far);
  REQUIRE(received);
  REQUIRE(write(*received, "x", 1) == 1);
  char byte = 0;
  CHECK(read(pipe_ends[0], &byte, 1) == 1);
  CHECK(byte == 'x');
  close(near);
  CHECK_FALSE(receive_descriptor(far)); // the connection has ended
  for (const auto descriptor : {listener, far, *received, pipe_ends[0], pipe_ends[1]})
    close(descriptor);
}

TEST_CASE("connecting to a name without a listener says so", "[block_transfer]") {
  const auto socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK_THROWS_WITH(connect_locally(socket, name_here() + "-missing"),
                    Catch::Contains("nothing listens on the local socket"));
  close(socket);
}
