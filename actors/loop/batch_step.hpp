#pragma once

#include "actors/loop/trainer_log.hpp"
#include "actors/loop/training.hpp"
#include "messages/loop/batch_feed.hpp"

#include <functional>
#include <optional>
#include <string>

namespace troupe {

/// Trains on one batch after another: takes it from the feed, computes the gradient, makes the
/// update. If the run has a loader, orders batches from it in advance.
class BatchStep {
public:
  /// Called when the batch that training waits for has arrived, or with a sentence why it won't.
  using Resume = std::function<void(const std::string& error)>;

  /// @param training outlives this object and the actor
  void begin(TrainerActor::pointer self, Training& training, TrainerLog log, Resume resume);

  /// The next batch begins.
  void start(double now);
  double started_at() const { return began_; }
  /// @returns false if the loader has not prepared the batch; training waits for it from then on.
  /// Throws what the problem throws.
  bool read();
  /// Also makes the update, unless an extension is to see the gradient before.
  /// @param has_read seconds on the clock
  void find_gradient(double has_read);
  /// @param since seconds on the clock at which uncounted training time began
  void update(double since);

  void stop_waiting() { feed_.stop_waiting(); }
  /// Prints a line if training has waited long for its loader.
  void check_deadline();

private:
  void order(Step wanted); ///< orders that batch and the following ones from the loader
  void arrived(BatchPrepared& prepared);
  void lost(const caf::error& error);
  double take_time();      ///< adds the time to the run's position
  void write_statistics(); ///< of problem and model, into the batch's row

  TrainerActor::pointer self_ = nullptr;
  Training* training_ = nullptr;
  TrainerLog log_;
  Resume resume_;
  BatchFeed feed_;
  double began_ = 0;                       ///< seconds on the clock
  double reading_seconds_ = 0;             ///< of the running batch
  std::optional<double> gradient_seconds_; ///< of it, if the clock was read before its update
};

} // namespace troupe
