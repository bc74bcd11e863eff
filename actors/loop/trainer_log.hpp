#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/loop.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <string>
#include <utility>

namespace troupe {

/// The trainer's messages to itself besides its public interface.
using TrainerActor
  = Trainer::extend<caf::reacts_to<ContinueTraining>, caf::reacts_to<CheckDeadlines>>;

/// Sends a trainer's messages to the logger, if there is one.
class TrainerLog {
public:
  TrainerLog() = default;
  TrainerLog(TrainerActor::pointer self, Logger logger, WorkerId worker)
    : self_(self),
      logger_(std::move(logger)),
      worker_(worker) {}

  /// Writes into the row of this position.
  void write(const Position& position, const Records& records) const {
    if (logger_ && !records.empty())
      self_->send(
        logger_,
        Write{{worker_, position.batches}, position.epochs, position.seconds, records, ""});
  }
  void write_status(Records status) const {
    if (logger_)
      self_->send(logger_, WriteStatus{worker_, std::move(status)});
  }
  void say(Level level, const std::string& text) const {
    if (logger_)
      self_->send(logger_, Say{level, text});
  }

private:
  TrainerActor::pointer self_ = nullptr;
  Logger logger_; ///< may be null
  WorkerId worker_ = 0;
};

} // namespace troupe
