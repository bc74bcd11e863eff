// How a worker's way to its holders carries the end of the run, there and back.
#include "actors/parameters/remote_holder_state.hpp"
#include "base/text/duration.hpp"
#include "messages/requests/request_within.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe {

namespace {

constexpr double renewal_slack = 0.25; // seconds by which another's renewal may come late
constexpr double end_patience = 2;     // seconds before people are told for whom the end waits
constexpr double quick_answer = 1;     // seconds that an exchange may wait without a look at this
constexpr double ask_every = 0.5;      // seconds
constexpr double last_patience = 2;    // seconds that whoever is interrupted waits for others

} // namespace

/// Where the worker left at once, the rounds of those who have not heard of it would close without
/// it. So its trainer hears it when they have, with their next renewals.
void RemoteHolderState::stop_all(const StopAll& stop) {
  if (ending_ || stop_passed_on_)
    return; // training is ending, for the reason that came first
  ending_ = Ending{stop, now(), {}};
  if (!join_)
    return give_up_ending();
  hear_of_end({});
  renew(0); // whether it has arrived
}

/// The word is lost with its way, and forgotten by a holder that is started anew from its file: it
/// is repeated until a renewal's answer says that the holder has it.
void RemoteHolderState::hear_of_end(const StopAll& stop) {
  if (!ending_)
    return pass_on_stop(stop);
  if (!stop.reason.empty()) {
    if (!ending_->at)
      ending_->at = now() + options_.lease + renewal_slack;
    return;
  }
  ending_->at.reset();
  if (const auto& route = shards_.front().route)
    self_->send(route->control, ending_->stop);
}

void RemoteHolderState::look_at_end() {
  if (!ending_ || stop_passed_on_)
    return;
  const auto waited = now() - ending_->since;
  if (ending_->at) {
    if (now() >= *ending_->at)
      pass_on_stop(ending_->stop);
  } else if (waited >= options_.join_deadline) {
    give_up_ending();
  } else if (waited >= end_patience && !std::exchange(ending_->told, true)) {
    say(Level::info, "training is to end, which the others hear from " + shard_name(0)
                       + "; it is waited for, at most "
                       + print_duration(std::chrono::duration<double>(options_.join_deadline)));
  }
}

void RemoteHolderState::give_up_ending() {
  say(Level::warning, "cannot tell the others that training ends; stop them by hand");
  pass_on_stop(ending_->stop);
}

void RemoteHolderState::pass_on_stop(const StopAll& stop) {
  if (!stop.reason.empty() && !std::exchange(stop_passed_on_, true))
    for (const auto& trainer : watching_)
      self_->send(trainer, stop_of(stop));
}

// -- an interrupt ---------------------------------------------------------------------------------

/// Others may stand for as long as they like, but whoever is told to end has little time to save.
void RemoteHolderState::look_at_interrupt() {
  const auto waits = [&](const Operation& operation) {
    return pushes(operation) && !operation.given_up && now() - operation.since >= quick_answer;
  };
  if (std::none_of(operations_.begin(), operations_.end(), waits))
    return;
  if (!interrupt_.since)
    return ask_whether_interrupted();
  if (now() - *interrupt_.since < last_patience)
    return;
  if (!std::exchange(interrupt_.told, true)) // its last sync may hang, too
    say(Level::info, "is told to end, and waits no longer for its sync with others; it keeps its "
                     "own parameters");
  for (auto one = operations_.begin(); one != operations_.end();)
    if (const auto operation = one++; waits(*operation))
      let_go(operation, out_of_reach());
}

void RemoteHolderState::ask_whether_interrupted() {
  if (now() < interrupt_.ask_from)
    return;
  interrupt_.ask_from = now() + ask_every;
  for (const auto& trainer : watching_)
    request_within(self_, trainer, timespan_of(quick_answer), GetStatus{})
      .then(
        [this](const Status& status) {
          if (status.interrupted && !interrupt_.since)
            interrupt_.since = now();
        },
        [](const caf::error&) {}); // who has ended waits for nobody
}

} // namespace troupe
