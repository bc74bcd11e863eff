// Writes how long the vectors of parameters and of gradients are.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

struct NormsOptions {
  bool per_parameter = false; ///< each named parameter by itself, too
  std::string prefix = {};    ///< before each name, with "_"
  FIELDS(per_parameter, prefix);
};

/// Every 100 batches.
Conditions norms_conditions();

/// Euclidean norms, summed in double:
///   parameter_norm, norm_<parameter>
///   gradient_norm, gradient_norm_<parameter>   of the last batch, after clipping
///   update_ratio                               how far the last update has moved what is trained,
///                                              over its norm: 1e-3 is usual
/// @param event with parameters; without a gradient, or before the first batch, the first line
/// only; without the update no ratio
Records norms(const NormsOptions& options, const Layout& layout, const LoopEvent& event);

/// An observer, subscribed with the last step (Shows::step). It remembers nothing, and ends when
/// nobody holds a handle to it any more.
Extension spawn_norms(caf::actor_system& system, NormsOptions options, Layout layout,
                      Logger logger);

} // namespace troupe
