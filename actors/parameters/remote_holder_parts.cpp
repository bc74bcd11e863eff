// How the remote holder carries requests that one shard answers alone: for single parameters, and
// for the holder's status.
#include "actors/parameters/remote_holder_state.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/pass_error.hpp"
#include "messages/requests/request_within.hpp"

namespace troupe {

template <class Answer, class Request>
caf::result<Answer> RemoteHolderState::forward(std::size_t shard, const Request& request) {
  auto promise = self_->template make_response_promise<Answer>();
  if (superseded_) {
    promise.deliver(superseded_);
    return promise;
  }
  if (!shards_[shard].route) {
    promise.deliver(out_of_reach());
    return promise;
  }
  request_within(self_, shards_[shard].route->control, control_deadline, request)
    .then([promise](Answer& answer) mutable { promise.deliver(std::move(answer)); },
          pass_error(promise));
  return promise;
}

caf::expected<std::size_t> RemoteHolderState::shard_with(const std::string& parameter) const {
  if (!join_)
    return cannot("a part");
  for (std::size_t shard = 0; shard < shards_.size(); ++shard)
    if (map_.layout_of(shard).find(parameter) != nullptr)
      return shard;
  if (join_->layout.find(parameter) == nullptr)
    return fail(Error::unknown_name, "the holder has no parameter '" + parameter + "'");
  return fail(Error::invalid_options, "parameter '" + parameter
                                        + "' is cut between two shards; exchange it as a whole, or "
                                          "use one parameter holder");
}

caf::result<Part> RemoteHolderState::pull_part(const PullPart& pull) {
  const auto shard = shard_with(pull.selection.name);
  if (!shard)
    return shard.error();
  return forward<Part>(*shard, pull);
}

caf::result<Applied> RemoteHolderState::push_part(const PushPart& push) {
  if (auto error = check(push.id))
    return error;
  const auto shard = shard_with(push.selection.name);
  if (!shard)
    return shard.error();
  auto mapped = push;
  mapped.id.incarnation = shards_[*shard].incarnation;
  return forward<Applied>(*shard, mapped);
}

caf::result<HolderStatus> RemoteHolderState::status() {
  return forward<HolderStatus>(0, GetHolderStatus{});
}

} // namespace troupe
