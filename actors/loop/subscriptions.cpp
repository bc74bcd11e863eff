#include "actors/loop/subscriptions.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <stdexcept>

namespace troupe {

SubscriptionReport Subscription::report() const {
  if (is_gate())
    return {name, asked, 0, waited_seconds};
  return {name, window.sent(), window.lost(), 0};
}

template <class Request>
Subscription& Subscriptions::add(const Request& request, bool last, const Position& now,
                                 const PredicateRegistry& predicates) {
  const auto& name = request.name;
  for (const auto& other : all_)
    if (!other->ended && other->name == name)
      throw std::invalid_argument("an extension called '" + name
                                  + "' is subscribed already; give this one another name");
  auto subscription = std::make_shared<Subscription>();
  subscription->id = next_id_++;
  subscription->name = name;
  subscription->conditions = Triggered{request.conditions, now, predicates};
  subscription->shows = request.shows;
  subscription->main_only = request.main_only;
  subscription->last = last;
  subscription->on_end = request.on_end;
  const auto before = std::find_if(all_.begin(), all_.end(),
                                   [&](const auto& other) { return other->last && !last; });
  auto& added = **all_.insert(before, std::move(subscription));
  summarize();
  return added;
}

Subscription& Subscriptions::add(const Subscribe& subscribe, const Position& now,
                                 const PredicateRegistry& predicates) {
  if (!subscribe.observer)
    throw std::invalid_argument("subscription '" + subscribe.name + "' names no observer");
  auto& added = add(subscribe, false, now, predicates);
  added.observer = subscribe.observer;
  added.window = ObserverWindow{subscribe.window};
  return added;
}

Subscription& Subscriptions::add(const SubscribeGate& subscribe, const Position& now,
                                 const PredicateRegistry& predicates) {
  if (!subscribe.gate)
    throw std::invalid_argument("subscription '" + subscribe.name + "' names no gate");
  if (!(subscribe.deadline > 0))
    throw std::invalid_argument("the deadline of gate '" + subscribe.name + "' is "
                                + shortest(subscribe.deadline) + " s; it must be positive");
  auto& added = add(subscribe, subscribe.last, now, predicates);
  added.gate = subscribe.gate;
  added.deadline = subscribe.deadline;
  added.on_deadline = subscribe.on_deadline;
  return added;
}

std::shared_ptr<Subscription> Subscriptions::find(SubscriptionId id) const {
  for (const auto& subscription : all_)
    if (subscription->id == id && !subscription->ended)
      return subscription;
  return nullptr;
}

std::size_t Subscriptions::place_of(const Subscription& subscription) const {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [&](const auto& one) { return one.get() == &subscription; });
  return static_cast<std::size_t>(found - all_.begin());
}

std::vector<std::shared_ptr<Subscription>>
Subscriptions::of(const caf::actor_addr& extension) const {
  std::vector<std::shared_ptr<Subscription>> found;
  for (const auto& subscription : all_) {
    const auto address
      = subscription->is_gate() ? subscription->gate.address() : subscription->observer.address();
    if (!subscription->ended && address == extension)
      found.push_back(subscription);
  }
  return found;
}

bool Subscriptions::any_at(Callback callback, const Position& now) const {
  return any_at(callback) && std::any_of(all_.begin(), all_.end(), [&](const auto& subscription) {
           return !subscription->ended && subscription->conditions.possible(callback, now);
         });
}

void Subscriptions::summarize() {
  listens_.fill(false);
  shown_ = Shows::nothing;
  shows_spans_ = false;
  for (const auto& subscription : all_) {
    if (subscription->ended)
      continue;
    for (std::size_t i = 0; i < listens_.size(); ++i)
      listens_[i] = listens_[i] || subscription->conditions.listens(static_cast<Callback>(i));
    shown_ = std::max(shown_, subscription->shows);
    shows_spans_ = shows_spans_ || subscription->shows == Shows::spans;
  }
}

void Subscriptions::count_from(const Position& start, const PredicateRegistry& predicates) {
  for (const auto& subscription : all_)
    subscription->conditions = Triggered{subscription->conditions.conditions(), start, predicates};
}

void Subscriptions::end(Subscription& subscription) {
  subscription.ended = true;
  summarize();
}

void Subscriptions::sweep() {
  auto ended = [this](const auto& subscription) {
    if (subscription->ended)
      add_up(subscription->report());
    return subscription->ended;
  };
  all_.erase(std::remove_if(all_.begin(), all_.end(), ended), all_.end());
}

void Subscriptions::add_up(const SubscriptionReport& report) {
  const auto same = std::find_if(gone_.begin(), gone_.end(),
                                 [&](const auto& gone) { return gone.name == report.name; });
  if (same == gone_.end()) {
    gone_.push_back(report);
    return;
  }
  same->sent += report.sent;
  same->lost += report.lost;
  same->waited_seconds += report.waited_seconds;
}

std::vector<SubscriptionReport> Subscriptions::reports() const {
  auto reports = gone_;
  for (const auto& subscription : all_)
    reports.push_back(subscription->report());
  return reports;
}

std::vector<SubscriptionReport> Subscriptions::reports_of_present() const {
  std::vector<SubscriptionReport> reports;
  for (const auto& subscription : all_)
    if (!subscription->ended)
      reports.push_back(subscription->report());
  return reports;
}

} // namespace troupe
