// When the trainers of MI-Prometheus end training, and the status they report. An episode is a
// batch.
#pragma once

#include "base/text/enum_names.hpp"
#include "messages/schedule/position.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The unit in which training is measured and ended.
enum class TrainerKind : std::uint8_t {
  offline, ///< epochs, with a validation of the whole section after each
  online,  ///< episodes, with a partial validation now and then
};
/// How configurations write the values.
constexpr auto enum_names(TrainerKind) { return name_list("offline", "online"); }

/// A limit that is not above 0 is disabled.
struct TerminationLimits {
  double loss_stop = 1e-5;         ///< a validation's loss below it ends training
  std::int64_t epoch_limit = 10;   ///< epochs in total
  std::int64_t episode_limit = -1; ///< batches in total
  double early_stop_delta = -1;    ///< a loss has improved if it is lower by more than this; < 0:
                                   ///< disabled
  std::int64_t early_stop_validations = 10; ///< as many in a row without improvement end training
  TROUPE_FIELDS(loss_stop, epoch_limit, episode_limit, early_stop_delta, early_stop_validations);
};

/// MI-Prometheus' defaults: offline as above, online 100000 episodes and no limit of epochs.
TerminationLimits usual_limits(TrainerKind kind);

/// What is wrong with the limits, one sentence each; `path` is their place in the configuration.
std::vector<std::string> defects_of(const TerminationLimits& limits, TrainerKind kind,
                                    const std::string& path);

/// Why training ends, the strongest first.
enum class TerminationCause : std::uint8_t {
  loss,           ///< a validation's loss was below `loss_stop`
  episodes,       ///< as many batches as `episode_limit` are trained
  epochs,         ///< as many epochs as `epoch_limit` are done
  no_improvement, ///< `early_stop_validations` in a row did not improve the loss
};

/// "Converged (Full Validation Loss went below Loss Stop threshold)"
std::string status_text(TerminationCause cause, TrainerKind kind);

/// Whether a cause of an end is one of those texts.
bool is_terminal_status(std::string_view cause);

inline constexpr const char* not_converged = "Not Converged"; ///< while nothing has ended training
inline constexpr const char* interrupted_status = "interrupted"; ///< ended from outside

/// Decides when training ends. A cause that was found is kept; the strongest gives the status.
class Termination {
public:
  /// What a saved run keeps.
  struct State {
    bool any = false;   ///< whether there was a validation
    Step validated = 0; ///< after which batch the last one was
    double loss = 0;    ///< its loss
    double reference = std::numeric_limits<double>::infinity(); ///< the loss to improve on
    std::int64_t waits = 0;                                     ///< validations since then
    bool converged = false;   ///< the loss was below the threshold when it could end training
    bool interrupted = false; ///< training was ended from outside
    TROUPE_FIELDS(any, validated, loss, reference, waits, converged, interrupted);
  };

  Termination() = default;
  /// @param curriculum epochs that have to be done before a low loss ends training
  Termination(TrainerKind kind, const TerminationLimits& limits, Epoch curriculum);

  /// Checks the position and at the loss of the validation made there, if any. A validation
  /// counts once, however often it is passed.
  /// @returns the new causes, the strongest first.
  std::vector<TerminationCause> update(const Position& now, std::optional<double> loss);

  /// Training resumes at `now`, possibly with other limits: only causes that still hold are kept.
  const std::vector<TerminationCause>& resume(const Position& now);

  /// Training is ended from outside.
  void interrupt() { state_.interrupted = true; }

  /// Whether the running epoch ends at `now`: at the limit of episodes, offline training still does
  /// the work of an epoch's end.
  bool closes_epoch(const Position& now) const;

  /// Those that hold, the strongest first; empty while training goes on.
  const std::vector<TerminationCause>& causes() const { return causes_; }
  /// The text of the strongest cause, `interrupted_status`, or `not_converged`.
  std::string status() const;
  /// The cause as this kind of trainer writes it.
  std::string text(TerminationCause cause) const { return status_text(cause, kind_); }

  /// For a saved run.
  const State& state() const { return state_; }
  /// Takes a saved state; `resume` then drops the causes that hold no more.
  void restore(const State& state) { state_ = state; }

private:
  void validated(const Position& now, double loss);
  bool holds(TerminationCause cause, const Position& now) const;

  TrainerKind kind_ = TrainerKind::offline;
  TerminationLimits limits_;
  Epoch curriculum_ = 0;
  std::vector<TerminationCause> causes_; ///< the strongest first
  State state_;
};

} // namespace troupe
