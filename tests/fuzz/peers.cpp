// What another process sends: messages, the way in to a parameter holder, blocks of floats.
#include "apps/block_transfer/block_message.hpp"
#include "base/failure.hpp"
#include "messages/grid/grid_nodes.hpp"
#include "messages/grid/grid_wire.hpp"
#include "messages/parameters/parameter_store.hpp"
#include "messages/requests/error.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/parser.hpp"
#include "tests/support/every_message.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace troupe::fuzz {

namespace {

using Frames = std::vector<char>;

/// A system whose actors have no threads.
caf::actor_system& quiet_system() {
  struct Config : caf::actor_system_config {
    Config() {
      set("scheduler.policy", caf::atom("testing"));
      add_messages(*this);
      add_grid_messages(*this);
    }
  };
  static Config config;
  static auto* system = new caf::actor_system{config}; // ends with the process
  return *system;
}

template <class T>
bool read_bytes(std::string_view bytes, T& message) {
  caf::binary_deserializer in{quiet_system(), bytes.data(), bytes.size()};
  return !in(message);
}

template <class T>
Frames bytes_of(const T& message) {
  Frames bytes;
  caf::binary_serializer out{quiet_system(), bytes};
  if (auto error = out(message))
    report("a message that was read cannot be written: " + sentence(error));
  return bytes;
}

// -- single messages
// --------------------------------------------------------------------------------

/// One message of each type, each field of which is its default.
const std::vector<caf::type_erased_value_ptr>& known_messages() {
#define TROUPE_KNOWN_MESSAGE(Message) known.push_back(test::erased(Message{}));
  static const auto all = [] {
    std::vector<caf::type_erased_value_ptr> known;
    TROUPE_MESSAGES(TROUPE_KNOWN_MESSAGE)
    TROUPE_GRID_MESSAGES(TROUPE_KNOWN_MESSAGE)
    TROUPE_GRID_NODE_MESSAGES(TROUPE_KNOWN_MESSAGE)
    return known;
  }();
#undef TROUPE_KNOWN_MESSAGE
  return all;
}

/// What is read is written as what reads back as the same bytes, and prints.
void parse_message(std::string_view input) {
  const auto which = take_choice(input, 256);
  if (which >= known_messages().size())
    return;
  const auto message = known_messages()[which]->copy();
  if (!read_bytes(input, *message))
    return;
  to_string(*message);
  const auto first = bytes_of(*message);
  const auto again = known_messages()[which]->copy();
  if (!read_bytes({first.data(), first.size()}, *again) || bytes_of(*again) != first)
    report("a message that was written reads back as another one");
}

std::vector<std::string> message_seeds() {
  std::vector<std::string> seeds;
  test::DeterministicSystem world;
  test::each_message(world, [&seeds](auto message) {
    const auto value = test::erased(std::move(message));
    const auto& known = known_messages();
    const auto same_type = std::find_if(
      known.begin(), known.end(), [&](const auto& one) { return one->type() == value->type(); });
    const auto bytes = bytes_of(*value);
    seeds.push_back(static_cast<char>(same_type - known.begin())
                    + std::string{bytes.begin(), bytes.end()});
  });
  return seeds;
}

// -- messages as CAF carries them
// -------------------------------------------------------------------

void parse_mail(std::string_view input) {
  caf::message mail;
  if (read_bytes(input, mail))
    to_string(mail);
}

std::vector<std::string> mail_seeds() {
  std::vector<std::string> seeds;
  const auto add = [&seeds](const caf::message& mail) {
    const auto bytes = bytes_of(mail);
    seeds.emplace_back(bytes.begin(), bytes.end());
  };
  const auto block = Block::copy_of(std::vector<float>{1, 2, 3});
  add(caf::make_message(Join{1, protocol_version, test::some_layout(), "token", 4, 1.5, true, 77}));
  add(caf::make_message(CreateIfAbsent{1, block}));
  add(caf::make_message(
    Parameters{3, 2, 0.5, true, true, 17, block, block, {10, 12, 0.25, 0.5, 1, 0.75}}));
  add(caf::make_message(ControlRequest{"token", "set", {"learning_rate=0.5", "at=10"}}));
  return seeds;
}

// -- the way in to a parameter holder
// ---------------------------------------------------------------

void check_refusal(const caf::error& error) {
  if (error)
    check_sentence(sentence(error));
}

template <class T>
void check_answer(const caf::expected<T>& answer) {
  if (!answer)
    check_sentence(sentence(answer.error()));
}

/// A request to a store, from its kind and its bytes.
void ask_store(ParameterStore& store, unsigned kind, std::string_view bytes, double now) {
  const auto read = [bytes](auto message, auto use) {
    if (read_bytes(bytes, message))
      use(message);
  };
  switch (kind) {
  case 0: return read(Join{}, [&](auto& join) { check_answer(store.join(join, now)); });
  case 1: return read(Renew{}, [&](auto& renew) { check_answer(store.renew(renew, now)); });
  case 2: return read(CreateIfAbsent{}, [&](auto& x) { check_answer(store.create_if_absent(x)); });
  case 3:
    return read(Exchange{}, [&](auto& exchange) {
      check_refusal(store.exchange(std::move(exchange.push), now).refusal);
    });
  case 4:
    return read(PullPart{}, [&](auto& pull) { check_answer(store.pull_part(pull.selection)); });
  case 5: return read(PushPart{}, [&](auto& push) { check_answer(store.push_part(push, now)); });
  case 6: return read(Leave{}, [&](auto& leave) { store.leave(leave.worker, leave.incarnation); });
  default: return read(SavedHolder{}, [&](auto& saved) { check_refusal(store.restore(saved)); });
  }
}

/// Requests one after the other: a byte for the kind, a byte for the length, the bytes.
void parse_holder(std::string_view input) {
  ParameterStore store;
  double now = 0;
  while (!input.empty()) {
    const auto kind = take_choice(input, 8);
    const auto length = std::min<std::size_t>(take_choice(input, 256), input.size());
    ask_store(store, kind, input.substr(0, length), now += 0.5);
    input.remove_prefix(length);
    store.settle(now);
    store.expire(now);
    to_string(store.status());
  }
  ParameterStore next;
  check_refusal(next.restore(store.save()));
}

template <class T>
std::string framed(char kind, const T& message) {
  const auto bytes = bytes_of(message);
  if (bytes.size() > 255)
    report("a seed is too long");
  return std::string{kind, static_cast<char>(bytes.size())}
         + std::string{bytes.begin(), bytes.end()};
}

std::vector<std::string> holder_seeds() {
  const auto block = Block::copy_of(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  const auto part = Block::copy_of(std::vector<float>{1, 2});
  const Push push{{1, 1, 1}, 0, {"alpha_beta", {{"alpha", 0.5f}}}, Staleness{}, false, block, {}};
  const Selection rows{"linear0.weight", {{0, 2}, {1}}, {}};
  const auto begin
    = framed(0, Join{1, protocol_version, test::some_layout(), "", 1, 1.5, false, 77})
      + framed(2, CreateIfAbsent{1, block});
  auto round = push;
  round.staleness = Staleness{0};
  return {begin + framed(3, Exchange{push}) + framed(3, Exchange{push}) + framed(1, Renew{1, 1}),
          begin + framed(3, Exchange{round}) + framed(6, Leave{1, 1}),
          begin + framed(4, PullPart{1, rows}) + framed(5, PushPart{{1, 1, 1}, {1, 2}, rows, part}),
          framed(7, SavedHolder{test::some_layout(),
                                3,
                                5,
                                {3, 2},
                                {{1, {4, 2}, {3, 1}}},
                                block,
                                block,
                                17,
                                "outer_nesterov"})
            + begin};
}

// -- blocks of floats
// -------------------------------------------------------------------------------

/// An end of a connection on which the input comes, and then nothing more.
BlockSocket socket_with(std::string_view input) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    report("there are no sockets");
  if (send(ends[1], input.data(), input.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(input.size()))
    report("the input does not fit into a socket");
  close(ends[1]);
  return BlockSocket{{Descriptor{ends[0]}, {}, true, nullptr}};
}

constexpr Index most_floats = 1 << 20; ///< of a payload: who was let in may send a gigabyte

template <class Head>
void read_payload(BlockSocket& socket, Head head, std::size_t bytes, WireFormat format) {
  static PayloadCodec codec;
  ReceivedSegments segments;
  if (head.size > most_floats)
    return;
  if (head.segment.id != 0)
    segments.open(socket, head.segment, head.size);
  else
    codec.read(socket, format, bytes, head.size);
}

void parse_block(std::string_view input) {
  const auto answer = take_choice(input, 2) == 1;
  accept_or_refuse<IoError>([&] {
    auto socket = socket_with(input);
    while (socket.wait())
      if (answer) {
        BlockReply reply;
        const auto bytes = read_head(quiet_system(), socket, reply);
        read_payload(socket, reply, bytes, reply.wire);
      } else {
        BlockRequest request;
        const auto bytes = read_head(quiet_system(), socket, request);
        read_payload(socket, request, bytes, request.wire.format);
      }
  });
}

/// What is written on a connection.
template <class Head>
std::string written_on_socket(const Head& head, const WireOptions& wire, const Block& values) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    report("there are no sockets");
  auto socket = BlockSocket{{Descriptor{ends[1]}, {}, true, nullptr}};
  PayloadCodec codec;
  write_message(quiet_system(), socket, head, codec.encode(wire, values));
  std::string bytes(1 << 16, '\0');
  const auto count = read(ends[0], bytes.data(), bytes.size());
  close(ends[0]);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return bytes;
}

std::vector<std::string> block_seeds() {
  const std::string request(1, '\0'), answer(1, '\1');
  const auto block = Block::copy_of(std::vector<float>{1, 2, 3, -4, 5, 6, 7, 8});
  std::vector<std::string> seeds;
  BlockRequest hello;
  hello.call = BlockHello{protocol_version, "secret"};
  seeds.push_back(request + written_on_socket(hello, {}, {}));
  for (const auto format : {WireFormat::float32, WireFormat::bfloat16, WireFormat::float16,
                            WireFormat::int8, WireFormat::top_k, WireFormat::int4}) {
    BlockRequest exchange;
    ExchangeBlock call;
    call.push.id = {1, 1, 1};
    exchange.call = std::move(call);
    exchange.size = block.size();
    exchange.wire = {.format = format, .keep = 0.5, .chunk = 4};
    seeds.push_back(request + written_on_socket(exchange, exchange.wire, block));
    BlockReply reply;
    reply.size = block.size();
    reply.wire = format;
    seeds.push_back(answer + written_on_socket(reply, exchange.wire, block));
  }
  BlockRequest received;
  received.call = ReceivedBlock{};
  received.size = block.size();
  received.answer = AnswerMode::difference;
  seeds.push_back(request + written_on_socket(received, {}, block));
  BlockReply shown;
  shown.size = block.size();
  shown.segment = {7, 4096, true, {3}};
  seeds.push_back(answer + written_on_socket(shown, {}, {}));
  return seeds;
}

} // namespace

std::vector<Parser> peer_parsers() {
  return {{"message", parse_message, message_seeds},
          {"mail", parse_mail, mail_seeds},
          {"holder", parse_holder, holder_seeds},
          {"block", parse_block, block_seeds}};
}

} // namespace troupe::fuzz
