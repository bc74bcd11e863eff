#pragma once

#include "messages/loop/loop.hpp"
#include "messages/loop/observer_window.hpp"
#include "messages/schedule/triggered.hpp"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// One extension's subscription to a trainer: a gate, or an observer with its window.
struct Subscription {
  SubscriptionId id = 0;
  std::string name;
  Triggered conditions; ///< as subscribed, with their schedules' positions
  Shows shows = Shows::nothing;
  bool main_only = false;
  bool last = false;  ///< placed after all without this flag
  bool ended = false; ///< see Subscriptions::end()

  Gate gate; ///< null for an observer
  double deadline = 0;
  OnLoss on_deadline = OnLoss::fail;
  OnLoss on_end = OnLoss::proceed;
  std::uint64_t asked = 0;
  double waited_seconds = 0;
  std::map<std::string, double> spent; ///< seconds of these, as the gate says

  Observer observer; ///< null for a gate
  ObserverWindow window{1};
  bool failed = false; ///< it answered an event with an error, and that was reported

  bool is_gate() const { return static_cast<bool>(gate); }
  SubscriptionReport report() const;
};

/// All subscriptions of a trainer, in the order in which they were added; those with `last` come
/// after the others.
class Subscriptions {
public:
  /// @throws std::invalid_argument for a name in use or invalid conditions.
  Subscription& add(const Subscribe& subscribe, const Position& now,
                    const PredicateRegistry& predicates);
  Subscription& add(const SubscribeGate& subscribe, const Position& now,
                    const PredicateRegistry& predicates);

  std::shared_ptr<Subscription> find(SubscriptionId id) const;
  /// Index in `all`; the size of `all` if it is not there.
  std::size_t place_of(const Subscription& subscription) const;
  /// The subscriptions whose extension is this actor.
  std::vector<std::shared_ptr<Subscription>> of(const caf::actor_addr& extension) const;

  const std::vector<std::shared_ptr<Subscription>>& all() const { return all_; }
  /// Whether an extension can be called at this callback; of no cost for each subscription.
  bool any_at(Callback callback) const { return listens_[static_cast<std::size_t>(callback)]; }
  /// False: certainly no extension is called at this position.
  bool any_at(Callback callback, const Position& now) const;
  bool any_shows(Shows least) const { return shown_ >= least; } ///< at least that much
  bool any_shows_spans() const { return shows_spans_; }

  /// From now on schedules count from `start`; nothing up to there is due.
  void count_from(const Position& start, const PredicateRegistry& predicates);

  /// It was unsubscribed, or its actor is dead: it is called no more, and removed by the next sweep.
  void end(Subscription& subscription);
  /// Removes ended subscriptions. Keeps one report for each name, so that extensions that come and
  /// go in a long run don't lengthen every status.
  void sweep();
  std::vector<SubscriptionReport> reports() const;
  /// Of the present subscriptions only.
  std::vector<SubscriptionReport> reports_of_present() const;

private:
  /// @param request Subscribe or SubscribeGate: what both have
  template <class Request>
  Subscription& add(const Request& request, bool last, const Position& now,
                    const PredicateRegistry& predicates);
  void add_up(const SubscriptionReport& report);
  void summarize();

  SubscriptionId next_id_ = 1;
  std::vector<std::shared_ptr<Subscription>> all_;
  std::vector<SubscriptionReport> gone_;
  // What a batch asks for, of all that have not ended.
  std::array<bool, callback_names.size()> listens_{};
  Shows shown_ = Shows::nothing; ///< the most
  bool shows_spans_ = false;
};

} // namespace troupe
