// What extensions share that only make records of the loop's events.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <functional>
#include <memory>

namespace troupe {

/// The records, without an actor in sight.
class MakesRecords {
public:
  virtual ~MakesRecords() = default;

  /// @returns nothing where nothing is to be written.
  virtual Records records(const LoopEvent& event) = 0;

  /// For a checkpoint.
  virtual Records state() const = 0;
  virtual void restore(const Records& state) = 0;
};

/// Records on their way to the logger before a confirmation waits for it: more than a disk's pause
/// takes, less than memory feels.
inline constexpr std::size_t records_ahead = 10'000;

/// As an observer it writes the records, as a gate it answers with them. Who wants an event
/// confirmed hears once the logger has written all but `records_ahead` of the records so far: a
/// trainer that is faster than the logger fills the observer's window, which loses copies, and not
/// the logger's mailbox. It ends when nobody holds a handle to it any more.
/// @param name of the actor, a literal: "timing"
Extension spawn_record_maker(caf::actor_system& system, const char* name,
                             std::shared_ptr<MakesRecords> maker, Logger logger);

/// The same, of a function that has nothing to remember.
Extension spawn_record_maker(caf::actor_system& system, const char* name,
                             std::function<Records(const LoopEvent&)> records, Logger logger);

} // namespace troupe
