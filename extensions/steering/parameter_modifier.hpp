// Changes a setting of the optimizer while training goes on, by a schedule or by a function.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"
#include "messages/schedule/value_schedule.hpp"

#include <functional>

namespace troupe {

struct ParameterModifierOptions {
  std::string setting = "learning_rate"; ///< a name of Optimizer::settings
  ValueScheduleOptions schedule = {};
  std::string timeline = "batches"; ///< a built-in one; time is what is done on it
  bool record = false;              ///< writes the new value under the setting's name
  FIELDS(setting, schedule, timeline, record);
};

/// before_training, so that the first batch has the schedule's first value, before_epoch, since
/// after_batch comes before its epoch is counted, and after_batch.
Conditions parameter_modifier_conditions();

/// What a setting has to be. It depends on the time and on the value at the start only, so that a
/// resumed run has the same. Where somebody else changed the setting in between, to c times what
/// the schedule has there, the rest of the schedule is multiplied by c; where the schedule has 0,
/// what was set stays until it has another value. One that comes while training goes on begins its
/// schedule there.
class SettingOverTime {
public:
  SettingOverTime() = default;
  /// @throws std::invalid_argument for an unknown timeline, or a schedule that cannot be.
  /// @param in_flight the time at the first `next` is the schedule's 0, instead of the run's
  explicit SettingOverTime(const ParameterModifierOptions& options, bool in_flight = false);

  /// @param old the setting's value now
  /// @returns the value for the next update.
  double next(const Position& now, double old);

  /// Of a plateau: shows it the record.
  void look(double record) { plateau_.update(record); }
  /// The record that `look` shall be shown before `next`; "": none.
  const std::string& record() const;

  /// For a checkpoint.
  Records state() const;
  void restore(const Records& state);

private:
  void follow(double changed); ///< by somebody else

  ValueSchedule schedule_;
  Plateau plateau_;
  std::string timeline_ = "batches";
  bool in_flight_ = false;
  bool begun_ = false;
  double origin_ = 0; ///< of the schedule's time, on the timeline
  double start_ = 0, last_ = 0, scale_ = 1;
  double planned_ = 0; ///< `last_` but for `scale_`
  double at_zero_ = 0; ///< in place of it where it is 0
};

/// @throws std::invalid_argument for invalid options.
void check(const ParameterModifierOptions& options);

/// A gate: the setting has its new value at the next update. A plateau reads its record from the
/// row of the log, and waits where the record was announced; a row without it changes nothing, and
/// the first epoch without it gives a warning. It ends when no handle to it is left.
/// @param in_flight it comes while training goes on, and its schedule begins there
/// @throws std::invalid_argument for invalid options.
Extension spawn_parameter_modifier(caf::actor_system& system,
                                   const ParameterModifierOptions& options, Logger logger,
                                   bool in_flight = false);

/// The value of a setting after n batches.
/// @param old what it was
using SettingFunction = std::function<double(Step n, double old)>;

/// The same for any function; subscribe it with `after_batch` alone where f(0, old) means nothing,
/// or where f(n, f(n, old)) is not f(n, old).
/// @param setting a name of Optimizer::settings
Extension spawn_parameter_modifier(caf::actor_system& system, std::string setting,
                                   SettingFunction function);

} // namespace troupe
