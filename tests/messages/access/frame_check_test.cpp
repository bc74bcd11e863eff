#include "messages/access/frame_check.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace troupe;
using Catch::Contains;

namespace {

enum : char { from_server = 0, from_client = 1, direct = 2, heartbeat = 6 };

std::vector<char> header_of(char operation, std::uint32_t payload, char flags = 0,
                            unsigned char category = 0x10) {
  std::vector<char> bytes(FrameCheck::header_size);
  bytes[0] = operation;
  bytes[3] = flags;
  bytes[8] = static_cast<char>(category);
  for (auto i = 0; i < 4; ++i)
    bytes[4 + i] = static_cast<char>(payload >> (24 - 8 * i));
  return bytes;
}

std::vector<char> payload_of_size(std::size_t size) { return std::vector<char>(size); }

/// The payload of a message: no stages, a number, and the names of its types before its content.
std::vector<char> message_of(const std::string& types, std::size_t content = 10) {
  std::vector<char> bytes{0, 0, 0};
  auto length = types.size();
  for (; length > 0x7f; length >>= 7)
    bytes.push_back(static_cast<char>((length & 0x7f) | 0x80));
  bytes.push_back(static_cast<char>(length));
  bytes.insert(bytes.end(), types.begin(), types.end());
  bytes.resize(bytes.size() + content);
  return bytes;
}

std::string frame_refusal(FrameCheck& check, const std::vector<char>& message, char flags = 0) {
  auto why = check.refuse(header_of(direct, static_cast<std::uint32_t>(message.size()), flags));
  return why.empty() ? check.refuse(message) : why;
}

const std::vector<char> some_node(40, 'n');

FrameCheck introduced_client() {
  FrameCheck check{FrameCheck::Side::accepts};
  REQUIRE(check.refuse(header_of(from_client, 40)).empty());
  REQUIRE_FALSE(check.introduced());
  REQUIRE(check.refuse(some_node).empty());
  REQUIRE(check.introduced());
  return check;
}

} // namespace

TEST_CASE("a client that introduces itself may send messages of any kind", "[frame_check]") {
  auto check = introduced_client();
  CHECK(check.refuse(header_of(heartbeat, 0)).empty());
  CHECK(frame_refusal(check, message_of("@<>+troupe::ControlRequest", 100'000)).empty());
  CHECK(frame_refusal(check, message_of("@<>+" + std::string(300, 'x'))).empty());
  CHECK(check.refuse(header_of(from_client, 40)).empty()); // CAF repeats it
  CHECK(check.refuse(some_node).empty());
}

TEST_CASE("messages that would end an actor, or link it, are refused from any node",
          "[frame_check]") {
  for (const auto* types : {"@<>+@exit", "@<>+@down", "@<>+@atom+@strong_actor_ptr"}) {
    auto check = introduced_client();
    CHECK_THAT(frame_refusal(check, message_of(types)), Contains("tried to end an actor"));
    FrameCheck connecting{FrameCheck::Side::connects};
    REQUIRE(connecting.refuse(header_of(from_server, 200)).empty());
    REQUIRE(connecting.refuse(payload_of_size(200)).empty());
    CHECK_FALSE(frame_refusal(connecting, message_of(types)).empty());
  }
}

TEST_CASE("a message that claims to be a stream's, which would end the process, is refused",
          "[frame_check]") {
  for (const auto category : {0x20, 0x30, 0xa0, 0xf0}) {
    auto check = introduced_client();
    CHECK_THAT(check.refuse(header_of(direct, 30, 0, static_cast<unsigned char>(category))),
               Contains("stream"));
  }
  auto check = introduced_client();
  CHECK(check.refuse(header_of(direct, 30, 0, 0x90)).empty()); // an answer
}

TEST_CASE("services of CAF's own actors are refused", "[frame_check]") {
  auto check = introduced_client();
  CHECK_THAT(frame_refusal(check, message_of("@<>+@atom+@str+@message"), 1), Contains("service"));
}

TEST_CASE("a peer speaks for no other node", "[frame_check]") {
  enum : char { routed = 3, monitor = 4, down = 5 };
  for (const auto operation : {monitor, down}) {
    auto check = introduced_client();
    auto payload = some_node;
    payload.resize(80);
    REQUIRE(check.refuse(header_of(operation, 80)).empty());
    CHECK(check.refuse(payload).empty());
    payload[3] = 'm';
    REQUIRE(check.refuse(header_of(operation, 80)).empty());
    CHECK_THAT(check.refuse(payload), Contains("another node"));
  }
  auto check = introduced_client();
  CHECK_FALSE(check.refuse(header_of(routed, 80)).empty());
  REQUIRE(check.refuse(header_of(from_client, 40)).empty());
  CHECK_THAT(check.refuse(payload_of_size(40)), Contains("another node"));
}

TEST_CASE("truncated or malformed messages are refused", "[frame_check]") {
  const auto whole = message_of("@<>+troupe::Join", 0);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    auto check = introduced_client();
    CHECK_FALSE(
      frame_refusal(check, {whole.begin(), whole.begin() + static_cast<long>(size)}).empty());
  }
  auto check = introduced_client();
  CHECK_FALSE(frame_refusal(check, std::vector<char>(20, '\xff')).empty());
}

TEST_CASE("a handshake without content, which would end the process, is refused", "[frame_check]") {
  FrameCheck listening{FrameCheck::Side::accepts}, connecting{FrameCheck::Side::connects};
  CHECK_THAT(listening.refuse(header_of(from_client, 0)), Contains("has 0 bytes"));
  CHECK_THAT(connecting.refuse(header_of(from_server, 0)), Contains("has 0 bytes"));
  auto check = introduced_client();
  CHECK_THAT(check.refuse(header_of(from_client, 0)), Contains("has 0 bytes"));
}

TEST_CASE("a claimed length of 4 GiB is refused, before and after the introduction",
          "[frame_check]") {
  FrameCheck stranger{FrameCheck::Side::accepts};
  CHECK_THAT(stranger.refuse(header_of(from_client, 0xffffffff)), Contains("4294967295 bytes"));
  auto check = introduced_client();
  CHECK_THAT(check.refuse(header_of(direct, 0xffffffff)), Contains("4294967295 bytes"));
}

TEST_CASE("whole parameters may come from the process that was connected to", "[frame_check]") {
  FrameCheck check{FrameCheck::Side::connects};
  REQUIRE(check.refuse(header_of(from_server, 200)).empty());
  REQUIRE(check.refuse(payload_of_size(200)).empty());
  CHECK(check.refuse(header_of(direct, 3'000'000'000)).empty());
}

TEST_CASE("what comes before an introduction, or from the wrong side, is refused",
          "[frame_check]") {
  FrameCheck check{FrameCheck::Side::accepts};
  CHECK_THAT(check.refuse(header_of(direct, 100)), Contains("did not introduce itself"));
  CHECK_THAT(check.refuse(header_of(heartbeat, 0)), Contains("did not introduce itself"));
  CHECK_FALSE(check.refuse(header_of(from_server, 100)).empty());
  CHECK_FALSE(check.refuse(header_of(7, 100)).empty());
  CHECK_FALSE(check.refuse(header_of(-1, 100)).empty());
  CHECK_FALSE(check.refuse(payload_of_size(5)).empty());
}
