#pragma once

#include "actors/loop/trainer_log.hpp"
#include "actors/loop/training.hpp"
#include "messages/loop/batch_feed.hpp"

#include <functional>
#include <string>

namespace troupe {

/// Trains on one batch after the other: takes it from the feed, finds the gradient, makes the
/// update. Where the run has a loader, keeps that busy.
class BatchStep {
public:
  /// Called where training waits for a batch that has come, or with a sentence on why none will.
  using Resume = std::function<void(const std::string& error)>;

  /// @param training outlives this, and the actor
  void begin(TrainerActor::pointer self, Training& training, TrainerLog log, Resume resume);

  /// The next batch begins.
  void start(double now);
  double started_at() const { return began_; }
  /// @returns false where the loader has not prepared the batch: training waits for it from then
  /// on. Throws what the problem throws.
  bool read();
  /// And makes the update, too, where no extension is to see the gradient before.
  /// @param has_read seconds on the clock
  void find_gradient(double has_read);
  /// @param since seconds on the clock at which the time of training that is not counted began
  void update(double since);

  void stop_waiting() { feed_.stop_waiting(); }
  /// Tells people that training waits for its loader.
  void check_deadline();

private:
  void order(Step wanted); ///< that batch from the loader, and those behind it
  void arrived(BatchPrepared& prepared);
  void lost(const caf::error& error);
  double take_time();      ///< into the run's position
  void write_statistics(); ///< of problem and model, into the batch's row

  TrainerActor::pointer self_ = nullptr;
  Training* training_ = nullptr;
  TrainerLog log_;
  Resume resume_;
  BatchFeed feed_;
  double began_ = 0;                                  ///< seconds on the clock
  double reading_seconds_ = 0, gradient_seconds_ = 0; ///< of the running batch
};

} // namespace troupe
