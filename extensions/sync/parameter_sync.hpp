#pragma once

#include "extensions/sync/parameter_sync_options.hpp"
#include "extensions/sync/shared_block.hpp"
#include "extensions/sync/sync_membership.hpp"
#include "extensions/sync/worker_pushes.hpp"
#include "messages/loop/extension.hpp"
#include "messages/parameters/parameters.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <optional>

namespace troupe {

struct ExtensionContext;

/// The fate of the holder that the extensions of a run share their parameters with.
HolderFate fate_of_holder(const ExtensionContext& context);

/// A push whose result has not been taken.
struct PushInFlight {
  Block pushed;              ///< by the worker; empty where the result does not depend on it
  double begin = 0, end = 0; ///< seconds on the actor's clock
  std::optional<Parameters> answer;
  caf::error error = {};
  bool ended() const { return answer || error; }
};

/// A worker's side of the parameter protocol: join, create or fetch, exchange, leave. The sync
/// extensions decide when.
///
/// With a rule that shares gradients the shared parameters are those before the round's update,
/// together with the mean gradient, and each worker applies the update itself. So a worker that
/// joins late spends its first batch on this update.
class ParameterSync {
public:
  ParameterSync(Extension::pointer self, ParameterSyncOptions options, ParameterHolder holder,
                Layout layout, HolderFate fate);

  /// Joins and gives the worker the shared parameters. The main worker creates them from its own if
  /// there are none; the others wait for it.
  caf::typed_response_promise<GateAnswer> join(const LoopEvent& event);

  /// Whether the holder's minimum time between pushes is not over yet.
  bool must_wait() const { return now() < next_push_at_; }

  /// Pushes the worker's parameters, or the fragment whose turn it is, and answers with the result.
  /// With overlap it answers with the result of the push before, for which it waits if necessary,
  /// and the worker trains on while this one is exchanged. Calls `done` with begin and end of the
  /// wait in seconds on the actor's clock. If the holder cannot be reached, the worker continues
  /// with its own parameters.
  caf::typed_response_promise<GateAnswer>
  exchange(const LoopEvent& event, std::function<void(double begin, double end)> done);

  /// Takes the shared parameters at the end, and leaves. It first pushes the changes since the last
  /// sync, ignoring rate limits. A worker that never synced keeps its own parameters: the shared
  /// ones are those that it started with. After an error, and at an interrupt that can be resumed,
  /// the worker only leaves.
  caf::typed_response_promise<GateAnswer> leave(const LoopEvent& event,
                                                const Records& records = {});

  /// Lets training continue without a sync.
  caf::typed_response_promise<GateAnswer> skip();

  /// From now on keeps the last parameters that the worker has taken: one more copy in memory.
  void keep_taken() { taken_.emplace(); }
  /// The last ones, without the optimizer's slots. @pre keep_taken()
  const Block& taken() const { return *taken_; }

  /// For a checkpoint: what lossy formats have left out of the pushes so far, and where the holder
  /// is saved, too, what the worker has of it.
  SavedFields state() const;
  void restore(const SavedFields& state);

  double now() const;

private:
  caf::duration deadline() const;
  caf::duration
  deadline(const Push& push) const; ///< infinite if the answer waits for other workers
  /// The records of the timing log. @param began seconds of the run
  Records timing(double began, double duration, Version staleness) const;
  using Answered = std::function<void(Parameters&)>;
  using Failed = std::function<void(const caf::error&)>;

  /// Pushes the fragment whose turn it is. @pre nothing is in flight
  void send(WorkerId worker, const Block& own);
  /// What is in flight has an answer, or has failed, as `end` writes to it.
  void land(const std::function<void(PushInFlight&)>& end);
  /// Calls `then` once nothing is in flight, or its answer is there.
  void when_ended(std::function<void()> then);
  /// The result of an answered flight. @param own the worker's parameters now @returns them with it
  Block taken_from(PushInFlight& flight, const Block& own, Step batches);
  GateAnswer answer_to(PushInFlight& flight, Block shared, double asked, double seconds);

  void leave_now(const LoopEvent& event, const Records& records,
                 caf::typed_response_promise<GateAnswer> promise);
  /// Pushes all fragments, one after the other. @param pushed how many have been
  void push_last(WorkerId worker, const Block& own, const Answered& answered, const Failed& failed,
                 std::size_t pushed = 0);
  /// @param own the fragment whose turn it is @param last the worker leaves
  void push(WorkerId worker, const Block& own, bool last, const Answered& answered,
            const Failed& failed);
  /// @param added called if the push is part of the shared parameters
  /// @param refused called if it is not: the worker continues from the shared parameters
  void push_again(WorkerId worker, const Answered& added, const Answered& refused,
                  const Failed& failed);
  void create_again(WorkerId worker, const Block& own,
                    caf::typed_response_promise<GateAnswer> promise);
  void send_leave(const LoopEvent& event);
  /// The holder's error, or one that says that it did not answer.
  caf::error refusal(const std::string& request, const caf::error& error) const;
  GateAnswer answer_with(Block shared);

  Extension::pointer self_;
  ParameterSyncOptions options_;
  ParameterHolder holder_;
  SharedBlock shared_;
  WorkerPushes pushes_;
  SyncMembership membership_;
  Layout layout_;
  std::optional<PushInFlight> flight_;
  std::function<void()> then_; ///< waits for the end of the flight
  Block unapplied_; ///< parameters at joining whose update is still to be applied; empty: none
  std::optional<Block> taken_; ///< parameters taken last; nothing: they are not kept
  double next_push_at_ = 0;
};

} // namespace troupe
