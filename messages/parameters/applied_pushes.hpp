#pragma once

#include "messages/parameters/parameters.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// Which pushes have been applied to the shared parameters, so that none is applied twice.
class AppliedPushes {
public:
  /// A worker has joined: its new incarnation numbers its pushes from 1.
  void join(WorkerId worker, std::uint64_t incarnation);

  /// @returns Error::stale for a number before the last one of a worker that has joined.
  caf::error check(const PushId& id, const std::string& what) const;
  /// Whether a push of this number was applied before.
  bool repeated(const PushId& id) const;

  /// A push was applied. @param version the first that contains it @returns its answer.
  Applied count(const Push& push, Version version);
  Applied count(const PushPart& push, Version version);

  /// The result of the worker's last applied push.
  const Applied& last_reply(WorkerId worker) const { return records_.at(worker).last_reply; }
  PushId last_push(WorkerId worker) const;
  std::uint64_t pushes() const { return pushes_; } ///< applied
  /// Equal at two shards that have applied the same pushes of whole shards, in any order.
  std::uint64_t mark() const { return mark_; }
  /// The number of the last applied push, for each incarnation of each worker.
  std::map<WorkerId, std::vector<std::uint64_t>> numbers() const;

  void save(SavedHolder& saved) const;
  void restore(const SavedHolder& saved);

private:
  struct Record {
    std::vector<std::uint64_t> numbers; ///< last one applied, of each incarnation
    Applied last_reply;
  };
  Applied count(const PushId& id, Version based_on, Version version);

  std::map<WorkerId, Record> records_;
  std::uint64_t pushes_ = 0;
  std::uint64_t mark_ = 0;
};

} // namespace troupe
