// Strangers at a listener, over real sockets.
#include "apps/transport/node_system.hpp"
#include "apps/transport/published_actor.hpp"
#include "apps/transport/reached_holder.hpp"
#include "tests/support/block_stage.hpp"
#include "tests/support/captured_errors.hpp"

#include <caf/scheduler/abstract_coordinator.hpp>
#include <openssl/ssl.h>

#include <future>
#include <list>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A published holder, with certificates or plain.
struct PublishedHolder {
  explicit PublishedHolder(const Trust& trust = {}) : own(trust) {}
  bool answers() {
    NodeSystemConfig config{1};
    caf::actor_system system{config};
    const auto reached = reach_holder(system, {"127.0.0.1", published.port()}, own, "");
    if (!reached)
      return false;
    auto answered = false;
    caf::scoped_actor self{system};
    self->request(*reached, std::chrono::seconds{20}, GetHolderStatus{})
      .receive([&](const HolderStatus&) { answered = true; }, [](const caf::error&) {});
    return answered;
  }

  Trust own;
  CapturedErrors errors;
  BlockStage stage;
  PublishedActor published{
    holder_entry_point(stage.holder), {"127.0.0.1", 0}, own, "the parameter holder"};
};

std::string actor_header(char operation, std::uint32_t payload) {
  std::string bytes(32, '\0');
  bytes[0] = operation;
  for (auto i = 0; i < 4; ++i)
    bytes[4 + static_cast<std::size_t>(i)] = static_cast<char>(payload >> (24 - 8 * i));
  return bytes;
}

Trust trust_of_one(const WorkFolder& work) {
  make_authority(work.path());
  return make_identity(work.path(), "node");
}

} // namespace

TEST_CASE("the packet of 32 bytes that once crashed a plain node is refused", "[listener][R14]") {
  PublishedHolder holder;
  for (const auto operation : {0, 1, 2, 3, 4, 5, 6, 7})
    for (const auto payload : {0u, 0xffffffffu}) {
      const Stranger stranger{holder.published.port()};
      stranger.send(actor_header(static_cast<char>(operation), payload));
      stranger.read_to_end(); // else it would wait for the deadline of the test
    }
  CHECK(holder.answers());
}

TEST_CASE("more idle connections than the limit leave room for a peer", "[listener][R14]") {
  WorkFolder work;
  const auto secured = GENERATE(false, true);
  PublishedHolder holder{secured ? trust_of_one(work) : Trust{}};
  std::list<Stranger> idle;
  for (auto i = 0; i < 300; ++i)
    idle.emplace_back(holder.published.port());
  CHECK(holder.answers());
  for (auto i = 0; i < 300; ++i) {
    idle.emplace_back(holder.published.port());
    idle.back().send(secured ? std::string{"\x16\x03\x01"} : actor_header(1, 40)); // then silence
  }
  CHECK(holder.answers());
}

TEST_CASE("an idle connection ends at its deadline, with a line that says so", "[listener][R14]") {
  PublishedHolder holder;
  const Stranger idle{holder.published.port()};
  idle.read_to_end();
  CHECK(holder.answers());
  CHECK_THAT(holder.errors.text(),
             Catch::Contains("a connection to the parameter holder from 127.0.0.1 was refused: it "
                             "did not authenticate within 5 s"));
}

TEST_CASE("a peer that shows a certificate and then is silent has the same deadline",
          "[listener][R14]") {
  WorkFolder work;
  PublishedHolder holder{trust_of_one(work)};
  auto silent = BlockSocket::connect({"127.0.0.1", holder.published.port()}, holder.own, 20);
  std::array<std::byte, 4096> bytes{};
  // The holder introduces itself, and then the connection ends.
  CHECK_THROWS_AS(silent.read(bytes), IoError);
  CHECK(holder.answers());
}

TEST_CASE("a run's own certificate is accepted at its port, and another run's is not",
          "[listener][P15]") {
  const auto own_trust = [] {
    Trust trust;
    trust.tls = std::make_shared<const TlsContext>(make_own_certificate("run"));
    return trust;
  };
  PublishedHolder holder{own_trust()};
  CHECK(holder.answers());
  NodeSystemConfig config{1};
  caf::actor_system system{config};
  CHECK_FALSE(reach_holder(system, {"127.0.0.1", holder.published.port()}, own_trust(), ""));
  CHECK_FALSE(reach_holder(system, {"127.0.0.1", holder.published.port()}, {}, ""));
}

TEST_CASE("a hundred strangers make a few lines on the console, with their number",
          "[listener][R14]") {
  WorkFolder work;
  PublishedHolder holder{trust_of_one(work)};
  for (auto i = 0; i < 100; ++i) {
    const Stranger stranger{holder.published.port()};
    stranger.send("GET / HTTP/1.1\r\n\r\n");
    stranger.read_to_end();
  }
  CHECK(holder.answers());
  const auto text = holder.errors.text();
  const auto lines = std::count(text.begin(), text.end(), '\n');
  CHECK(lines >= 1);
  CHECK(lines < 50); // one per second
  CHECK_THAT(text, Catch::Contains("not belong to this cluster"));
}

TEST_CASE("the limit of open files limits the pending connections", "[listener]") {
  CHECK(pending_limits(1024).total == 64);
  CHECK(pending_limits(1024).per_address == 32);
  CHECK(pending_limits(1'048'576).total == 256);
  CHECK(pending_limits(20).total == 16);
}
