#include "troupe/messages/parameter_store.hpp"

#include "troupe/messages/control.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/selection.hpp"
#include "troupe/model/codecs/error_feedback.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace troupe {

namespace {

std::string worker_text(WorkerId worker) { return "worker " + std::to_string(worker); }

/// A number of a push that tells it from others, whatever the order in which they are added up
/// (the finaliser of splitmix64).
std::uint64_t mixed(WorkerId worker, std::uint64_t number) {
  auto x = (static_cast<std::uint64_t>(worker) << 48) + number + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

caf::error not_created() {
  return fail(Error::not_created, "the holder has no parameters yet; send CreateIfAbsent first");
}

} // namespace

ParameterStore::ParameterStore(ParameterStoreOptions options) : options_(std::move(options)) {}

// -- members --------------------------------------------------------------------------------------

caf::expected<Joined> ParameterStore::join(const Join& join, double now) {
  if (join.protocol != protocol_version)
    return fail(Error::invalid_options, worker_text(join.worker) + " speaks parameter protocol "
                                          + std::to_string(join.protocol) + ", this holder "
                                          + std::to_string(protocol_version)
                                          + "; use the same version of Troupe on all nodes");
  if (!options_.cluster.empty() && !same_secret(join.cluster, options_.cluster))
    return fail(Error::invalid_options,
                worker_text(join.worker)
                  + " is of another cluster: its token is not this holder's; give all nodes the "
                    "same TROUPE_TOKEN");
  if (!(join.lease >= 0) || join.lease > 3600)
    return fail(Error::invalid_options, worker_text(join.worker) + " wants a lease of "
                                          + shortest(join.lease)
                                          + " s; give a time from 0 to 3600 s");
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
  const auto incarnation = members_.join(join.worker, join.lease, join.observes, now);
  auto& record = records_[join.worker];
  record.journal.resize(incarnation, 0);
  record.last_reply = {};
  if (join.observes)
    pace_.leave(join.worker);
  else
    pace_.enter(join.worker, members_.training());
  // Whoever comes later asks for nobody else, and not again for those who were waived.
  if (members_.ever_joined() < join.workers && join.workers > waived_)
    expected_ = std::max<std::size_t>(expected_, join.workers);
  return Joined{incarnation, created_};
}

caf::expected<Renewed> ParameterStore::renew(const Renew& renew, double now) {
  if (auto error = members_.check(renew.worker, renew.incarnation, "a renewal"))
    return error;
  members_.renew(renew.worker, now);
  Renewed renewed;
  renewed.version = version_;
  renewed.main = main();
  renewed.workers = members_.live();
  if (pace_.round_open())
    renewed.missing = pace_.missing(members_.training());
  renewed.stop = stop_;
  return renewed;
}

void ParameterStore::leave(WorkerId worker, std::uint64_t incarnation) {
  if (incarnation != 0 && incarnation != members_.incarnation(worker))
    return;
  const auto never_came = !members_.came(worker) && !members_.observes(worker);
  if (never_came && expected_ > 0) // nor will it
    --expected_;
  members_.leave(worker);
  pace_.leave(worker);
}

std::vector<WorkerId> ParameterStore::expire(double now) {
  auto ended = members_.expire(now);
  for (auto worker : ended)
    pace_.leave(worker);
  return ended;
}

bool ParameterStore::waits_for_absent() const { return pace_.round_open() && absent() > 0; }

std::size_t ParameterStore::absent() const {
  const auto joined = members_.ever_joined();
  return expected_ > joined ? expected_ - joined : 0;
}

// -- parameters -----------------------------------------------------------------------------------

caf::expected<Parameters> ParameterStore::create_if_absent(const CreateIfAbsent& create) {
  if (!members_.joined(create.worker))
    return fail(Error::not_joined, worker_text(create.worker)
                                     + " creates parameters before it has joined; send Join first");
  if (!created_) {
    if (create.values.size() != layout_.size())
      return fail(Error::shape_mismatch,
                  worker_text(create.worker) + " creates " + std::to_string(create.values.size())
                    + " parameters for a layout of " + std::to_string(layout_.size()));
    values_ = create.values;
    created_ = true;
    auto parameters = pull();
    parameters->created = true;
    return parameters;
  }
  return pull();
}

caf::expected<Parameters> ParameterStore::pull() const {
  if (!created_)
    return not_created();
  Parameters parameters;
  parameters.version = version_;
  parameters.mark = mark_;
  parameters.values = values_;
  return parameters;
}

caf::error ParameterStore::check(const PushId& id, const std::string& what) const {
  if (auto error = members_.check(id.worker, id.incarnation, what))
    return error;
  if (!created_)
    return not_created();
  const auto last = records_.at(id.worker).journal.back();
  if (id.number < last || id.number == 0)
    return fail(Error::stale, what + " of " + worker_text(id.worker) + " comes after its push "
                                + std::to_string(last) + "; numbers begin at 1 and grow");
  return {};
}

bool ParameterStore::repeated(const PushId& id) const {
  return id.number == records_.at(id.worker).journal.back();
}

Applied ParameterStore::count(const PushId& id, Version based_on, Version version) {
  ++pushes_;
  auto& record = records_.at(id.worker);
  // A push that ran free may have overtaken one that waited for its round.
  record.journal.back() = std::max(record.journal.back(), id.number);
  record.last_reply = {version, version - 1 > based_on ? version - 1 - based_on : 0};
  return record.last_reply;
}

Applied ParameterStore::count(const Push& push) {
  mark_ += mixed(push.id.worker, push.id.number);
  return count(push.id, push.based_on, version_);
}

void ParameterStore::use_up(std::size_t pushes, double now) {
  if (options_.pushes_per_second > 0)
    free_from_
      = std::max(free_from_, now) + static_cast<double>(pushes) / options_.pushes_per_second;
}

double ParameterStore::rest(double now) const {
  if (options_.pushes_per_second <= 0)
    return 0;
  const auto sharers = static_cast<double>(std::max<std::size_t>(1, members_.training().size()));
  return std::max(free_from_ - now, sharers / options_.pushes_per_second);
}

Parameters ParameterStore::answer(const PushId& id, Block values, double not_before) const {
  Parameters parameters;
  parameters.version = version_;
  parameters.mark = mark_;
  parameters.staleness = records_.at(id.worker).last_reply.staleness;
  parameters.not_before = not_before;
  parameters.values = std::move(values);
  return parameters;
}

Pushed ParameterStore::exchange(Push push, double now) {
  const auto id = push.id;
  if (auto error = check(id, "push " + std::to_string(id.number)))
    return {error};
  members_.renew(id.worker, now);
  if (repeated(id) && pace_.holds(id.worker))
    return {};
  if (repeated(id))
    return {{}, answer(id, values_, push.staleness.synchronous() ? 0 : rest(now))};
  for (const auto* block : {&push.values, &push.residual})
    if (block->size() != values_.size() && (block == &push.values || !block->empty()))
      return {fail(Error::shape_mismatch,
                   worker_text(id.worker) + " pushes " + std::to_string(block->size())
                     + " parameters, the model has " + std::to_string(values_.size()))};
  if (!push.residual.empty()) // of an earlier way: here nothing more is left out
    push.values = with_residual(push.values, std::exchange(push.residual, Block{}));
  if (auto defect = defect_of(push.rule); !defect.empty())
    return {fail(Error::invalid_options, "the rule of " + worker_text(id.worker) + ": " + defect)};
  if (push.staleness.synchronous()) {
    pace_.contribute(std::move(push));
    return {};
  }
  pace_.pushed(id.worker, push.staleness);
  auto parameters = apply_alone(std::move(push), now);
  if (pace_.may_go(id.worker, members_.training()))
    return {{}, std::move(parameters)};
  pace_.hold(id.worker);
  return {};
}

Parameters ParameterStore::apply_alone(Push push, double now) {
  std::vector<Block> contributions;
  contributions.push_back(std::move(push.values)); // where nobody else reads it, it can be used up
  auto values = apply(push.rule, values_, velocity_, contributions);
  ++version_;
  for (auto& version : versions_)
    ++version;
  count(push);
  use_up(1, now);
  return answer(push.id, std::move(values), rest(now));
}

bool ParameterStore::round_complete() const {
  return pace_.round_open() && absent() == 0 && pace_.missing(members_.training()).empty();
}

double ParameterStore::next_round(double now) const {
  return free_from_ > now && round_complete() ? free_from_ - now
                                              : std::numeric_limits<double>::infinity();
}

std::vector<Settled> ParameterStore::settle(double now) {
  std::vector<Settled> settled;
  if (free_from_ <= now && round_complete())
    complete_round(settled, now);
  for (auto worker : pace_.release(members_.training())) {
    const auto& journal = records_.at(worker).journal;
    const PushId id{worker, journal.size(), journal.back()};
    settled.push_back({id, answer(id, values_, rest(now))});
  }
  return settled;
}

void ParameterStore::complete_round(std::vector<Settled>& settled, double now) {
  auto pushes = pace_.take_round();
  std::vector<Block> contributions;
  for (auto& push : pushes)
    contributions.push_back(std::move(push.values));
  const auto values = apply(pushes.front().rule, values_, velocity_, contributions);
  ++version_;
  for (auto& version : versions_)
    ++version;
  for (const auto& push : pushes)
    count(push);
  use_up(pushes.size(), now);
  for (const auto& push : pushes) // each answer bears the mark of them all
    settled.push_back({push.id, answer(push.id, values, 0)});
}

caf::expected<std::pair<std::vector<Index>, Shape>>
ParameterStore::locate(const Selection& selection) const {
  if (!created_)
    return not_created();
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

caf::expected<Applied> ParameterStore::push_part(const PushPart& push, double now) {
  if (auto error = check(push.id, "push " + std::to_string(push.id.number)))
    return error;
  members_.renew(push.id.worker, now);
  if (repeated(push.id))
    return records_.at(push.id.worker).last_reply;
  if (!std::isfinite(push.weights.alpha) || !std::isfinite(push.weights.beta))
    return fail(Error::invalid_options, "the weights alpha " + std::to_string(push.weights.alpha)
                                          + ", beta " + std::to_string(push.weights.beta) + " of "
                                          + worker_text(push.id.worker) + " are not finite");
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
  ++version_;
  return count(push.id, version_ - 1, version_); // of this shard alone: the mark stays
}

// -- what is known of it --------------------------------------------------------------------------

HolderStatus ParameterStore::status() const {
  HolderStatus status;
  status.version = version_;
  status.pushes = pushes_;
  for (std::size_t i = 0; i < versions_.size(); ++i)
    status.versions[layout_.parameters()[i].name] = versions_[i];
  status.workers = members_.training();
  status.lost = members_.lost();
  status.observers = members_.live();
  std::erase_if(status.observers, [this](WorkerId one) { return !members_.observes(one); });
  std::erase_if(status.lost, [this](WorkerId one) { return members_.observes(one); });
  for (const auto& [worker, record] : records_)
    if (!members_.observes(worker))
      status.journal[worker] = record.journal;
  status.absent = static_cast<std::uint32_t>(absent());
  if (pace_.round_open())
    status.missing = pace_.missing(members_.training());
  return status;
}

SavedHolder ParameterStore::save() const {
  SavedHolder saved{layout_, version_, pushes_, versions_, {}, values_, velocity_, mark_};
  for (const auto& [worker, record] : records_)
    saved.workers.push_back({worker, record.journal, record.last_reply});
  return saved;
}

caf::error ParameterStore::restore(const SavedHolder& saved) {
  if (members_.ever_joined() > 0)
    return fail(Error::already_running,
                "workers have joined this holder already; restore a state before they do");
  auto defect = saved.layout.defect();
  if (defect.empty()
      && (saved.values.size() != saved.layout.size()
          || (!saved.velocity.empty() && saved.velocity.size() != saved.layout.size())
          || saved.versions.size() != saved.layout.parameters().size()))
    defect = "its values are not of its layout's size";
  if (!defect.empty())
    return fail(Error::shape_mismatch, "the saved holder contradicts itself: " + defect);
  layout_ = saved.layout;
  values_ = saved.values;
  created_ = !values_.empty() || saved.version > 0;
  velocity_ = saved.velocity;
  version_ = saved.version;
  pushes_ = saved.pushes;
  mark_ = saved.mark;
  versions_ = saved.versions;
  for (const auto& worker : saved.workers) {
    records_[worker.worker] = {worker.journal, worker.last_reply};
    members_.remember(worker.worker, worker.journal.size());
  }
  return {};
}

} // namespace troupe
