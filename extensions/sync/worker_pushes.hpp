#pragma once

#include "extensions/sync/fragment_cycle.hpp"
#include "extensions/sync/parameter_sync_options.hpp"
#include "messages/loop/saved_fields.hpp"
#include "messages/parameters/parameters.hpp"

namespace troupe {

/// The pushes of one worker: their numbers, what each contains, and what of them has not arrived.
/// Each is of the fragment whose turn it is, and so are the blocks below.
///
/// An unanswered push of steps may or may not have been added. It is pushed again with the same
/// number, base and residual before later changes, which do not include it.
class WorkerPushes {
public:
  /// @param last_apart a last push of steps is added outside of rounds, as in a cluster, where the
  ///        other workers may train for long
  WorkerPushes(const ParameterSyncOptions& options, bool last_apart, FragmentCycle cycle = {});

  /// The worker has joined: its pushes are numbered from 1.
  void begin(std::uint64_t incarnation);
  /// The worker has taken the fragment of these shared parameters. The next one has its turn.
  void take(Version version, const Block& shared);
  /// The worker continues from these shared parameters, all of them.
  void take_all(Version version, const Block& shared);
  /// The same with those that no push was answered with: the next answer is to be exact, too.
  void begin_with(Version version, const Block& shared);
  /// The worker leaves, and pushes each fragment once: the next one has its turn.
  void skip_turn() { cycle_.step(); }

  const Fragment& fragment() const { return cycle_.next(); } ///< whose turn it is
  std::size_t fragments() const { return cycle_.count(); }

  /// The next push. @param last the worker leaves
  Push next(WorkerId worker, const Block& own, bool last);
  void answered(Parameters& answer, bool last);
  /// @param own that the push contained
  /// @param may_be_added whether the holder may have received it
  void unanswered(const Block& own, bool may_be_added);

  /// Whether a push has to be repeated before the next.
  bool must_repeat() const { return !unanswered_.empty(); }
  Push repeated(WorkerId worker) const;
  /// @returns whether it is part of the shared parameters; otherwise the worker continues from these
  bool repeated_answered(Parameters& answer);
  void repeated_unanswered(bool may_be_added);

  Version version() const { return version_; } ///< last seen
  std::uint64_t incarnation() const { return incarnation_; }
  std::uint64_t number() const { return number_; } ///< of the last push

  /// @param with_holder the holder is saved, too
  void save(SavedFields& state, bool with_holder) const;
  void restore(const SavedFields& state);

private:
  Push push_of(WorkerId worker, const Block& own, bool last) const;
  void keep(Parameters& answer);

  /// What the next push of a fragment depends on.
  struct Kept {
    Block base;     ///< shared parameters taken last; only for rules that send steps
    Block residual; ///< what a lossy format has left out; empty: nothing
    Block received; ///< the last answer, if a lossy format left something out; else empty
  };
  Kept& kept() { return kept_[cycle_.turn()]; }
  const Kept& kept() const { return kept_[cycle_.turn()]; }
  Block whole(Block Kept::*part, bool without_sent) const;
  void set_whole(Block Kept::*part, const Block& whole);

  ParameterSyncOptions options_;
  bool last_apart_;
  std::uint64_t incarnation_ = 0, number_ = 0;
  Version version_ = 0;
  FragmentCycle cycle_;
  std::vector<Kept> kept_; ///< by place in the cycle
  bool in_flight_ = false;
  Block unanswered_; ///< steps: the parameters of an unanswered push; empty: none
};

} // namespace troupe
