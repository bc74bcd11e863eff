#include "apps/transport/certificates.hpp"
#include "apps/transport/local_socket.hpp"
#include "tests/support/block_stage.hpp"
#include "tests/support/captured_errors.hpp"

#include <openssl/ssl.h>

#include <future>
#include <list>
#include <thread>

using namespace troupe;
using namespace troupe::test;

namespace {

/// The sixteen bytes at the start of every message.
std::string frame(std::uint32_t magic, std::uint32_t head, std::uint64_t payload) {
  std::string bytes(16, '\0');
  std::memcpy(bytes.data(), &magic, sizeof magic);
  std::memcpy(bytes.data() + 4, &head, sizeof head);
  std::memcpy(bytes.data() + 8, &payload, sizeof payload);
  return bytes;
}

constexpr std::uint32_t magic = 0x42505254;

std::string noise(std::size_t size, unsigned seed) {
  std::mt19937 random{seed};
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i)
    bytes += static_cast<char>(random());
  return bytes;
}

/// A request of a worker that was admitted and now sends anything.
BlockRequest request_of(BlockCall call, Index size = 0) {
  BlockRequest request;
  request.call = std::move(call);
  request.size = size;
  return request;
}

/// Whether the listener ends the connection without an answer.
template <class Write>
bool hangs_up_after(BlockStage& stage, Write write) {
  const auto socket = stage.open();
  try {
    write(*socket);
    BlockReply reply;
    read_head(stage.system, *socket, reply);
    return false;
  } catch (const IoError&) {
    return true;
  }
}

bool hangs_up(BlockStage& stage, const BlockRequest& request, const std::string& payload) {
  return hangs_up_after(stage, [&](BlockSocket& socket) {
    write_message(stage.system, socket, request, std::as_bytes(std::span{payload}));
  });
}

} // namespace

TEST_CASE("a peer without the cluster's secret is refused with a sentence", "[R14]") {
  const CapturedErrors errors;
  BlockStage stage;
  const auto local = GENERATE(false, true);
  CHECK_THROWS_WITH(stage.open({}, local, "guess"), Catch::Contains("another cluster"));
  CHECK_THROWS_WITH(stage.open({}, local, ""), Catch::Contains("another cluster"));
  CHECK(stage.serves());
  CHECK(errors.text().find("another cluster") != std::string::npos);
}

TEST_CASE("a refused peer is told the cure", "[R14]") {
  const CapturedErrors errors;
  BlockStage stage;
  CHECK_THROWS_WITH(stage.open({}, false, "guess"), Catch::Contains("the same TROUPE_TOKEN"));
  BlockRequest hello;
  hello.call = BlockHello{protocol_version + 1, "secret"};
  auto socket = BlockSocket::connect({"127.0.0.1", stage.listener->port()}, {}, 5);
  write_message(stage.system, socket, hello, {});
  BlockReply reply;
  read_head(stage.system, socket, reply);
  CHECK_THAT(reply.sentence, Catch::Contains("use the same version"));
}

TEST_CASE("a holder without a secret serves workers that have one", "[R14]") {
  const CapturedErrors errors;
  BlockStage stage{{}, ""};
  CHECK_NOTHROW(stage.open({}, GENERATE(false, true), "any"));
}

TEST_CASE("only members read parameters through the listener", "[R14]") {
  const CapturedErrors errors;
  BlockStage stage;
  const auto local = GENERATE(false, true);
  const auto channel = [&](WorkerId worker) {
    return spawn_block_channel(stage.system, stage.open({}, local), {worker, {}});
  };
  const auto member = channel(0), reader = channel(1), stranger = channel(2);
  stage.create(member, Block{17});
  stage.join(1, 17, true);
  CHECK(stage.ask<Parameters>(member, Pull{0})->values == Block{17});
  CHECK(stage.ask<Parameters>(reader, Pull{1})->values == Block{17});
  const auto refused = stage.ask<Parameters>(stranger, Pull{2});
  CHECK(refused.error() == Error::not_joined);
  CHECK_THAT(sentence(refused.error()), Catch::Contains("refuses Pull: worker 2 is no member"));
  CHECK(stage.ask<Parameters>(stranger, Await{2, 0}).error() == Error::not_joined);
  caf::anon_send(stage.holder, Leave{0});
  CHECK(stage.ask<Parameters>(member, Pull{0}).error() == Error::not_joined);
  CHECK(stage.ask<Parameters>(member, Await{0, 0}).error() == Error::not_joined);
  CHECK(stage.ask<Parameters>(reader, Pull{1}));
  CHECK(errors.text().find("refuses Pull: worker 2 is no member") != std::string::npos);
}

TEST_CASE("a worker abandons an unresponsive holder on its machine at the deadline", "[R13]") {
  const CapturedErrors errors;
  BlockStage stage;
  const auto name = "troupe-test-" + std::to_string(getpid());
  const auto listener = listen_locally(name); // and never accepts
  std::promise<void> done;
  std::thread frees{[&] { // ends a connection without a deadline, which would wait forever
    done.get_future().wait_for(std::chrono::seconds{10});
    ::shutdown(listener, SHUT_RDWR);
    close(listener);
  }};
  CHECK_THROWS_WITH(open_block_socket(stage.system, {"127.0.0.1", 1}, name, {}, "secret", 0.2),
                    Catch::Contains("no byte was transferred within the deadline"));
  done.set_value();
  frees.join();
}

TEST_CASE("noise and incomplete messages do the listener no harm", "[R13][R14]") {
  const CapturedErrors errors;
  BlockStage stage;
  const auto port = stage.listener->port();
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Stranger stranger{port};
    stranger.send(noise(1 + seed * 37, seed));
    if (seed % 2 == 0) { // else it disconnects at once
      shutdown(stranger.descriptor(), SHUT_WR);
      CHECK(stranger.read_to_end() == 0);
    }
  }
  for (const auto& bytes :
       {std::string{}, frame(magic, 100, 0).substr(0, 7), frame(magic, 100, 0),
        frame(magic, 100, 0) + noise(50, 1), frame(magic, 100, 0) + noise(100, 2),
        frame(magic, 64 << 10, 0) + noise(64 << 10, 3), frame(magic, 0xffffffff, 0),
        frame(magic, 0, 0), frame(magic, 8, ~std::uint64_t{0}) + noise(8, 4)}) {
    const Stranger stranger{port};
    stranger.send(bytes);
    shutdown(stranger.descriptor(), SHUT_WR);
    CHECK(stranger.read_to_end() == 0);
  }
  CHECK(stage.serves());
}

TEST_CASE("64 silent connections do not delay a worker", "[R13][R14]") {
  const CapturedErrors errors; // about the connections that end
  BlockStage stage;
  std::list<Stranger> idle;
  std::list<std::shared_ptr<BlockSocket>> known; // admitted, and silent since
  for (auto i = 0; i < 64; ++i) {
    idle.emplace_back(stage.listener->port());
    known.push_back(stage.open());
  }
  CHECK(stage.serves());
  idle.clear();
  known.clear();
  CHECK(stage.serves());
}

TEST_CASE("an admitted worker that sends nonsense is cut off, and the listener goes on",
          "[R13][R14]") {
  const CapturedErrors errors;
  BlockStage stage;
  stage.create(stage.channel(), Block{17});
  CHECK(hangs_up(stage, request_of(BlockHello{}), ""));
  CHECK(hangs_up(stage, request_of(ExchangeBlock{}, 17), std::string(10, 'x')));
  CHECK(hangs_up(stage, request_of(ExchangeBlock{}, -1), ""));
  CHECK(hangs_up(stage, request_of(ExchangeBlock{}, Index{1} << 40), ""));
  CHECK(hangs_up(stage, request_of(PullBlock{}, 1), std::string(100'000, 'x')));
  for (const auto format :
       {WireFormat::int8, WireFormat::int4, WireFormat::top_k, static_cast<WireFormat>(99)}) {
    auto request = request_of(ExchangeBlock{}, 17);
    request.wire.format = format;
    CHECK(hangs_up(stage, request, noise(64, 5)));
  }
  const auto unknown = frame(magic, 50, 0) + std::string(50, 'M');
  CHECK(hangs_up_after(
    stage, [&](BlockSocket& socket) { socket.write(std::as_bytes(std::span{unknown})); }));
  auto request = request_of(ExchangeBlock{}, 17);
  request.segment.id = 1234; // of shared memory, over TCP
  CHECK(hangs_up(stage, request, ""));
  CHECK(stage.serves());
  CHECK(stage.ask<Parameters>(stage.holder, Pull{0})->values == Block{17});
}

TEST_CASE("a worker that disconnects during an answer does no harm", "[R13]") {
  const auto secured = GENERATE(false, true);
  WorkFolder work;
  const auto trust = secured ? trust_of_node(work.path()) : Trust{};
  BlockStage stage{trust};
  stage.create(stage.channel({}, trust), Block{4'000'000});
  for (auto i = 0; i < 5; ++i) {
    auto socket = stage.open(trust);
    write_message(stage.system, *socket, request_of(PullBlock{}), {});
    if (i % 2 == 0) {
      BlockReply reply;
      read_head(stage.system, *socket, reply);
    }
  }
  CHECK(stage.serves(trust));
}

TEST_CASE("a listener with certificates accepts only those of its authority", "[R14]") {
  WorkFolder work;
  const auto ours = work.path() / "ours", theirs = work.path() / "theirs";
  make_authority(ours);
  make_authority(theirs);
  const Trust trust{make_identity(ours, "ps-0")};
  const Trust worker{make_identity(ours, "worker-0")};
  const CapturedErrors errors;
  BlockStage stage{trust};
  REQUIRE(stage.serves(worker));

  auto foreign = make_identity(theirs, "worker-0");
  foreign.authority = ours / "ca.pem"; // it would trust the listener
  CHECK_THROWS_AS(stage.open({foreign}), IoError);
  CHECK_THROWS_AS(stage.open({identity_in(theirs, "worker-0")}), IoError);
  CHECK_THROWS_AS(stage.open({make_identity(ours, "old", -1)}), IoError);
  CHECK(stage.serves(worker));

  CHECK_THROWS_AS(stage.open({}), IoError); // plain TCP
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Stranger stranger{stage.listener->port()};
    stranger.send(noise(500, seed));
    shutdown(stranger.descriptor(), SHUT_WR);
    stranger.read_to_end();
  }
  CHECK(stage.serves(worker));

  auto* context = SSL_CTX_new(TLS_client_method());
  auto* anonymous = SSL_new(context);
  {
    const Stranger stranger{stage.listener->port()};
    SSL_set_fd(anonymous, stranger.descriptor());
    SSL_connect(anonymous);
    char byte = 0;
    CHECK(SSL_read(anonymous, &byte, 1) <= 0);
  }
  SSL_free(anonymous);
  SSL_CTX_free(context);
  CHECK(stage.serves(worker));
  CHECK(errors.text().find("not belong to this cluster") != std::string::npos);
}

TEST_CASE("blocks cross a secured listener unchanged", "[R14][L8]") {
  WorkFolder work;
  make_authority(work.path());
  const Trust trust{make_identity(work.path(), "node")};
  BlockStage stage{trust};
  const auto channel = stage.channel({}, trust);
  const auto values = random_block(1'000'000, 3);
  stage.create(channel, values);
  CHECK(stage.ask<Parameters>(channel, Pull{0})->values == values);
  const auto other = random_block(1'000'000, 4);
  const auto exchanged = stage.ask<Parameters>(channel, exchange_of(1, other, replacing()));
  REQUIRE(exchanged);
  CHECK(exchanged->values == other);
}
