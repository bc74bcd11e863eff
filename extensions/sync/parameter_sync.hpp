#pragma once

#include "extensions/sync/parameter_sync_options.hpp"
#include "extensions/sync/shared_block.hpp"
#include "messages/loop/extension.hpp"
#include "messages/parameters/parameters.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <optional>

namespace troupe {

struct ExtensionContext;

/// What happens to a holder when the run ends early.
enum class HolderFate : std::uint8_t {
  outlives_run,   ///< it belongs to a cluster, where other workers continue
  saved_with_run, ///< it is saved, and a resumed worker finds it unchanged
};

/// The fate of the holder that the extensions of a run share their parameters with.
HolderFate fate_of_holder(const ExtensionContext& context);

/// A worker's side of the parameter protocol: join, create or fetch, exchange, leave. The sync
/// extensions decide when.
///
/// With a rule that shares gradients the shared parameters are those before the round's update,
/// together with the mean gradient, and each worker applies the update itself. So a worker that
/// joins late spends its first batch on this update, and a worker that leaves keeps its own
/// parameters, which are newer.
///
/// A worker whose holder is saved with the run keeps its own parameters when it joins again: it and
/// the holder were saved together, and its progress since the last sync is its own. For the same
/// reason an interrupted worker keeps them when it leaves.
///
/// An unanswered push of steps may or may not have been added. It is pushed again with the same
/// sequence number before later changes, which do not include it.
class ParameterSync {
public:
  ParameterSync(Extension::pointer self, ParameterSyncOptions options, ParameterHolder holder,
                Layout layout, HolderFate fate);

  /// Joins and gives the worker the shared parameters. The main worker creates them from its own if
  /// there are none; the others wait for it.
  caf::typed_response_promise<GateAnswer> join(const LoopEvent& event);

  /// Whether the holder's minimum time between pushes is not over yet.
  bool must_wait() const { return now() < next_push_at_; }

  /// Pushes the worker's parameters and answers with the result. Calls `done` with begin and end in
  /// seconds on the actor's clock. If the holder cannot be reached, the worker continues with its
  /// own parameters.
  caf::typed_response_promise<GateAnswer>
  exchange(const LoopEvent& event, std::function<void(double begin, double end)> done);

  /// Takes the shared parameters at the end, and leaves. It first pushes the changes since the last
  /// sync, ignoring rate limits. A worker that never synced keeps its own parameters: the shared
  /// ones are those that it started with. After an error, and at an interrupt that can be resumed,
  /// the worker only leaves.
  caf::typed_response_promise<GateAnswer> leave(const LoopEvent& event, Records records = {});

  /// Lets training continue without a sync.
  caf::typed_response_promise<GateAnswer> skip();

  /// From now on keeps the last parameters that the worker has taken: one more copy in memory.
  void keep_taken() { keeps_taken_ = true; }
  const Block& taken() const { return taken_; } ///< last ones, without the optimizer's slots

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
  /// The push with the current sequence number. @param last the worker leaves
  Push push_of(WorkerId worker, const Block& own, bool last) const;
  void push(WorkerId worker, const Block& own, bool last, const Answered& answered,
            const Failed& failed);
  /// @param added called if the push is part of the shared parameters
  /// @param refused called if it is not: the worker continues from the shared parameters
  void push_again(WorkerId worker, const Answered& added, const Answered& refused,
                  const Failed& failed);
  void create_again(WorkerId worker, const Block& own,
                    caf::typed_response_promise<GateAnswer> promise);
  /// Whether a worker that ends keeps its own parameters as the result.
  bool keeps_own_at_end(const LoopEvent& event) const;
  bool pushes_at_end(const LoopEvent& event, const Block& own) const;
  void send_leave(WorkerId worker);
  /// The holder's error, or one that says that it did not answer.
  caf::error refusal(const std::string& request, const caf::error& error) const;
  GateAnswer answer_with(Block shared);

  Extension::pointer self_;
  ParameterSyncOptions options_;
  ParameterHolder holder_;
  SharedBlock shared_;
  Block unapplied_; ///< parameters at joining whose update is still to be applied; empty: none
  std::uint64_t incarnation_ = 0, number_ = 0;
  Version version_ = 0; ///< last seen version
  std::optional<Step>
    exchanged_at_; ///< batches done at the last sync since joining; nothing: no sync yet
  Block base_;     ///< parameters taken last; only for rules that send steps
  Block taken_;    ///< parameters taken last; only after keep_taken()
  bool keeps_taken_ = false;
  Block residual_;   ///< residual of a lossy format; empty: none
  Block unanswered_; ///< steps: the parameters of an unanswered push; empty: none
  double next_push_at_ = 0;
  HolderFate fate_;
  bool joined_ = false;
  bool kept_own_ = false; ///< it kept its own parameters when it left
  bool restored_ = false; ///< it was restored, and joins again
};

} // namespace troupe
