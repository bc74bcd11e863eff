#include "messages/parameters/parameter_store.hpp"

#include "base/same_secret.hpp"
#include "base/text/text.hpp"
#include "messages/requests/error.hpp"
#include "model/codecs/error_feedback.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace troupe {

namespace {

std::string worker_text(WorkerId worker) { return "worker " + std::to_string(worker); }

std::string superseded_text(const Join& join) {
  const auto name = (join.is_reader ? "reader " : "worker ") + std::to_string(join.worker);
  return "another process has joined as " + name
         + (join.is_reader ? "; start one evaluator, with the --workers of the others"
                           : "; give each its own --index");
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
    return fail(
      Error::invalid_options,
      worker_text(join.worker)
        + " belongs to another cluster: its token is not this holder's; give all nodes the "
          "same TROUPE_TOKEN");
  if (!(join.lease >= 0) || join.lease > 3600)
    return fail(Error::invalid_options, worker_text(join.worker) + " wants a lease of "
                                          + shortest(join.lease)
                                          + " s; give a time from 0 to 3600 s");
  if (auto defect = join.layout.defect(); !defect.empty())
    return fail(Error::invalid_options,
                worker_text(join.worker) + " joins with an invalid layout: " + defect);
  if (auto defect = join.is_reader ? std::string{} : defect_of(join.rule); !defect.empty())
    return fail(Error::invalid_options,
                worker_text(join.worker) + " joins a holder that cannot apply its rule: " + defect);
  if (members_.superseded(join.worker, join.process))
    return fail(Error::superseded, superseded_text(join));
  if (join.is_reader && members_.belongs_to_other_process(join.worker, join.process))
    return fail(Error::invalid_options,
                "a reader beside " + quantity(join.worker, "worker") + " would take the place of "
                  + worker_text(join.worker)
                  + ", which has joined; give it the same --workers as the others, and --master if "
                    "they have it");
  if (auto error = members_.check_count(join.worker, join.is_reader ? 0 : join.workers))
    return error;
  if (auto difference = shared_.adopt(join.layout); !difference.empty())
    return fail(Error::shape_mismatch, worker_text(join.worker) + " trains another model: "
                                         + difference + "; give all workers one configuration");
  if (!join.is_reader && members_.has_ended_at_other_size(join.workers)) {
    members_.forget_departed();
    expected_ = waived_ = 0;
    left_before_joining_.clear();
  }
  const auto incarnation
    = members_.join(join.worker, join.lease, join.is_reader, now, join.process, join.workers);
  applied_.join(join.worker, incarnation);
  if (join.is_reader)
    pace_.leave(join.worker);
  else
    pace_.enter(join.worker);
  // A later worker expects no others again, in particular none that were waived.
  if (members_.ever_joined() < join.workers && join.workers > waived_)
    expected_ = std::max<std::size_t>(expected_, join.workers);
  return Joined{incarnation, shared_.created(), shared_.version(), restored_};
}

caf::expected<Renewed> ParameterStore::renew(const Renew& renew, double now) {
  if (auto error = members_.check(renew.worker, renew.incarnation, "a renewal"))
    return error;
  members_.renew(renew.worker, now);
  Renewed renewed;
  renewed.version = shared_.version();
  renewed.main = main();
  renewed.stop = stop_.reason;
  renewed.interrupt = stop_.interrupt;
  return renewed;
}

void ParameterStore::leave(WorkerId worker, std::uint64_t incarnation) {
  if (incarnation != 0 && incarnation != members_.incarnation(worker))
    return;
  const auto never_joined = !members_.has_joined(worker) && !members_.is_reader(worker);
  if (never_joined && expected_ > 0 && left_before_joining_.insert(worker).second)
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
  if (shared_.created())
    return pull();
  if (const auto size = shared_.layout().size(); create.values.size() != size)
    return fail(Error::shape_mismatch, worker_text(create.worker) + " creates "
                                         + std::to_string(create.values.size())
                                         + " parameters for a layout of " + std::to_string(size));
  shared_.create(create.values);
  auto parameters = pull();
  parameters->created = true;
  return parameters;
}

caf::expected<Parameters> ParameterStore::pull() const {
  if (auto error = shared_.check_created())
    return error;
  Parameters parameters;
  parameters.version = shared_.version();
  parameters.mark = applied_.mark();
  parameters.values = shared_.values();
  return parameters;
}

caf::error ParameterStore::check(const PushId& id) const {
  const auto what = "push " + std::to_string(id.number);
  if (auto error = members_.check(id.worker, id.incarnation, what))
    return error;
  if (auto error = shared_.check_created())
    return error;
  return applied_.check(id, what);
}

void ParameterStore::spend_budget(std::size_t pushes, double now) {
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
  parameters.version = shared_.version();
  parameters.mark = applied_.mark();
  parameters.staleness = applied_.last_reply(id.worker).staleness;
  parameters.not_before = not_before;
  parameters.values = std::move(values);
  return parameters;
}

std::string ParameterStore::shape_defect(const Push& push) const {
  const auto all = shared_.values().size();
  if (!push.fragment.lies_in(all))
    return worker_text(push.id.worker) + " pushes a fragment beyond the model's "
           + std::to_string(all) + " parameters";
  const auto size = push.fragment.size_in(all);
  for (const auto* block : {&push.values, &push.residual})
    if (block->size() != size && (block == &push.values || !block->empty()))
      return worker_text(push.id.worker) + " pushes " + std::to_string(block->size())
             + " parameters, the " + (push.fragment.is_whole() ? "model" : "fragment") + " has "
             + std::to_string(size);
  return "";
}

Pushed ParameterStore::exchange(Push push, double now) {
  const auto id = push.id;
  if (auto error = check(id))
    return {error};
  members_.renew(id.worker, now);
  if (applied_.repeated(id) && pace_.holds(id.worker))
    return {};
  if (applied_.repeated(id))
    return {{}, answer(id, newest(push.fragment), push.staleness.synchronous() ? 0 : rest(now))};
  if (auto defect = shape_defect(push); !defect.empty())
    return {fail(Error::shape_mismatch, defect)};
  if (!push.residual.empty()) // from an earlier connection: nothing is left out here
    push.values = with_residual(push.values, std::exchange(push.residual, Block{}));
  if (auto defect = defect_of(push.rule); !defect.empty())
    return {fail(Error::invalid_options, "the rule of " + worker_text(id.worker) + ": " + defect)};
  if (push.staleness.synchronous()) {
    if (auto defect = pace_.defect_in_round(push); !defect.empty())
      return {fail(Error::invalid_options, defect)};
    pace_.contribute(std::move(push));
    return {};
  }
  pace_.pushed(id.worker, push.staleness);
  const auto fragment = push.fragment;
  auto parameters = apply_alone(std::move(push), now);
  if (pace_.may_continue(id.worker))
    return {{}, std::move(parameters)};
  pace_.hold(id.worker);
  held_fragments_[id.worker] = fragment;
  return {};
}

Parameters ParameterStore::apply_alone(Push push, double now) {
  std::vector<Block> contributions;
  contributions.push_back(std::move(push.values)); // moved: may be modified in place
  auto values = shared_.update(push.rule, contributions, push.fragment);
  applied_.count(push, shared_.version());
  spend_budget(1, now);
  return answer(push.id, std::move(values), rest(now));
}

bool ParameterStore::round_complete() const {
  return pace_.round_open() && absent() == 0 && pace_.missing().empty();
}

double ParameterStore::next_round(double now) const {
  return free_from_ > now && round_complete() ? free_from_ - now
                                              : std::numeric_limits<double>::infinity();
}

std::vector<Settled> ParameterStore::settle(double now) {
  std::vector<Settled> settled;
  if (free_from_ <= now && round_complete())
    complete_round(settled, now);
  for (auto worker : pace_.release()) {
    const auto id = applied_.last_push(worker);
    settled.push_back({id, answer(id, newest(held_fragments_[worker]), rest(now))});
  }
  return settled;
}

void ParameterStore::complete_round(std::vector<Settled>& settled, double now) {
  auto pushes = pace_.take_round();
  // All of one fragment, unless a worker has missed the answer to the round before.
  std::map<std::pair<Index, Index>, std::vector<Push*>> by_fragment;
  for (auto& push : pushes)
    by_fragment[{push.fragment.begin, push.fragment.size}].push_back(&push);
  for (auto& [fragment, alike] : by_fragment) {
    std::vector<Block> contributions;
    for (auto* push : alike)
      contributions.push_back(std::move(push->values));
    const auto& first = *alike.front();
    const auto values = shared_.update(first.rule, contributions, first.fragment);
    for (auto* push : alike)
      push->values = values;
  }
  for (const auto& push : pushes)
    applied_.count(push, shared_.version());
  spend_budget(pushes.size(), now);
  for (auto& push : pushes) // each answer carries the mark of all pushes
    settled.push_back({push.id, answer(push.id, std::move(push.values), 0)});
}

caf::expected<Applied> ParameterStore::push_part(const PushPart& push, double now) {
  if (auto error = check(push.id))
    return error;
  members_.renew(push.id.worker, now);
  if (applied_.repeated(push.id))
    return applied_.last_reply(push.id.worker);
  if (auto error = shared_.change(push))
    return error;
  return applied_.count(push, shared_.version());
}

// -- status and saving ----------------------------------------------------------------------------

HolderStatus ParameterStore::status() const {
  HolderStatus status;
  status.version = shared_.version();
  status.pushes = applied_.pushes();
  status.versions = shared_.versions();
  status.workers.assign(members_.training().begin(), members_.training().end());
  status.lost = members_.lost();
  status.readers = members_.live();
  std::erase_if(status.readers, [this](WorkerId one) { return !members_.is_reader(one); });
  std::erase_if(status.lost, [this](WorkerId one) { return members_.is_reader(one); });
  status.journal = applied_.numbers();
  std::erase_if(status.journal, [this](const auto& one) { return members_.is_reader(one.first); });
  status.absent = static_cast<std::uint32_t>(absent());
  if (pace_.round_open())
    status.missing.assign(pace_.missing().begin(), pace_.missing().end());
  return status;
}

SavedHolder ParameterStore::save() const {
  SavedHolder saved;
  shared_.save(saved);
  applied_.save(saved);
  return saved;
}

caf::error ParameterStore::restore(const SavedHolder& saved) {
  if (members_.ever_joined() > 0)
    return fail(Error::already_running,
                "workers have joined this holder already; restore a state before they do");
  if (auto defect = shared_.restore(saved); !defect.empty())
    return fail(Error::shape_mismatch, "the saved holder is inconsistent: " + defect);
  restored_ = shared_.version();
  applied_.restore(saved);
  for (const auto& worker : saved.workers)
    members_.remember(worker.worker, worker.journal.size());
  return {};
}

} // namespace troupe
