// A grid: many runs, so many at once, each started again where it may be.
//
//   program                 grid supervisor                    runner (one for each that may run)
//     | ---- StartGrid -------> |                                 |
//     |                         | ---- RunTrial ----------------> |
//     |                         | <--- TrialEnded --------------- |   written to the journal, then
//     |                         | ---- RunTrial ----------------> |   the next
//     |                         | <--- OfferRunner -------------- |   who comes later, for one
//     |                         | ---- RunTrial ----------------> |
//     | ---- StopGrid --------> |   nothing new is started        |
//     | <--- GridEnded -------- |   when nothing is under way     |
//
// Only grids load these messages, so that they have a block of type ids of their own.
#pragma once

#include "messages/inspection/inspect.hpp"
#include "messages/wire/carriers.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace troupe {

/// Number of a run in its grid, from 1: those of the first repetition first.
using RunNumber = std::uint64_t;

struct RunTrial {
  RunNumber run = 0;
  std::uint32_t attempt = 1; ///< 2 for the first retry
  std::uint32_t rung = 0;    ///< of successive halving, from 0
  FIELDS(run, attempt, rung);
};

enum class TrialOutcome : std::uint8_t {
  done,
  failed,  ///< another attempt may succeed
  refused, ///< its configuration cannot be: another attempt would fail the same
  stopped, ///< somebody stopped it; it can go on
};

std::string to_string(TrialOutcome outcome);
bool from_text(std::string_view text, TrialOutcome& outcome); ///< false for an unknown word

struct TrialEnded {
  RunNumber run = 0;
  std::uint32_t attempt = 1;
  std::uint32_t rung = 0;
  TrialOutcome outcome = TrialOutcome::done;
  std::string reason; ///< why training ended, or the sentence about what failed
  double score = 0;   ///< of the record that the grid compares; NaN where there is none
  double seconds = 0; ///< that this attempt took
  std::string time;   ///< "2026-01-31T12:00:00.000Z": when it ended
  std::string node;   ///< that had it; "": the grid's own process
  FIELDS(run, attempt, rung, outcome, reason, score, seconds, time, node);
};

/// An end without a score. @param node that had it; "": the grid's own process
TrialEnded end_of(const RunTrial& trial, TrialOutcome outcome, const std::string& reason,
                  const std::string& node = "");

struct StartGrid {
  FIELDS();
};

/// Starts nothing more. Whoever asks sees to it that what is under way ends.
struct StopGrid {
  FIELDS();
};

struct GridEnded {
  std::uint64_t done = 0;   ///< runs that are through, those of earlier starts included
  std::uint64_t failed = 0; ///< runs that have used up their attempts
  std::uint64_t left = 0;   ///< runs that a next start goes on with
  std::string error;        ///< why the grid ended before its time; "": it did not
  FIELDS(done, failed, left, error);
};

using TrialRunner = caf::typed_actor<caf::replies_to<RunTrial>::with<TrialEnded>>;

/// The runner takes one trial more; it may offer itself several times.
struct OfferRunner {
  TrialRunner runner;
  FIELDS(runner);
};

/// One offer of the runner is void. A trial may be on its way all the same.
struct WithdrawRunner {
  TrialRunner runner;
  FIELDS(runner);
};

using GridSupervisor
  = caf::typed_actor<caf::replies_to<StartGrid>::with<GridEnded>, caf::reacts_to<StopGrid>,
                     caf::reacts_to<OfferRunner>, caf::reacts_to<WithdrawRunner>>;

} // namespace troupe

// Far behind the ids of messages/wire/type_ids.hpp; grid_wire.cpp makes what carries them.
// clang-format off
#define TROUPE_GRID_MESSAGES(X) \
  X(RunTrial) X(TrialEnded) X(StartGrid) X(StopGrid) X(GridEnded) X(OfferRunner) \
  X(WithdrawRunner)
// clang-format on

CAF_BEGIN_TYPE_ID_BLOCK(troupe_grid, caf::first_custom_type_id + 1000)

#define TROUPE_ADD_TYPE_ID(Message) CAF_ADD_TYPE_ID(troupe_grid, (troupe::Message))
  TROUPE_GRID_MESSAGES(TROUPE_ADD_TYPE_ID)
#undef TROUPE_ADD_TYPE_ID

CAF_END_TYPE_ID_BLOCK(troupe_grid)

TROUPE_GRID_MESSAGES(TROUPE_KNOW_CARRIERS)
