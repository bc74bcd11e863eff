// Which part of the parameters a sync exchanges, and how a result that comes late is taken.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <vector>

namespace troupe {

/// The fragments of a worker's parameters, whose turns follow one another: as equal as cache lines
/// allow, regardless of parameter boundaries.
///
/// In rounds the version of the shared parameters tells whose turn it is. So workers that join
/// later, or have missed an answer, exchange the same fragment as the others. Without rounds each
/// worker has turns of its own.
class FragmentCycle {
public:
  /// One fragment: the whole block.
  FragmentCycle() = default;
  /// @param layout of the block @param count of fragments, >= 1
  FragmentCycle(const Layout& layout, std::size_t count, bool in_rounds);

  std::size_t count() const { return fragments_.size(); }
  const Fragment& operator[](std::size_t place) const { return fragments_[place]; }
  /// Elements of all fragments. @pre several
  Index size() const { return fragments_.back().begin + fragments_.back().size; }
  std::size_t turn() const { return turn_; } ///< the place of the next fragment
  const Fragment& next() const { return fragments_[turn_]; }

  /// The worker has all parameters of that version.
  void begin(Version version) { turn_ = version % count(); }
  /// The fragment was exchanged. @param version of the answer
  void advance(Version version) { turn_ = (in_rounds_ ? version : turn_ + 1) % count(); }
  /// The next fragment of a worker that exchanges all of them before it leaves.
  void step() { turn_ = (turn_ + 1) % count(); }
  void restore(std::size_t turn) { turn_ = turn % count(); }

private:
  std::vector<Fragment> fragments_{Fragment{}};
  bool in_rounds_ = false;
  std::size_t turn_ = 0;
};

/// What a worker continues with if it has trained on while its push was answered:
///
///   W <- A + (W - P)     P the pushed parameters, A what the rule makes of them and the answer
///
/// so that neither its own progress nor the others' is lost. Measured statistics are taken as they
/// are in A: a difference could make a variance negative. Where W is P the result is A, bit by bit.
///
/// Douillard et al., "Streaming DiLoCo with overlapping communication", 2025, arXiv:2501.18512,
/// mixes W and A instead.
/// @param layout of these blocks
Block with_progress(const Block& answer, const Block& pushed, const Block& own,
                    const Layout& layout);

} // namespace troupe
