#pragma once

#include "messages/cluster/cluster.hpp"
#include "messages/log/log.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <string>
#include <utility>

namespace troupe {

/// The messages of the remote holder besides its public interface.
using RemoteHolderActor = RemoteHolder::extend<caf::reacts_to<CheckShards>>;

/// Sends the lines that a remote holder prints to the logger, in the name of its worker.
class WorkerLog {
public:
  WorkerLog() = default;
  /// @param worker "worker 3"
  /// @param logger may be null
  WorkerLog(RemoteHolderActor::pointer self, Logger logger, std::string worker)
    : self_(self),
      logger_(std::move(logger)),
      worker_(std::move(worker)) {}

  void say(Level level, const std::string& text) const {
    if (logger_)
      self_->send(logger_, Say{level, worker_ + ": " + text});
  }

private:
  RemoteHolderActor::pointer self_ = nullptr;
  Logger logger_;
  std::string worker_;
};

} // namespace troupe
