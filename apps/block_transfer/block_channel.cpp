#include "apps/block_transfer/block_channel.hpp"

#include "apps/block_transfer/block_message.hpp"
#include "apps/block_transfer/fragment_mirrors.hpp"
#include "base/failure.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/codecs/error_feedback.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <deque>
#include <mutex>
#include <utility>

namespace troupe {

namespace {

constexpr double answer_piece_deadline = 10; // seconds without progress within a message

/// Keeps pushed values alive after the connection ended: the holder may still read them in place,
/// so the worker must not reuse the memory soon.
void keep_a_while(const Block& values) {
  static std::mutex mutex;
  static std::deque<Block> kept;
  const std::lock_guard lock{mutex};
  kept.push_back(values);
  if (kept.size() > 2)
    kept.pop_front();
}

class BlockChannelState {
public:
  static constexpr const char* name = "block channel";
  using Self = BlockHolder::stateful_pointer<BlockChannelState>;

  void begin(Self self, std::shared_ptr<BlockSocket> socket, BlockChannelOptions options) {
    self_ = self;
    socket_ = std::move(socket);
    options_ = options;
    socket_->set_deadline(answer_piece_deadline);
  }

  caf::result<Parameters> create(const CreateIfAbsent& create) {
    return ask(CreateBlock{create.main_first}, create.values, {}, kept());
  }
  caf::result<Parameters> pull() { return ask(PullBlock{}, {}, {}, kept()); }
  caf::result<Parameters> await(Version after) {
    return ask(AwaitBlock{after}, {}, {}, AnswerMode::whole);
  }

  /// The worker gets back what the wire format left out of a push, and sends it with the next push.
  /// So the residual survives the end of this connection and of the process.
  caf::result<Parameters> exchange(Exchange& exchange) {
    auto push = std::move(exchange.push);
    const auto values = std::exchange(push.values, Block{});
    const auto residual = std::exchange(push.residual, Block{});
    const auto received = std::exchange(push.received, Block{});
    const auto exact = options_.wire.format == WireFormat::float32 || push.last;
    ExchangeBlock call{std::move(push)};
    if (exact)
      return ask(std::move(call), with_residual(values, residual), {}, kept());
    const auto answer_mode
      = received.empty() || kept() == AnswerMode::whole ? kept() : AnswerMode::difference;
    const auto fragment = call.push.fragment;
    if (answer_mode == AnswerMode::difference && !(received_.of(fragment).block() == received)) {
      // A new connection, or an answer that came too late for the worker.
      if (auto told = ask(ReceivedBlock{fragment}, received, {}, AnswerMode::whole); !told)
        return told;
      received_.of(fragment) = BlockMirror{received};
    }
    feedback_.restore(residual.empty() ? Block{values.size()} : residual);
    auto answer = ask(std::move(call), values, options_.wire, answer_mode);
    if (answer)
      answer->residual = feedback_.residual();
    return answer;
  }

private:
  /// Of whole answers.
  AnswerMode kept() const {
    return suits_differences_only(options_.wire.format) ? AnswerMode::kept : AnswerMode::whole;
  }

  caf::expected<Parameters> ask(BlockCall call, const Block& values, const WireOptions& wire,
                                AnswerMode answer) {
    BlockRequest request;
    const auto fragment = fragment_of(call);
    request.call = std::move(call);
    request.worker = options_.worker;
    request.answer = answer;
    try {
      request.size = values.size();
      request.wire = wire;
      request.released = releases_->take();
      if (wire.format == WireFormat::float32)
        request.segment = offered_.offer(*socket_, values);
      if (request.segment.id != 0) {
        write_message(self_->system(), *socket_, request, {});
        OfferedSegments::send(*socket_, request.segment, values);
      } else {
        write_message(self_->system(), *socket_, request, payload(wire, values));
      }
      if (!socket_->wait())
        throw IoError("the block connection has ended");
      BlockReply reply;
      const auto bytes = read_head(self_->system(), *socket_, reply);
      segments_.forget(reply.segment.gone);
      if (reply.error != 0)
        return fail(static_cast<Error>(reply.error), reply.sentence);
      reply.parameters.values = block_of(reply, bytes, fragment);
      if (answer != AnswerMode::whole)
        received_.of(fragment) = BlockMirror{reply.parameters.values};
      return std::move(reply.parameters);
    } catch (const std::exception& e) {
      keep_a_while(values);
      self_->quit(caf::exit_reason::remote_link_unreachable);
      return fail(Error::unavailable, e.what());
    }
  }

  Block block_of(const BlockReply& reply, std::size_t bytes, const Fragment& fragment) {
    if (reply.segment.id != 0)
      return segments_.open(*socket_, reply.segment, reply.size,
                            [list = releases_, lease = reply.lease] { list->add(lease); });
    auto block = codec_.read(*socket_, reply.wire, bytes, reply.size);
    if (!reply.difference)
      return block;
    auto& received = received_.of(fragment);
    if (block.size() != received.block().size())
      throw IoError("the holder answers with a difference to parameters of another size");
    received.add(block.view());
    return received.block();
  }

  std::span<const std::byte> payload(const WireOptions& wire, const Block& values) {
    if (wire.format == WireFormat::float32)
      return codec_.encode(wire, values);
    if (auto defect = feedback_.encode(wire, values.view(), encoded_); !defect.empty())
      throw IoError("parameters cannot be sent as " + to_string(wire.format) + ": " + defect);
    return encoded_;
  }

  Self self_ = nullptr;
  std::shared_ptr<BlockSocket> socket_;
  BlockChannelOptions options_;
  PayloadCodec codec_;
  OfferedSegments offered_;
  ReceivedSegments segments_;
  std::shared_ptr<ReleaseList> releases_ = std::make_shared<ReleaseList>();
  FragmentMirrors received_; ///< as AnswerMode says
  ErrorFeedback feedback_;
  std::vector<std::byte> encoded_;
};

/// Connects within the machine if the holder runs there, else over the network.
BlockSocket nearest(const Endpoint& endpoint, const std::string& local_name, const Trust& trust,
                    double deadline) {
  if (!local_name.empty())
    try {
      return BlockSocket::connect_local(local_name, deadline);
    } catch (const IoError&) {
      // the holder is on another machine
    }
  return BlockSocket::connect(endpoint, trust, deadline);
}

BlockHolder::behavior_type block_channel(BlockChannelState::Self self,
                                         std::shared_ptr<BlockSocket> socket,
                                         BlockChannelOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(socket), options);
  return {
    [&state](const CreateIfAbsent& create) { return state.create(create); },
    [&state](const Pull&) { return state.pull(); },
    [&state](const Await& await) { return state.await(await.after); },
    [&state](Exchange& exchange) { return state.exchange(exchange); },
  };
}

} // namespace

BlockHolder spawn_block_channel(caf::actor_system& system, std::shared_ptr<BlockSocket> socket,
                                BlockChannelOptions options) {
  return system.spawn<caf::detached>(block_channel, std::move(socket), options);
}

std::shared_ptr<BlockSocket> open_block_socket(caf::actor_system& system, const Endpoint& endpoint,
                                               const std::string& local_name, const Trust& trust,
                                               const std::string& cluster, double deadline) {
  auto socket = std::make_shared<BlockSocket>(nearest(endpoint, local_name, trust, deadline));
  BlockRequest hello;
  hello.call = BlockHello{protocol_version, cluster};
  write_message(system, *socket, hello, {});
  BlockReply reply;
  read_head(system, *socket, reply);
  if (reply.error != 0)
    throw Failure(ExitCode::refused, {reply.sentence});
  socket->use_records();
  return socket;
}

} // namespace troupe
