// What worker and holder do with a rule: the worker sends a contribution and adopts the answer, the
// holder applies the contributions of a round. For rules without a defect (update_rule_kind.hpp).
//
// A round is what the holder applies at once: one contribution of each worker, in the order of
// their ids; without rounds (any staleness but 0) the one of the worker that pushes.
#pragma once

#include "model/tensor/block.hpp"
#include "model/tensor/layout.hpp"
#include "model/update_rules/update_rule.hpp"

#include <vector>

namespace troupe {

// @throws std::invalid_argument for rules with a defect

/// What a worker sends: its parameters, or with rules that send steps their difference from `base`,
/// the shared ones it took last.
Block contribution(const UpdateRule& rule, const Block& own, const Block& base);

/// Applies the contributions of one round to the shared parameters, in one pass over memory.
///
/// @param shared S; its buffer is changed in place unless it is shared with readers
/// @param state what the rule keeps from round to round, as long as S; empty before its first
///        round, and with a rule that keeps none
/// @param contributions at least one, each as long as S; a single one without other readers is
///        overwritten
/// @param layout of S, which tells what is measured; empty: nothing
/// @returns the answer to the workers: the new S, or with elastic rules the old S
Block apply(const UpdateRule& rule, Block& shared, Block& state, std::vector<Block>& contributions,
            const Layout& layout = {});

/// The worker's parameters after the sync: `answer`, or with elastic rules its own moved towards
/// it.
Block adopted(const UpdateRule& rule, const Block& own, Block answer);

} // namespace troupe
