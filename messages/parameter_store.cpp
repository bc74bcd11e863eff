#include "troupe/messages/parameter_store.hpp"

#include "troupe/messages/error.hpp"
#include "troupe/messages/selection.hpp"
#include "troupe/model/combine.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

std::string worker_text(WorkerId worker) { return "worker " + std::to_string(worker); }

} // namespace

caf::expected<Joined> ParameterStore::join(const Join& join) {
  if (join.protocol != protocol_version)
    return fail(Error::invalid_options, worker_text(join.worker) + " speaks parameter protocol "
                                          + std::to_string(join.protocol) + ", this holder "
                                          + std::to_string(protocol_version)
                                          + "; use the same version of Troupe on all nodes");
  if (auto defect = join.layout.defect(); !defect.empty())
    return fail(Error::invalid_options,
                worker_text(join.worker) + " joins with an unsound layout: " + defect);
  if (layout_.parameters().empty()) {
    layout_ = join.layout;
    versions_.assign(layout_.parameters().size(), 0);
  } else if (auto difference = join.layout.difference(layout_); !difference.empty()) {
    return fail(Error::shape_mismatch, worker_text(join.worker) + " trains another model: "
                                         + difference + "; give all workers one configuration");
  }
  auto& worker = workers_[join.worker];
  ++worker.incarnation;
  worker.last_number = 0;
  worker.joined = true;
  return Joined{worker.incarnation, !values_.empty()};
}

void ParameterStore::leave(WorkerId worker) {
  if (auto found = workers_.find(worker); found != workers_.end())
    found->second.joined = false;
}

caf::expected<Parameters> ParameterStore::create_if_absent(const CreateIfAbsent& create) {
  if (const auto found = workers_.find(create.worker);
      found == workers_.end() || !found->second.joined)
    return fail(Error::not_joined, worker_text(create.worker)
                                     + " creates parameters before it has joined; send Join first");
  if (values_.empty()) {
    if (create.values.size() != layout_.size())
      return fail(Error::shape_mismatch,
                  worker_text(create.worker) + " creates " + std::to_string(create.values.size())
                    + " parameters for a layout of " + std::to_string(layout_.size()));
    values_ = create.values;
  }
  return pull();
}

caf::expected<Parameters> ParameterStore::pull() const {
  if (values_.empty())
    return fail(Error::not_created, "the holder has no parameters yet; send CreateIfAbsent first");
  return Parameters{version_, 0, values_};
}

caf::error ParameterStore::check(const PushId& id, const Weights& weights) const {
  const auto found = workers_.find(id.worker);
  if (found == workers_.end() || !found->second.joined)
    return fail(Error::not_joined,
                worker_text(id.worker) + " pushes but has not joined; send Join");
  if (values_.empty())
    return fail(Error::not_created, "the holder has no parameters yet; send CreateIfAbsent first");
  const auto& worker = found->second;
  if (id.incarnation != worker.incarnation)
    return fail(Error::stale, "push " + std::to_string(id.number) + " of " + worker_text(id.worker)
                                + " is from its incarnation " + std::to_string(id.incarnation)
                                + ", now is " + std::to_string(worker.incarnation)
                                + "; it is not applied: pull and go on from there");
  if (id.number < worker.last_number || id.number == 0)
    return fail(Error::stale, "push " + std::to_string(id.number) + " of " + worker_text(id.worker)
                                + " comes after its push " + std::to_string(worker.last_number)
                                + "; numbers begin at 1 and grow");
  if (!std::isfinite(weights.alpha) || !std::isfinite(weights.beta))
    return fail(Error::invalid_options, "the weights alpha " + std::to_string(weights.alpha)
                                          + ", beta " + std::to_string(weights.beta) + " of "
                                          + worker_text(id.worker) + " are not finite");
  return {};
}

const Applied* ParameterStore::repeated(const PushId& id) const {
  const auto& worker = workers_.at(id.worker);
  return id.number == worker.last_number ? &worker.last_reply : nullptr;
}

Applied ParameterStore::settle(const PushId& id, Version based_on) {
  ++pushes_;
  const auto staleness = version_ > based_on ? version_ - based_on : 0;
  ++version_;
  auto& worker = workers_.at(id.worker);
  worker.last_number = id.number;
  worker.last_reply = {version_, staleness};
  return worker.last_reply;
}

caf::expected<Applied> ParameterStore::push(const Push& push) {
  if (auto error = check(push.id, push.weights))
    return error;
  if (const auto* reply = repeated(push.id))
    return *reply;
  if (push.values.size() != values_.size())
    return fail(Error::shape_mismatch,
                worker_text(push.id.worker) + " pushes " + std::to_string(push.values.size())
                  + " parameters, the model has " + std::to_string(values_.size()));
  if (values_.shared()) { // somebody still reads this version: the next one goes elsewhere
    auto combined = Block::uninitialized(values_.size());
    combine_into(combined.edit(), values_.view(), push.weights.alpha, push.values.view(),
                 push.weights.beta);
    values_ = std::move(combined);
  } else {
    combine(values_.edit(), push.weights.alpha, push.values.view(), push.weights.beta);
  }
  for (auto& version : versions_)
    ++version;
  return settle(push.id, push.based_on);
}

caf::expected<Parameters> ParameterStore::exchange(const Push& push) {
  const auto again = workers_.count(push.id.worker) > 0 && repeated(push.id) != nullptr;
  if (!again && !values_.shared() && !check(push.id, push.weights)
      && push.values.size() == values_.size()) {
    // The worker will write to what it gets: a copy of its own, made on the way, spares it a pass
    // over memory.
    auto copy = Block::uninitialized(values_.size());
    combine_and_copy(values_.edit(), push.weights.alpha, push.values.view(), push.weights.beta,
                     copy.edit());
    for (auto& version : versions_)
      ++version;
    const auto applied = settle(push.id, push.based_on);
    return Parameters{version_, applied.staleness, std::move(copy)};
  }
  auto applied = this->push(push);
  if (!applied)
    return applied.error();
  return Parameters{version_, applied->staleness, values_};
}

caf::expected<std::pair<std::vector<Index>, Shape>>
ParameterStore::locate(const Selection& selection) const {
  if (values_.empty())
    return fail(Error::not_created, "the holder has no parameters yet; send CreateIfAbsent first");
  const auto* parameter = layout_.find(selection.name);
  if (parameter == nullptr)
    return fail(Error::unknown_name, "the holder has no parameter '" + selection.name + "'");
  std::vector<Index> offsets;
  Shape shape;
  if (auto defect = select(*parameter, selection, offsets, shape); !defect.empty())
    return fail(Error::shape_mismatch, defect);
  return std::pair{std::move(offsets), std::move(shape)};
}

caf::expected<Part> ParameterStore::pull_part(const Selection& selection) const {
  auto located = locate(selection);
  if (!located)
    return located.error();
  const auto& [offsets, shape] = *located;
  auto values = Block::uninitialized(static_cast<Index>(offsets.size()));
  auto out = values.edit();
  const auto in = values_.view();
  for (std::size_t i = 0; i < offsets.size(); ++i)
    out[i] = in[static_cast<std::size_t>(offsets[i])];
  const auto place = layout_.find(selection.name) - layout_.parameters().data();
  return Part{versions_[static_cast<std::size_t>(place)], shape, std::move(values)};
}

caf::expected<Applied> ParameterStore::push_part(const PushPart& push) {
  if (auto error = check(push.id, push.weights))
    return error;
  if (const auto* reply = repeated(push.id))
    return *reply;
  auto located = locate(push.selection);
  if (!located)
    return located.error();
  const auto& offsets = located->first;
  if (push.values.size() != static_cast<Index>(offsets.size()))
    return fail(Error::shape_mismatch,
                worker_text(push.id.worker) + " pushes " + std::to_string(push.values.size())
                  + " values for a selection of " + std::to_string(offsets.size())
                  + " elements of '" + push.selection.name + "'");
  auto shared = values_.edit();
  const auto incoming = push.values.view();
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    auto& value = shared[static_cast<std::size_t>(offsets[i])];
    value = push.weights.alpha * value + push.weights.beta * incoming[i];
  }
  const auto place = layout_.find(push.selection.name) - layout_.parameters().data();
  ++versions_[static_cast<std::size_t>(place)];
  return settle(push.id, version_);
}

HolderStatus ParameterStore::status() const {
  HolderStatus status;
  status.version = version_;
  status.pushes = pushes_;
  for (std::size_t i = 0; i < versions_.size(); ++i)
    status.versions[layout_.parameters()[i].name] = versions_[i];
  for (const auto& [id, worker] : workers_)
    if (worker.joined)
      status.workers.push_back(id);
  return status;
}

} // namespace troupe
