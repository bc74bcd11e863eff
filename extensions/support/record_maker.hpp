// Spawns extensions that only turn events of the loop into records.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <functional>
#include <memory>

namespace troupe {

/// Turns events into records; a value without an actor.
class RecordMaker {
public:
  virtual ~RecordMaker() = default;

  /// @returns {} if there is nothing to write.
  virtual Records records(const LoopEvent& event) = 0;

  /// For a checkpoint.
  virtual SavedFields state() const = 0;
  /// Continues from a saved state.
  virtual void restore(const SavedFields& state) = 0;
};

/// Records in flight to the logger before a confirmation waits for it: enough to ride out a pause
/// of the disk, few enough for memory.
inline constexpr std::size_t records_ahead = 10'000;

/// As an observer it writes the records, as a gate it answers with them. It confirms an event once
/// the logger has written all but `records_ahead` of the records so far: a trainer that is faster
/// than the logger then fills the observer's window, which drops copies, and not the logger's
/// mailbox. It ends when no handle to it is left.
/// @param name of the actor, a literal: "timing"
Extension spawn_record_maker(caf::actor_system& system, const char* name,
                             std::shared_ptr<RecordMaker> maker, Logger logger);

/// The same for a function without state.
Extension spawn_record_maker(caf::actor_system& system, const char* name,
                             std::function<Records(const LoopEvent&)> records, Logger logger);

} // namespace troupe
