// Changes a setting of the optimizer during training, by a schedule or by a function.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"
#include "messages/schedule/value_schedule.hpp"

#include <functional>

namespace troupe {

struct HyperparameterSchedulerOptions {
  std::string setting = "learning_rate"; ///< a name of Optimizer::settings
  ValueScheduleOptions schedule = {};    ///< the setting as a function of time
  std::string timeline = "batches"; ///< a built-in timeline, which measures the schedule's time
  bool record = false;              ///< writes the new value under the setting's name
  TROUPE_FIELDS(setting, schedule, timeline, record);
};

/// before_training, so that the first batch has the schedule's first value; before_epoch, since
/// after_batch comes before its epoch is counted; and after_batch.
Conditions hyperparameter_scheduler_conditions();

/// The value of a setting over time. It depends only on the time and on the value at the start, so
/// a resumed run has the same values. If something else has changed the setting to c times the
/// schedule's value, the rest of the schedule is multiplied by c; while the schedule is at 0, such
/// a value stays until the schedule changes. A scheduler attached during training starts its
/// schedule there.
class ScheduledSetting {
public:
  ScheduledSetting() = default;
  /// @throws std::invalid_argument for an unknown timeline or an invalid schedule.
  /// @param mid_training attached during training: the schedule starts at the first `next` instead
  /// of at the start of the run
  explicit ScheduledSetting(const HyperparameterSchedulerOptions& options,
                            bool mid_training = false);

  /// @param old the current value of the setting
  /// @returns the value for the next update.
  double next(const Position& now, double old);

  /// Gives a plateau the value of its record.
  void observe(double record) { plateau_.update(record); }
  /// The record to pass to `observe` before `next`; "": none.
  const std::string& record() const;

  /// For a checkpoint.
  SavedFields state() const;
  void restore(const SavedFields& state);

private:
  void adopt_change(double changed); ///< to a value that something else has set
  /// Calls `visit(name, member)` for each member that a checkpoint has.
  template <class Self, class Visit>
  static void each_saved(Self& self, Visit visit);

  ValueSchedule schedule_;
  Plateau plateau_;
  std::string timeline_ = "batches";
  bool mid_training_ = false;
  bool begun_ = false;
  double origin_ = 0; ///< start of the schedule on the timeline
  double start_ = 0, last_ = 0, scale_ = 1;
  double planned_ = 0; ///< `last_` without `scale_`
  double at_zero_ = 0; ///< value to use while `planned_` is 0
};

/// @throws std::invalid_argument for invalid options.
void check(const HyperparameterSchedulerOptions& options);

/// A gate: the setting has its new value at the next update. A plateau reads its record from the
/// row of the log, and waits for an announced record. A row without the record changes nothing, and
/// the first epoch without it causes a warning. It ends when no handle to it is left.
/// @param mid_training attached during training; its schedule starts there
/// @throws std::invalid_argument for invalid options.
Extension spawn_hyperparameter_scheduler(caf::actor_system& system,
                                         const HyperparameterSchedulerOptions& options,
                                         Logger logger, bool mid_training = false);

/// The value of a setting after n batches.
/// @param old the current value
using SettingFunction = std::function<double(Step n, double old)>;

/// The same for any function. Subscribe it with `after_batch` alone if f(0, old) has no meaning, or
/// if f(n, f(n, old)) is not f(n, old).
/// @param setting a name of Optimizer::settings
Extension spawn_hyperparameter_scheduler(caf::actor_system& system, std::string setting,
                                         SettingFunction function);

} // namespace troupe
