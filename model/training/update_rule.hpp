// Update rules: how a sync combines a worker's parameters W with the shared ones S.
//
//   rule            the worker sends      S becomes                           the worker takes
//   alpha_beta      W                     alpha S + beta mean(W)              S
//   average         W                     mean(W)                             S
//   easgd           W                     S + e sum(W - S)                    W - e (W - S before)
//   downpour        W - its last S        S + sum of what was sent            S
//   outer_nesterov  W                     S - r (g + m v), g = S - mean(W),   S
//                                         v <- m v + g
//   gradient_average  W and the gradient   their means                         S, and steps from it
//
// outer_nesterov extrapolates beyond the workers, which suits trained parameters only. For measured
// ones (running statistics, an optimizer's slots) S becomes mean(W), because a variance that is
// extrapolated below 0 ends training.
//
// mean and sum are over the workers of a round, in the order of their ids; without rounds (any
// staleness but 0) over the one worker that pushes.
//
// alpha_beta is Legion's rule. easgd: Zhang, Choromanska, LeCun, "Deep learning with elastic
// averaging SGD", 2015, equations 5 and 6. downpour: Dean et al., "Large scale distributed deep
// networks", 2012. outer_nesterov: local SGD with an outer optimizer, Douillard et al., "DiLoCo",
// 2023. gradient_average: synchronous SGD with large batches, Chen et al., "Revisiting distributed
// synchronous SGD", 2016: before each update, in rounds, so that with any optimizer n workers with
// batches of b act as one worker with batches of n b. `average` after every batch, in rounds, is
// the same for SGD, momentum and Nesterov, whose steps are linear in the gradient; with Adam and
// similar optimizers it is local SGD with one step.
#pragma once

#include "base/fields.hpp"
#include "base/text/enum_names.hpp"
#include "model/tensor/block.hpp"
#include "model/tensor/layout.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

enum class Rule : std::uint8_t {
  alpha_beta,
  average,
  easgd,
  downpour,
  outer_nesterov,
  gradient_average,
};
constexpr auto enum_names(Rule) {
  return name_list("alpha_beta", "average", "easgd", "downpour", "outer_nesterov",
                   "gradient_average");
}

struct UpdateRule {
  Rule rule = Rule::alpha_beta;
  float alpha = 0.5f;          ///< alpha_beta: weight of S
  float beta = 0.5f;           ///< alpha_beta: weight of W
  float elasticity = 0.5f;     ///< easgd: e, in (0, 1]; e times the number of workers at most 1
  float outer_rate = 0.7f;     ///< outer_nesterov: r, > 0
  float outer_momentum = 0.9f; ///< outer_nesterov: m, in [0, 1)
  FIELDS(rule, alpha, beta, elasticity, outer_rate, outer_momentum);
};

/// With the settings of this rule: "easgd (elasticity 0.25)". Equal texts mean equal rules.
std::string text_of(const UpdateRule& rule);

/// @returns why the rule cannot be applied, as a sentence; "" if it can
std::string defect_of(const UpdateRule& rule);

/// What a worker sends: its parameters, or with downpour their difference from `base`, the shared
/// ones it took last.
Block contribution(const UpdateRule& rule, const Block& own, const Block& base);

/// Applies the contributions of one round to the shared parameters, in one pass over memory.
///
/// @param shared S; its buffer is changed in place unless it is shared with readers
/// @param velocity v of outer_nesterov; empty before its first round; other rules ignore it
/// @param contributions at least one, each as long as S; a single one without other readers is
///        overwritten
/// @param layout of S, which tells what is measured; empty: nothing
/// @returns the answer to the workers: the new S, or with easgd the old S
Block apply(const UpdateRule& rule, Block& shared, Block& velocity,
            std::vector<Block>& contributions, const Layout& layout = {});

/// The worker's parameters after the sync: `answer`, or with easgd its own moved towards it.
Block adopted(const UpdateRule& rule, const Block& own, Block answer);

} // namespace troupe
