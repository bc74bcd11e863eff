#include "apps/block_transfer/block_service.hpp"

#include "base/failure.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

BlockService::BlockService(caf::actor_system& system, ParameterHolder holder, BlockSocket& socket)
  : system_(system),
    holder_(std::move(holder)),
    socket_(socket),
    self_(system) {}

void BlockService::serve() {
  while (!holder_ended_ && socket_.wait()) {
    BlockRequest request;
    auto values = read(request);
    write(settle(request, std::move(values)), request);
  }
}

Block BlockService::read(BlockRequest& request) {
  const auto bytes = read_head(system_, socket_, request);
  received_.forget(request.segment.gone);
  auto values = request.segment.id != 0
                  ? received_.open(socket_, request.segment, request.size)
                  : codec_.read(socket_, request.wire.format, bytes, request.size);
  for (auto number : request.released)
    leased_.erase(number);
  return values;
}

template <class Request>
BlockReply BlockService::ask(Request request) {
  BlockReply reply;
  self_->request(holder_, caf::infinite, std::move(request))
    .receive([&](Parameters& parameters) { reply.parameters = std::move(parameters); },
             [&](const caf::error& error) {
               holder_ended_ = error.category() != caf::atom("troupe");
               reply.error
                 = holder_ended_ ? static_cast<std::uint8_t>(Error::unavailable) : error.code();
               reply.sentence = sentence(error);
             });
  return reply;
}

template <class Request>
BlockReply BlockService::ask_as_member(const std::string& name, Request request) {
  if (is_member(request.worker))
    return ask(std::move(request));
  BlockReply reply;
  reply.error = static_cast<std::uint8_t>(Error::not_joined);
  reply.sentence = "the parameter holder refuses " + name + ": worker "
                   + std::to_string(request.worker) + " is no member, since it has not joined, has "
                   + "left, or has not renewed its lease; send Join";
  socket_.refuse(reply.sentence);
  return reply;
}

bool BlockService::is_member(WorkerId worker) {
  auto found = false;
  self_->request(holder_, caf::infinite, GetHolderStatus{})
    .receive(
      [&](const HolderStatus& status) {
        const auto has = [worker](const auto& list) {
          return std::find(list.begin(), list.end(), worker) != list.end();
        };
        found = has(status.workers) || has(status.readers);
      },
      [&](const caf::error&) { found = true; }); // it has ended, which the request will say
  return found;
}

BlockReply BlockService::settle(BlockRequest& request, Block values) {
  return std::visit([&](auto& call) { return settle(call, request, std::move(values)); },
                    request.call);
}

BlockReply BlockService::settle(const CreateBlock& create, const BlockRequest& request,
                                Block values) {
  if (request.segment.id != 0) // the holder keeps it longer than the worker does
    values = Block::copy_of(values.view());
  return ask(CreateIfAbsent{request.worker, std::move(values), create.main_first});
}

BlockReply BlockService::settle(const PullBlock&, const BlockRequest& request, const Block&) {
  return ask_as_member("Pull", Pull{request.worker});
}

BlockReply BlockService::settle(const AwaitBlock& await, const BlockRequest& request,
                                const Block&) {
  return ask_as_member("Await", Await{request.worker, await.after});
}

BlockReply BlockService::settle(ExchangeBlock& exchange, const BlockRequest&, Block values) {
  exchange.push.values = std::move(values);
  return ask(Exchange{std::move(exchange.push)});
}

BlockReply BlockService::settle(const BlockHello&, const BlockRequest&, const Block&) {
  throw IoError("a peer introduced itself twice");
}

BlockReply BlockService::settle(const ReceivedBlock& received, const BlockRequest& request,
                                Block values) {
  if (request.segment.id != 0) // the worker may change it
    values = Block::copy_of(values.view());
  received_by_worker_.of(received.fragment) = BlockMirror{std::move(values)};
  return {};
}

void BlockService::write(BlockReply reply, const BlockRequest& request) {
  const auto block = std::exchange(reply.parameters.values, Block{});
  reply.size = block.size();
  auto& received = received_by_worker_.of(fragment_of(request.call));
  reply.difference = request.answer == AnswerMode::difference && reply.error == 0
                     && received.encode(difference_format(request.wire), block, encoded_).empty();
  if (reply.difference) {
    reply.wire = request.wire.format;
    return write_message(system_, socket_, reply, encoded_);
  }
  if (request.answer != AnswerMode::whole && reply.error == 0)
    received = BlockMirror{block};
  write_whole(std::move(reply), answer_format(request.wire), block);
}

void BlockService::write_whole(BlockReply reply, const WireOptions& format, const Block& block) {
  reply.wire = format.format;
  reply.segment = offered_.offer(socket_, block);
  if (reply.segment.id == 0)
    return write_message(system_, socket_, reply, codec_.encode(format, block));
  reply.lease = ++last_lease_;
  leased_[reply.lease] = block;
  write_message(system_, socket_, reply, {});
  OfferedSegments::send(socket_, reply.segment, block);
}

} // namespace troupe
