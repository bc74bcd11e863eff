#include "messages/parameters/holder_membership.hpp"

#include "messages/parameters/membership.hpp"
#include "messages/requests/error.hpp"

namespace troupe {

caf::error HolderMembership::refusal_of(const Join& join) const {
  if (auto defect = join.layout.defect(); !defect.empty())
    return fail(Error::invalid_options, "worker " + std::to_string(join.worker)
                                          + " joins with an invalid layout: " + defect);
  if (is_wanted() && state_ != State::joining)
    if (auto difference = join.layout.difference(join_.layout); !difference.empty())
      return fail(Error::shape_mismatch, "worker " + std::to_string(join.worker)
                                           + " trains another model than it joined with: "
                                           + difference + "; give all workers one configuration");
  return {};
}

void HolderMembership::begin(const Join& join) {
  state_ = State::joining;
  join_ = join;
  map_ = ShardMap{join.layout, shards_};
  superseded_ = {};
}

void HolderMembership::admitted(std::uint64_t incarnation) {
  if (state_ != State::joining) // it joins again, and the worker keeps its incarnation
    return;
  state_ = State::joined;
  incarnation_ = incarnation;
}

void HolderMembership::forgotten() {
  if (state_ == State::joined)
    state_ = State::stale;
}

void HolderMembership::has_shared() {
  if (state_ == State::stale)
    state_ = State::joined;
}

void HolderMembership::leave() {
  if (state_ != State::superseded)
    state_ = State::absent;
}

void HolderMembership::supersede(const caf::error& error) {
  state_ = State::superseded;
  superseded_ = error;
}

caf::error HolderMembership::refusal_of(const std::string& request, bool reachable) const {
  if (state_ == State::superseded)
    return superseded_;
  if (state_ == State::absent)
    return not_joined(worker_, request);
  if (!reachable && incarnation_ > 0 && state_ != State::joining)
    return unreachable();
  return {};
}

caf::error HolderMembership::refusal_of(const PushId& id, bool reachable) const {
  if (auto error = refusal_of("a push", reachable))
    return error;
  if (id.worker != worker_)
    return fail(Error::not_joined, "push " + std::to_string(id.number) + " is of worker "
                                     + std::to_string(id.worker) + ", but worker "
                                     + std::to_string(worker_) + " has joined here; send Join");
  if (id.incarnation != incarnation_)
    return stale_incarnation(worker_, "push " + std::to_string(id.number), id.incarnation,
                             incarnation_);
  return {};
}

caf::error HolderMembership::refusal_of(const Push& push, bool reachable) const {
  if (auto error = refusal_of(push.id, reachable))
    return error;
  if (!push.fragment.lies_in(join_.layout.size()))
    return fail(Error::shape_mismatch, "worker " + std::to_string(worker_)
                                         + " pushes a fragment beyond its model's "
                                         + std::to_string(join_.layout.size()) + " parameters");
  if (auto error = refusal_of_size(push.values, push.fragment))
    return error;
  for (const auto* block : {&push.residual, &push.received})
    if (!block->empty())
      if (auto error = refusal_of_size(*block, push.fragment))
        return error;
  return {};
}

caf::error HolderMembership::refusal_of_size(const Block& values, const Fragment& fragment) const {
  const auto size = fragment.size_in(join_.layout.size());
  if (values.size() == size)
    return {};
  if (!fragment.is_whole())
    return fail(Error::shape_mismatch, "worker " + std::to_string(worker_) + " sends "
                                         + std::to_string(values.size())
                                         + " parameters for a fragment of " + std::to_string(size));
  return fail(Error::shape_mismatch,
              "worker " + std::to_string(worker_) + " sends " + std::to_string(values.size())
                + " parameters, its model has " + std::to_string(join_.layout.size()));
}

caf::error HolderMembership::unreachable() {
  return fail(Error::unavailable, "the parameter holder is unreachable for now");
}

caf::expected<std::size_t> HolderMembership::shard_with(const std::string& parameter,
                                                        bool reachable) const {
  if (!is_wanted())
    return refusal_of("a part", reachable);
  for (std::size_t shard = 0; shard < shards_; ++shard)
    if (map_.layout_of(shard).find(parameter) != nullptr)
      return shard;
  if (join_.layout.find(parameter) == nullptr)
    return fail(Error::unknown_name, "the holder has no parameter '" + parameter + "'");
  return fail(Error::invalid_options,
              "parameter '" + parameter
                + "' is split between two shards; exchange it as a whole, or "
                  "use one parameter holder");
}

} // namespace troupe
