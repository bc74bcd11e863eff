#include "apps/block_transfer/block_socket.hpp"
#include "apps/transport/record_cipher.hpp"
#include "apps/transport/trust.hpp"
#include "base/failure.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <thread>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

using Sealed = std::vector<std::byte>;

/// Two ends of a connection after the handshake of mutual TLS.
struct SecuredEnds {
  SecuredEnds() {
    make_authority(work.path());
    const Trust trust = make_identity(work.path(), "node");
    int both[2] = {};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, both) == 0);
    here = Descriptor{both[0]};
    there = Descriptor{both[1]};
    client = trust.tls->connect(both[0]);
    server = trust.tls->accept(both[1]);
    auto client_done = false, server_done = false;
    for (auto turn = 0; turn < 20 && !(client_done && server_done); ++turn) {
      client_done = client_done || client.shake_hands() == TlsSession::Handshake::done;
      server_done = server_done || server.shake_hands() == TlsSession::Handshake::done;
    }
    REQUIRE((client_done && server_done));
  }

  BlockSocket socket_here() { return socket(std::move(here), std::move(client)); }
  BlockSocket socket_there() { return socket(std::move(there), std::move(server)); }

  WorkFolder work;
  Descriptor here, there;
  TlsSession client, server;

private:
  static BlockSocket socket(Descriptor descriptor, TlsSession session) {
    BlockSocket socket{{std::move(descriptor), std::move(session), false, nullptr}};
    socket.set_deadline(20);
    socket.use_records();
    return socket;
  }
};

Sealed counted_bytes(std::size_t size) {
  Sealed bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>(i * 7);
  return bytes;
}

Sealed sealed_by(RecordCipher& cipher, const Sealed& plain) {
  Sealed sealed(plain.size() + RecordCipher::tag);
  cipher.seal(plain, sealed.data());
  return sealed;
}

/// Whether the cipher takes the record, as that text.
bool opens_as(RecordCipher& cipher, const Sealed& sealed, const Sealed& expected) {
  Sealed plain(sealed.size() - RecordCipher::tag);
  return cipher.open(sealed, plain.data()) && plain == expected;
}

} // namespace

TEST_CASE("records of any size arrive in both directions, and are not readable in between",
          "[records]") {
  const SecuredEnds ends;
  RecordCipher client{ends.client}, server{ends.server};
  for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 100'000u}) {
    const auto plain = counted_bytes(size);
    const auto sent = sealed_by(client, plain);
    CHECK(opens_as(server, sent, plain));
    const auto answered = sealed_by(server, plain);
    CHECK(opens_as(client, answered, plain));
    CHECK(sent != answered); // each direction has a key of its own
    if (size >= 16)
      CHECK(std::search(sent.begin(), sent.end(), plain.begin(), plain.end()) == sent.end());
  }
}

TEST_CASE("equal records differ once they are sealed, and in another session", "[records]") {
  const SecuredEnds one, other;
  RecordCipher cipher{one.client}, of_other{other.client};
  const auto plain = counted_bytes(64);
  const auto first = sealed_by(cipher, plain);
  CHECK(sealed_by(cipher, plain) != first);
  CHECK(sealed_by(of_other, plain) != first);
}

TEST_CASE("a record with a changed bit is refused", "[records]") {
  const SecuredEnds ends;
  const auto plain = counted_bytes(20);
  for (std::size_t bit = 0; bit < 8 * (plain.size() + RecordCipher::tag); ++bit) {
    RecordCipher client{ends.client}, server{ends.server};
    auto sealed = sealed_by(client, plain);
    sealed[bit / 8] ^= std::byte{1} << (bit % 8);
    REQUIRE_FALSE(opens_as(server, sealed, plain));
  }
}

TEST_CASE("a record that is repeated, left out, cut or sent back is refused", "[records]") {
  const SecuredEnds ends;
  const auto plain = counted_bytes(20);
  const auto refused = [&](auto&& change) {
    RecordCipher client{ends.client}, server{ends.server};
    const auto first = sealed_by(client, plain), second = sealed_by(client, plain);
    return !change(client, server, first, second);
  };
  CHECK(refused([&](auto&, auto& server, const Sealed& first, const Sealed&) {
    return opens_as(server, first, plain) && opens_as(server, first, plain);
  }));
  CHECK(refused([&](auto&, auto& server, const Sealed&, const Sealed& second) {
    return opens_as(server, second, plain);
  }));
  CHECK(refused([&](auto&, auto& server, const Sealed& first, const Sealed&) {
    return opens_as(server, {first.begin(), first.end() - 1}, {plain.begin(), plain.end() - 1});
  }));
  CHECK(refused([&](auto& client, auto&, const Sealed& first, const Sealed&) {
    return opens_as(client, first, plain);
  }));
}

TEST_CASE("bytes cross a secured connection in pieces of any size", "[records]") {
  SecuredEnds ends;
  auto here = ends.socket_here(), there = ends.socket_there();
  const auto sent = counted_bytes(700'001);
  std::thread sender{[&] {
    here.write(std::span{sent}.first(3));
    here.write(std::span{sent}.subspan(3));
  }};
  Sealed received(sent.size());
  for (std::size_t at = 0, piece = 1; at < received.size(); piece *= 3) {
    const auto length = std::min(piece, received.size() - at);
    CHECK(there.wait());
    there.read(std::span{received}.subspan(at, length));
    at += length;
  }
  sender.join();
  CHECK(received == sent);
  here.shut();
  CHECK_FALSE(there.wait());
}

TEST_CASE("a secured connection refuses what is no record", "[records]") {
  SecuredEnds ends;
  const auto raw = ends.here.get();
  auto there = ends.socket_there();
  Sealed bytes(8);
  const auto send_raw = [&](std::uint32_t length, std::size_t rest) {
    std::string text(sizeof length + rest, 'x');
    std::memcpy(text.data(), &length, sizeof length);
    REQUIRE(send(raw, text.data(), text.size(), MSG_NOSIGNAL) == ssize_t(text.size()));
  };
  send_raw(0, 0);
  CHECK_THROWS_WITH(there.read(bytes), Contains("does not speak Troupe's protocol"));
  send_raw(~std::uint32_t{0}, 0);
  CHECK_THROWS_WITH(there.read(bytes), Contains("does not speak Troupe's protocol"));
  send_raw(8, 8 + RecordCipher::tag);
  CHECK_THROWS_WITH(there.read(bytes), Contains("was changed on its way"));
}
