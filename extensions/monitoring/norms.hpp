// Writes the norms of parameters and gradients.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

struct NormsOptions {
  bool per_parameter = false; ///< also the norm of each parameter
  std::string prefix = {};    ///< before each name, with "_"
  TROUPE_FIELDS(per_parameter, prefix);
};

/// Every 100 batches.
Conditions norms_conditions();

/// Euclidean norms, summed in double:
///   parameter_norm, norm_<parameter>
///   gradient_norm, gradient_norm_<parameter>   of the last batch, after clipping
///   update_ratio norm of the last update over the norm of the trained parameters: 1e-3 is usual
/// @param event with parameters. Without a gradient, or before the first batch, only the first
/// line; without the update no ratio.
Records norms(const NormsOptions& options, const Layout& layout, const LoopEvent& event);

/// An observer, subscribed with the last step (Shows::step). It has no state, and ends when no
/// handle to it is left.
Extension spawn_norms(caf::actor_system& system, NormsOptions options, Layout layout,
                      Logger logger);

} // namespace troupe
