#pragma once

#include "messages/loop/loop.hpp"
#include "messages/loop/observer_window.hpp"
#include "messages/schedule/triggered.hpp"

#include <memory>
#include <vector>

namespace troupe {

/// One extension's subscription to a trainer: a gate, or an observer with its window.
struct Subscription {
  SubscriptionId id = 0;
  std::string name;
  Conditions asked_for;
  Triggered conditions; ///< the same, at work
  Shows shows = Shows::nothing;
  bool main_only = false;
  bool last = false;  ///< behind all that are not
  bool ended = false; ///< unsubscribed or dead; taken out of the list between two callbacks

  Gate gate; ///< null for an observer
  double deadline = 0;
  OnLoss on_deadline = OnLoss::fail;
  OnLoss on_end = OnLoss::proceed;
  std::uint64_t asked = 0;
  double waited_seconds = 0;

  Observer observer; ///< null for a gate
  ObserverWindow window{1};

  bool is_gate() const { return static_cast<bool>(gate); }
  SubscriptionReport report() const;
};

/// All subscriptions of a trainer, in the order in which they came, those that are last behind the
/// others.
class Subscriptions {
public:
  /// @throws std::invalid_argument for a name that is taken, or conditions that cannot be.
  Subscription& add(const Subscribe& subscribe, const Position& now,
                    const PredicateRegistry& predicates);
  Subscription& add(const SubscribeGate& subscribe, const Position& now,
                    const PredicateRegistry& predicates);

  std::shared_ptr<Subscription> find(SubscriptionId id) const;
  /// Where in `all` it is; their number where it is not there.
  std::size_t place_of(const Subscription& subscription) const;
  /// The subscriptions whose extension is this actor.
  std::vector<std::shared_ptr<Subscription>> of(const caf::actor_addr& extension) const;

  const std::vector<std::shared_ptr<Subscription>>& all() const { return all_; }
  /// False: surely nobody is called at this moment.
  bool any_at(Callback callback, const Position& now) const;
  bool any_shows(Shows least) const; ///< that much or more

  /// From now on schedules count from `start`: nothing up to there is due any more.
  void count_from(const Position& start, const PredicateRegistry& predicates);

  /// Takes out what ended; keeps its report, one for all of a name: who comes and goes in a long
  /// run adds nothing to each status.
  void sweep();
  std::vector<SubscriptionReport> reports() const;
  /// Of those who are subscribed now.
  std::vector<SubscriptionReport> reports_of_present() const;

private:
  Subscription& add(const std::string& name, const Conditions& conditions, const Position& now,
                    const PredicateRegistry& predicates, bool last);
  void add_up(const SubscriptionReport& report);

  SubscriptionId next_id_ = 1;
  std::vector<std::shared_ptr<Subscription>> all_;
  std::vector<SubscriptionReport> gone_;
};

} // namespace troupe
