#pragma once

#include "extensions/sync/parameter_sync_options.hpp"
#include "extensions/sync/shared_block.hpp"
#include "messages/loop/extension.hpp"
#include "messages/parameters/parameters.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <optional>

namespace troupe {

/// What becomes of a holder when the run ends early.
enum class HolderFate : std::uint8_t {
  outlives_run,   ///< it belongs to a cluster, where others go on
  saved_with_run, ///< a worker that goes on finds it as it was
};

/// A worker's side of the parameter protocol: joins, creates or fetches, exchanges, leaves. The
/// extensions that sync decide when.
///
/// With gradient_average the shared parameters are those before the round's update, next to the
/// mean gradient: whoever has both makes the update itself. So a worker that joins late spends its
/// first batch on taking it, and who leaves keeps its own parameters, which are newer.
///
/// A worker whose holder is saved with the run takes nothing when it joins again: it and the holder
/// were saved together, and what it has gathered since its last sync is its own. Hence an
/// interrupted one takes nothing when it leaves either.
///
/// A way that downpour has pushed and that was not answered may have been added or not. It is
/// pushed again, under its number, before what has come since, of which it is then no part.
class ParameterSync {
public:
  ParameterSync(Extension::pointer self, ParameterSyncOptions options, ParameterHolder holder,
                Layout layout, HolderFate fate);

  /// Joins and makes the worker's parameters the settled ones: its own where there are none yet and
  /// it is the main worker, for which the others wait.
  caf::typed_response_promise<GateAnswer> join(const LoopEvent& event);

  /// Whether the holder has asked for a rest that is not over yet.
  bool rests() const { return now() < rests_until_; }

  /// Pushes the worker's parameters and makes them the result. `done` hears begin and end on the
  /// actor's clock, seconds. Where the holder cannot be reached, the worker goes on with its own.
  caf::typed_response_promise<GateAnswer>
  exchange(const LoopEvent& event, std::function<void(double begin, double end)> done);

  /// Takes the shared parameters for the end, and leaves. What the worker has learned since its
  /// last sync is pushed first, whatever limits there are. Who never synced keeps its own: the
  /// shared ones are those it began with. After an error, and at an interrupt that is to be
  /// continued, the worker only leaves.
  caf::typed_response_promise<GateAnswer> leave(const LoopEvent& event, Records records = {});

  /// Lets training go on without a sync.
  caf::typed_response_promise<GateAnswer> pass();

  /// From now on keeps the parameters that the worker takes: one more copy of them in memory.
  void keep_taken() { keeps_taken_ = true; }
  const Block& taken() const { return taken_; } ///< last, without the optimizer's slots

  /// For a checkpoint: what lossy formats have left out of the pushes so far, and where the holder
  /// is saved, too, what the worker has of it.
  Records state() const;
  void restore(const Records& state);

  double now() const;

private:
  caf::duration deadline() const;
  caf::duration deadline(const Push& push) const; ///< none where its answer waits for others
  /// The records of the timing log. @param began seconds of the run
  Records timing(double began, double duration, Version staleness) const;
  using Answered = std::function<void(Parameters&)>;
  using Failed = std::function<void(const caf::error&)>;
  /// The push of the running number. @param last the worker leaves
  Push push_of(WorkerId worker, const Block& own, bool last) const;
  void push(WorkerId worker, const Block& own, bool last, const Answered& answered,
            const Failed& failed);
  /// @param added what it pushed is part of the shared parameters
  /// @param refused they are what the worker goes on from
  void push_again(WorkerId worker, const Answered& added, const Answered& refused,
                  const Failed& failed);
  void create_again(WorkerId worker, const Block& own,
                    caf::typed_response_promise<GateAnswer> promise);
  /// Whether its own parameters are what an ended worker's training came to.
  bool keeps_own_at_end(const LoopEvent& event) const;
  bool pushes_at_end(const LoopEvent& event, const Block& own) const;
  void go(WorkerId worker);
  /// The holder's own sentence, or one that says that it did not answer.
  caf::error refusal(const std::string& request, const caf::error& error) const;
  GateAnswer answer_with(Block shared);

  Extension::pointer self_;
  ParameterSyncOptions options_;
  ParameterHolder holder_;
  SharedBlock shared_;
  Block behind_; ///< joined, and the update to them has still to be made; empty: nothing
  std::uint64_t incarnation_ = 0, number_ = 0;
  Version version_ = 0;              ///< last seen
  std::optional<Step> exchanged_at_; ///< batches done at the last sync since it joined; none yet
  Block base_;                       ///< taken last; kept for downpour only
  Block taken_; ///< by the worker, last; kept only where keep_taken() asks for it
  bool keeps_taken_ = false;
  Block residual_;   ///< what a lossy format has left out so far; empty: nothing
  Block unanswered_; ///< of downpour: the parameters of a push without an answer; empty: none
  double rests_until_ = 0;
  HolderFate fate_;
  bool joined_ = false;
  bool kept_own_ = false; ///< when it left
  bool goes_on_ = false;  ///< it was saved with what it has, and joins again
};

} // namespace troupe
