#include "apps/block_transfer/bulk_service.hpp"

#include "apps/process/exit_codes.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <utility>

namespace troupe {

BulkService::BulkService(caf::actor_system& system, ParameterHolder holder, BulkSocket& socket)
  : system_(system),
    holder_(std::move(holder)),
    socket_(socket),
    self_(system) {}

void BulkService::serve() {
  while (!holder_ended_ && socket_.wait()) {
    BulkRequest request;
    auto values = read(request);
    write(settle(request, std::move(values)), request.wire);
  }
}

Block BulkService::read(BulkRequest& request) {
  const auto bytes = read_head(system_, socket_, request);
  received_.forget(request.piece.gone);
  auto values = request.piece.id != 0
                  ? received_.open(socket_, request.piece, request.size)
                  : codec_.read(socket_, request.wire.format, bytes, request.size);
  for (auto number : request.released)
    lent_.erase(number);
  return values;
}

template <class Request>
BulkReply BulkService::ask(Request request) {
  BulkReply reply;
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

BulkReply BulkService::settle(BulkRequest& request, Block values) {
  switch (request.kind) {
  case BulkKind::create:
    if (request.piece.id != 0) // it stays here, when the worker has long gone on
      values = Block::copy_of(values.view());
    return ask(CreateIfAbsent{request.worker, std::move(values), request.main_first});
  case BulkKind::pull: return ask(Pull{request.worker});
  case BulkKind::await: return ask(Await{request.worker, request.after});
  case BulkKind::exchange:
    request.push.values = std::move(values);
    return ask(Exchange{std::move(request.push)});
  case BulkKind::hello: break;
  }
  throw IoError("a peer introduced itself twice, or asks what nobody knows");
}

void BulkService::write(BulkReply reply, const WireOptions& asked) {
  const auto block = std::exchange(reply.parameters.values, Block{});
  const auto format = format_of_answers(asked);
  reply.size = block.size();
  reply.wire = format.format;
  reply.piece = offered_.offer(socket_, block);
  if (reply.piece.id == 0)
    return write_message(system_, socket_, reply, codec_.encode(format, block));
  reply.lent = ++lendings_;
  lent_[reply.lent] = block;
  write_message(system_, socket_, reply, {});
  OfferedPieces::send(socket_, reply.piece, block);
}

} // namespace troupe
