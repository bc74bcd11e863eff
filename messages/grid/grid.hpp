// A grid: many runs, several at once, each retried as often as allowed.
//
//   program                 grid supervisor                    runner (one for each run at once)
//     | ---- StartGrid -------> |                                 |
//     |                         | ---- RunTrial ----------------> |
//     |                         | <--- TrialEnded --------------- |   written to the journal, then
//     |                         | ---- RunTrial ----------------> |   the next
//     |                         | <--- OfferRunner -------------- |   one that comes later
//     |                         | ---- RunTrial ----------------> |
//     | ---- StopGrid --------> |                                 |   nothing new is started
//     | <--- GridEnded -------- |                                 |   when nothing runs any more
//
// Only grids load these messages, so they have a block of type ids of their own.
#pragma once

#include "base/text/enum_names.hpp"
#include "messages/inspection/inspect.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace troupe {

/// Number of a run in its grid, from 1: those of the first repetition come first.
using RunNumber = std::uint64_t;

/// Trains one run of the grid, or one rung of it.
struct RunTrial {
  RunNumber run = 0;         ///< which
  std::uint32_t attempt = 1; ///< 2 for the first retry
  std::uint32_t rung = 0;    ///< of successive halving, from 0
  TROUPE_FIELDS(run, attempt, rung);
};

/// How an attempt ended.
enum class TrialOutcome : std::uint8_t {
  done,    ///< it was trained
  failed,  ///< another attempt may succeed
  refused, ///< its configuration is invalid: another attempt would fail as well
  stopped, ///< it was stopped from outside; it can be resumed
};
/// How the journal writes the values.
constexpr auto enum_names(TrialOutcome) {
  return name_list("done", "failed", "refused", "stopped");
}

/// An attempt has ended, in whatever way.
struct TrialEnded {
  RunNumber run = 0;                         ///< as in RunTrial
  std::uint32_t attempt = 1;                 ///< as in RunTrial
  std::uint32_t rung = 0;                    ///< as in RunTrial
  TrialOutcome outcome = TrialOutcome::done; ///< how
  std::string reason; ///< why training ended, or the sentence about what failed
  double score = 0;   ///< of the record that the grid compares; NaN if there is none
  double seconds = 0; ///< duration of this attempt
  std::string time;   ///< "2026-01-31T12:00:00.000Z": when it ended
  std::string node;   ///< the node that ran it; "": the grid's own process
  TROUPE_FIELDS(run, attempt, rung, outcome, reason, score, seconds, time, node);
};

/// An end without a score. @param node that ran it; "": the grid's own process
TrialEnded end_of(const RunTrial& trial, TrialOutcome outcome, const std::string& reason,
                  const std::string& node = "");

/// Begins the grid, or continues it; the answer comes when it ends.
struct StartGrid {
  TROUPE_FIELDS();
};

/// Starts nothing more. The sender stops what is running.
struct StopGrid {
  TROUPE_FIELDS();
};

/// Nothing runs any more.
struct GridEnded {
  std::uint64_t done = 0;   ///< completed runs, including those of earlier starts
  std::uint64_t failed = 0; ///< runs that have used up their attempts
  std::uint64_t left = 0;   ///< runs that the next start resumes
  std::string error;        ///< why the grid ended early; "": it did not
  TROUPE_FIELDS(done, failed, left, error);
};

/// Trains one run after the other.
using TrialRunner = caf::typed_actor<caf::replies_to<RunTrial>::with<TrialEnded>>;

/// The runner takes one more trial; it may offer itself several times.
struct OfferRunner {
  TrialRunner runner; ///< that is free
  TROUPE_FIELDS(runner);
};

/// Withdraws one offer of the runner. A trial may be in flight nevertheless.
struct WithdrawRunner {
  TrialRunner runner; ///< that was offered
  TROUPE_FIELDS(runner);
};

/// Decides which run comes next (actors/grid/grid_supervisor.hpp).
using GridSupervisor
  = caf::typed_actor<caf::replies_to<StartGrid>::with<GridEnded>, caf::reacts_to<StopGrid>,
                     caf::reacts_to<OfferRunner>, caf::reacts_to<WithdrawRunner>>;

} // namespace troupe

// Far beyond the ids of messages/wire/type_ids.hpp; grid_wire.cpp instantiates the code that sends
// them.
// clang-format off
/// Calls X(Message) for each message of a grid on one machine.
#define TROUPE_GRID_MESSAGES(X) \
  X(RunTrial) X(TrialEnded) X(StartGrid) X(StopGrid) X(GridEnded) X(OfferRunner) \
  X(WithdrawRunner)
// clang-format on

CAF_BEGIN_TYPE_ID_BLOCK(troupe_grid, caf::first_custom_type_id + 21000)

#define TROUPE_ADD_TYPE_ID(Message) CAF_ADD_TYPE_ID(troupe_grid, (troupe::Message))
  TROUPE_GRID_MESSAGES(TROUPE_ADD_TYPE_ID)
#undef TROUPE_ADD_TYPE_ID

CAF_END_TYPE_ID_BLOCK(troupe_grid)
