// When an extension acts: at which moments of a run, on which schedule, under which condition on
// the row of the log.
//
//   Conditions{}.set_trigger("after_epoch", true)       a default
//               .set_trigger("every_n_batches", 100)    one more: two firings if both are true
//               .set_trigger("after_epoch", false)      the user removes the default
//               .add_condition({"after_epoch"}, on_record("best_so_far"), {"best.ckpt"})
#pragma once

#include "base/records.hpp"
#include "messages/schedule/callback.hpp"
#include "messages/schedule/position.hpp"
#include "messages/schedule/schedule.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// One reason to act; all its parts must hold. It can be sent to other nodes: functions are
/// referred to by name, see `PredicateRegistry`.
struct Condition {
  Callback callback = Callback::after_epoch; ///< where the loop has to be
  Schedule schedule = always();              ///< when it is due there
  bool first_epoch_only = false;             ///< only before the end of the first epoch
  std::string record;    ///< only if the row has this record and it is truthy; "": any row
  std::string predicate; ///< only if this registered or built-in predicate holds; "": any row
  std::vector<std::string> arguments; ///< passed to the extension at each firing
  std::string trigger; ///< the trigger that made it ("every_n_batches"); "" for add_condition
  bool apart = false;  ///< fires separately, even if the others are coalesced
  TROUPE_FIELDS(callback, schedule, first_epoch_only, record, predicate, arguments, trigger, apart);
};

/// The built-in predicate: the row has the record and it is truthy.
/// @returns "on_record(name)", for `add_condition`.
/// @throws std::invalid_argument for an empty name.
std::string on_record(std::string_view name);

/// The built-in predicate: the row does not have the record yet, not even a falsy one.
/// @returns "lacks_record(name)", for `Condition::predicate`.
/// @throws std::invalid_argument for an empty name.
std::string lacks_record(std::string_view name);

/// The built-in predicate of MI-Prometheus' trainers: n divides the number of the last batch,
/// counted from 0. It holds after the batches 1, n + 1, 2 n + 1, ...
/// @returns "each_episode(n)", for `Condition::predicate`.
/// @throws std::invalid_argument for n = 0.
std::string each_episode(Step n);

/// All the conditions of an extension, in the order in which they fire.
class Conditions {
public:
  /// Appends a condition for each of `callbacks`: a name of `callback_names`, or
  /// before_first_epoch.
  /// @param predicate "" for none, `on_record(name)`, or a name of the `PredicateRegistry`
  /// @throws std::invalid_argument for an empty list or an unknown name; nothing is added then.
  Conditions& add_condition(const std::vector<std::string>& callbacks,
                            const std::string& predicate = "",
                            const std::vector<std::string>& arguments = {});

  /// Appends any condition.
  Conditions& add_condition(Condition condition);

  /// Sets one trigger, replacing an earlier one of that name. A falsy value (false, 0, "") removes
  /// it.
  ///
  ///   before_training, on_resumption, before_first_epoch, before_epoch, before_batch, after_batch,
  ///   after_epoch, on_interrupt, on_error, after_training, before_update: true or false
  ///
  ///   every_n_batches, every_n_epochs   when n divides the count
  ///   after_n_batches, after_n_epochs   when the count is n, once
  ///   every_n_seconds                   after the batch in which n seconds have passed
  ///   when                              a schedule's text: after a batch, or after an epoch if it
  ///                                     only refers to epochs
  ///
  /// @param timelines the user's timelines, for `when`
  /// @throws std::invalid_argument for an unknown name (with the nearest), or a value of the wrong
  /// kind.
  Conditions& set_trigger(std::string_view name, const Value& value,
                          const std::vector<std::string>& arguments = {},
                          const std::vector<std::string>& timelines = {});

  /// Replaces all conditions by these triggers. If one of them throws, nothing changes.
  Conditions& set_conditions(const std::vector<std::pair<std::string, Value>>& triggers);

  /// Appends the schedule; the callback as for the trigger `when`.
  Conditions& when(const Schedule& schedule, const std::vector<std::string>& arguments = {});

  /// From now on conditions that are true at the same moment give one firing, except those that are
  /// `apart`: the largest count, and the arguments of all in their order, each once.
  Conditions& coalesce(bool one_firing = true);

  /// In the order in which they fire.
  const std::vector<Condition>& all() const { return conditions_; }
  /// Whether conditions that are true at one moment give one firing.
  bool coalesced() const { return coalesce_; }
  /// Whether it never fires.
  bool empty() const { return conditions_.empty(); }

  TROUPE_FIELDS(conditions_, coalesce_);

private:
  std::vector<Condition> conditions_;
  bool coalesce_ = false;
};

/// The names that `set_trigger` accepts.
const std::vector<std::string>& trigger_names();

/// The callbacks at which a condition is checked: its own, and for one at after_batch whose
/// schedule refers to epochs among other timelines also after_epoch. Both are one boundary, where
/// it fires at most once: with after_batch alone, epochs would be noticed one batch late, and the
/// last one never.
std::vector<Callback> moments_of(const Condition& condition);

/// Finds conditions that can no longer become true for a run that continues from `start`, as
/// after_n_batches = 100 at batch 250. Conditions of the very first epoch, like the usual
/// extensions' first call, do not count.
/// @returns a sentence for each, for the caller to log.
/// @throws std::invalid_argument for a schedule on a timeline that `start` does not know.
std::vector<std::string> lost_conditions(const Conditions& conditions, const Position& start);

} // namespace troupe
