// Who subscribes to the trainer, who leaves it, and what becomes of training where one is lost.
#include "actors/loop/trainer_state.hpp"
#include "messages/requests/error.hpp"

#include <stdexcept>

namespace troupe {

template <class Request>
caf::result<Subscribed> TrainerState::subscribe(const Request& request) {
  try {
    update_seconds_while_running();
    auto& added = subscriptions_.add(request, run_.position, options_.predicates);
    missing_.erase(added.name);
    if (serving_ && subscriptions_.place_of(added) < next_subscription_)
      ++next_subscription_; // which has moved up
    if (added.is_gate())
      self_->monitor(added.gate);
    else
      self_->monitor(added.observer);
    return subscribed(added);
  } catch (const std::invalid_argument& e) {
    return fail(Error::invalid_options, e.what());
  }
}

template caf::result<Subscribed> TrainerState::subscribe(const Subscribe&);
template caf::result<Subscribed> TrainerState::subscribe(const SubscribeGate&);

caf::result<Unsubscribed> TrainerState::unsubscribe(SubscriptionId id) {
  auto subscription = subscriptions_.find(id);
  if (!subscription)
    return fail(Error::unknown_name, "worker " + std::to_string(options_.worker)
                                       + " has no subscription " + std::to_string(id)
                                       + "; it may have ended already");
  const auto lost = subscription->window.lost();
  subscription->ended = true;
  if (awaited_.gate == subscription)
    stop_waiting();
  if (!run_.running())
    subscriptions_.sweep();
  return Unsubscribed{lost};
}

void TrainerState::extension_ended(const caf::down_msg& down) {
  for (const auto& subscription : subscriptions_.of(down.source)) {
    subscription->ended = true;
    const auto awaited = awaited_.gate == subscription;
    lose(*subscription, false,
         "the actor of extension '" + subscription->name + "' has ended (" + sentence(down.reason)
           + ")" + (awaited ? " while training waited for it at " + to_string(run_.step) : ""));
    if (awaited)
      stop_waiting();
    else if (!stands_still_) // a state may be taken before it moves on
      go_on_unless_busy();   // where it stands for the common end, nothing else would wake it
  }
}

void TrainerState::lose(Subscription& subscription, bool late, const std::string& what) {
  const auto policy = late ? subscription.on_deadline : subscription.on_end;
  if (!run_.running()) { // nobody trains, so nobody misses it until the next Start
    if (policy == OnLoss::fail)
      missing_[subscription.name] = what;
    return;
  }
  if (paused_ && policy != OnLoss::proceed)
    resume(); // to the end
  switch (policy) {
  case OnLoss::proceed: say(Level::warning, what + "; training goes on without it"); break;
  case OnLoss::finish:
    say(Level::warning, what + "; training ends here, in good order");
    finish(subscription, {what});
    break;
  case OnLoss::fail:
    fail_run(what + "; start it again, or give '" + subscription.name + "' "
             + (late ? "on_deadline" : "on_end") + ": proceed where training can do without it");
    break;
  }
}

} // namespace troupe
