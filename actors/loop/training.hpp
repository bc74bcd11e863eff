// What a trainer trains and how far it is, and what follows from that alone: no actor in sight.
#pragma once

#include "actors/loop/subscriptions.hpp"
#include "actors/loop/trainer_options.hpp"
#include "messages/loop/run_clock.hpp"
#include "messages/loop/run_state.hpp"
#include "model/training/learner.hpp"

#include <map>
#include <memory>
#include <string>

namespace troupe {

struct Training {
  std::shared_ptr<Learner> learner;
  TrainerOptions options;
  std::map<std::string, double> configured; ///< settings that the optimizer was made with
  RunState run;
  Subscriptions subscriptions;
  RunClock clock;
  bool main = true;               ///< of all workers
  Block updated_from, updated_to; ///< the last update's, where a subscription shows it

  /// "worker 3"
  std::string worker() const { return "worker " + std::to_string(options.worker); }
};

ExpectedLength expected_length(const Training& training);

/// What one call of an extension shows it.
LoopEvent event_for(const Subscription& subscription, const Firing& firing,
                    const Training& training);

/// Does what a gate's answer asks for with settings, parameters, the gradient, the optimizer's
/// slots and timelines; takes the blocks out of the answer.
/// @throws std::invalid_argument for what cannot be.
void carry_out(GateAnswer& answer, Training& training);

/// @throws std::invalid_argument for a name that no timeline can have.
void register_timeline(const std::string& name, Position& position);

/// @param waiting_for the gate that is awaited, or ""
Status status_of(const Training& training, const std::string& phase,
                 const std::string& waiting_for);
/// The same for the log.
Records status_records(const Training& training);
Finished finished_of(const Training& training);

} // namespace troupe
