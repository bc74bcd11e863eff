// Keeps a worker's parameters in step with the shared ones, as often as a limit on the time for it
// allows.
#pragma once

#include "troupe/extensions/parameter_sync.hpp"
#include "troupe/messages/extension.hpp"
#include "troupe/messages/log.hpp"
#include "troupe/messages/rate_limit.hpp"

namespace troupe {

struct SharedParamsRateLimitedOptions {
  ParameterSyncOptions sync;
  RateLimitOptions limit;
  FIELDS(sync, limit);
};

/// before_training (join, create or fetch), every batch (sync where the limit allows it),
/// after_training (report, leave).
Conditions shared_params_rate_limited_conditions();

/// A gate, subscribed with parameters. At the end it says how often it synced and which share of
/// the time that took. It ends when nobody holds a handle to it any more.
/// @param logger may be null
/// @throws std::invalid_argument for options that cannot be.
Extension spawn_shared_params_rate_limited(caf::actor_system& system,
                                           SharedParamsRateLimitedOptions options,
                                           ParameterHolder holder, Layout layout, Logger logger);

} // namespace troupe
