// An unreachable peer blocks a caller no longer than the caller allows.
#include "apps/transport/node_system.hpp"
#include "apps/transport/reached_holder.hpp"
#include "apps/transport/tcp_connection.hpp"
#include "base/failure.hpp"
#include "messages/wire/type_ids.hpp"

#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>

using namespace troupe;

namespace {

/// An address that swallows packets, like a machine that is switched off: a listener whose backlog
/// is full.
class Hole {
public:
  Hole() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* where = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(bind(sockets_.front(), where, size) == 0);
    REQUIRE(getsockname(sockets_.front(), where, &size) == 0);
    REQUIRE(listen(sockets_.front(), 0) == 0);
    endpoint = {"127.0.0.1", ntohs(address.sin_port)};
    for (auto filler = sockets_.begin() + 1; filler != sockets_.end(); ++filler)
      ::connect(*filler, where, size);
  }
  ~Hole() {
    for (auto one : sockets_)
      close(one);
  }
  Hole(const Hole&) = delete;
  Hole& operator=(const Hole&) = delete;

  Endpoint endpoint;

private:
  static int make() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
  std::array<int, 5> sockets_{make(), make(), make(), make(), make()};
};

/// Seconds since its construction.
class StopWatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

} // namespace

TEST_CASE("connecting ends at its deadline, or when it is cancelled", "[connect][R8]") {
  const Hole hole;
  const StopWatch watch;
  CHECK_THROWS_WITH(connect_tcp(hole.endpoint, 0.3), "Connection timed out");
  CHECK_THROWS_AS(connect_tcp(hole.endpoint, 1000, [] { return true; }), IoError);
  CHECK(watch.seconds() < 20);
}

TEST_CASE("without a listener connecting fails at once, with the reason", "[connect]") {
  const auto closed = Hole{}.endpoint;
  CHECK_THROWS_WITH(connect_tcp(closed, 1000), "Connection refused");
}

TEST_CASE("waiting for an unreachable holder ends at the deadline, and on a signal",
          "[connect][R8][R17]") {
  const Hole hole;
  const StopWatch watch;
  {
    NodeSystemConfig config{1};
    caf::actor_system system{config}; // its end is measured too
    std::atomic<bool> interrupted{false};
    CHECK_THROWS_AS(wait_for_holder(system, hole.endpoint, {}, "", 0.3, interrupted), Failure);
    interrupted = true;
    CHECK_FALSE(wait_for_holder(system, hole.endpoint, {}, "", 1000, interrupted));
  }
  CHECK(watch.seconds() < 20);
}
