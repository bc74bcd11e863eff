#pragma once

#include "messages/loop/loop.hpp"

#include <string>
#include <vector>

namespace troupe {

/// What has been requested of a run's end: by its extensions, from outside, or because its data
/// end; at which point it comes, and why. Decides; does not send.
class RequestedEnd {
public:
  RequestedEnd() = default;
  /// The end of a run that ends at once if there are causes.
  explicit RequestedEnd(std::vector<std::string> causes);

  /// The run ends after the running callback.
  void finish(const std::string& reason);
  /// The same, or after an epoch. A run that ends by itself is not interrupted.
  /// @pre the level is not StopLevel::now
  void stop(const Stop& stop);
  /// The run ends at once, and can be continued.
  void abandon(const std::string& reason);
  /// Nothing is left to continue: drops interrupts that have not taken effect yet or would take
  /// effect here.
  void end_by_itself();
  /// The epoch after which the run ends is done: later causes stand behind those known now.
  void reach_epoch_end();
  /// The last callbacks come; a cause that is not known is that the data ended.
  void complete();

  bool after_batch() const { return after_batch_; }
  /// Whether the run ends after an epoch, `done` epochs being done.
  bool after_epoch(Epoch done) const { return after_epoch_ && done >= epochs_; }
  bool by_itself() const { return by_itself_; }
  bool interrupted() const { return interrupted_; }
  bool abandoned() const { return abandoned_; }
  /// In order: those of an end after the epoch come after those that end the run earlier.
  const std::vector<std::string>& causes() const { return causes_; }

private:
  bool after_batch_ = false, after_epoch_ = false, interrupted_ = false, abandoned_ = false;
  bool by_itself_ = false; ///< even if it is interrupted
  Epoch epochs_ = 0;       ///< after_epoch_: not before this many are done
  std::vector<std::string> causes_;
  std::vector<std::string> interrupts_; ///< the causes that are interrupts
  std::ptrdiff_t effective_ = 0;        ///< how many of the first causes end the run now
};

} // namespace troupe
