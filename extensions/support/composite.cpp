#include "extensions/support/composite.hpp"

#include "extensions/support/child_conditions.hpp"
#include "extensions/support/merge_answers.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/serial_queue.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <map>
#include <set>
#include <utility>

namespace troupe {

namespace {

/// Prefix for the composite's own state; no child has this name.
constexpr auto own_prefix = ".";

std::vector<Conditions> conditions_of(const std::vector<CompositeChild>& children) {
  std::vector<Conditions> conditions;
  for (const auto& child : children)
    conditions.push_back(child.conditions);
  return conditions;
}

class CompositeState {
public:
  static constexpr const char* name = "composite";
  using Self = Extension::stateful_pointer<CompositeState>;

  void begin(Self self, std::vector<CompositeChild> children, CompositeOptions options) {
    self_ = self;
    children_ = std::move(children);
    conditions_ = ChildConditions{conditions_of(children_), std::move(options.predicates)};
    options_ = std::move(options);
    deadline_ = request_deadline("composite", options_.deadline);
  }

  caf::typed_response_promise<GateAnswer> ask(const AskGate& question) {
    auto round = std::make_shared<Round>();
    round->event = question.event;
    round->settings = question.settings;
    round->promise = self_->make_response_promise<GateAnswer>();
    const auto promise = round->promise;
    queue_.add([=, this] { start(round); });
    return promise;
  }

  void observe(const LoopEvent& event) {
    queue_.add([=, this] {
      try {
        conditions_.follow(event);
        for (std::size_t i = 0; i < children_.size(); ++i)
          for (const auto& firing : conditions_.firings(i, event, {}))
            self_->send(children_[i].extension, event_for(i, event, firing));
      } catch (const std::invalid_argument&) { // the trainer refuses the same subscription
      }
      queue_.done();
    });
  }

  caf::typed_response_promise<Drained> drain() {
    auto promise = self_->make_response_promise<Drained>();
    queue_.add([=, this] {
      // The requester has a deadline; a child that has ended has nothing in flight.
      ask_children<Drained>(
        0, caf::infinite, [](std::size_t) { return Drain{}; }, [](std::size_t, const Drained&) {},
        [=, this](const std::string&) { settle(promise, Drained{}); }, false);
    });
    return promise;
  }

  caf::typed_response_promise<SavedExtension> save() {
    auto promise = self_->make_response_promise<SavedExtension>();
    queue_.add([=, this] {
      auto state = std::make_shared<SavedFields>();
      put_part(*state, own_prefix, conditions_.state());
      ask_children<SavedExtension>(
        0, deadline_, [](std::size_t) { return SaveExtension{}; },
        [=, this](std::size_t i, const SavedExtension& saved) {
          put_part(*state, children_[i].name + ".", saved.state);
        },
        [=, this](const std::string& error) { settle(promise, SavedExtension{*state}, error); });
    });
    return promise;
  }

  caf::typed_response_promise<Restored> restore(const SavedFields& state) {
    auto promise = self_->make_response_promise<Restored>();
    queue_.add([=, this] {
      conditions_.restore(part_of(state, own_prefix));
      ask_children<Restored>(
        0, deadline_,
        [=, this](std::size_t i) {
          return RestoreExtension{part_of(state, children_[i].name + ".")};
        },
        [](std::size_t, const Restored&) {},
        [=, this](const std::string& error) { settle(promise, Restored{}, error); });
    });
    return promise;
  }

private:
  /// The work for one event.
  struct Round {
    LoopEvent event;                        ///< with the children's changes
    std::map<std::string, double> settings; ///< the optimizer's, with the children's changes
    GateAnswer whole;
    caf::typed_response_promise<GateAnswer> promise;
    Records logged;              ///< the row in the log
    Records unwritten;           ///< the children's records that are not in the log yet
    std::size_t child = 0;       ///< the next one
    std::vector<Firing> firings; ///< of the previous child
    std::size_t firing = 0;
  };
  using RoundPtr = std::shared_ptr<Round>;

  /// Answers and finishes the job. @param error "" for none
  template <class Answer>
  void settle(caf::typed_response_promise<Answer> promise, Answer answer,
              const std::string& error = "") {
    if (error.empty())
      promise.deliver(std::move(answer));
    else
      promise.deliver(fail(Error::gate_failed, error));
    queue_.done();
  }

  void start(const RoundPtr& round) {
    const auto& event = round->event;
    try {
      conditions_.follow(event);
    } catch (const std::invalid_argument& e) {
      return settle(round->promise, GateAnswer{}, e.what());
    }
    if (!options_.logger || !conditions_.want_row(event))
      return ask_next(round);
    // The logger already has the answers of earlier gates; do not wait for other records.
    request_within(self_, options_.logger, deadline_, ReadRow{row_of(event), false})
      .then(
        [=, this](const Row& row) {
          round->logged = row.records;
          ask_next(round);
        },
        [=, this](const caf::error& error) {
          settle(round->promise, GateAnswer{},
                 "the logger gives no row for the conditions: " + sentence(error));
        });
  }

  void ask_next(const RoundPtr& round) {
    while (round->firing == round->firings.size()) {
      if (round->child == children_.size())
        return settle(round->promise, std::move(round->whole));
      round->firings = conditions_.firings(round->child++, round->event, round->logged);
      round->firing = 0;
    }
    const auto i = round->child - 1;
    if (options_.logger
        && !round->unwritten.empty()) // the trainer writes only once all children have answered
      self_->send(options_.logger, write_row(round->event, std::exchange(round->unwritten, {})));
    request_within(
      self_, children_[i].extension, deadline_,
      AskGate{event_for(i, round->event, round->firings[round->firing++]), round->settings})
      .then(
        [=, this](GateAnswer& answer) {
          apply_answer(*round, i, std::move(answer));
          ask_next(round);
        },
        [=, this](const caf::error& error) {
          settle(round->promise, GateAnswer{}, failure(i, error));
        });
  }

  /// Shows a child's answer to the later children, as a trainer would.
  void apply_answer(Round& round, std::size_t i, GateAnswer answer) {
    auto& event = round.event;
    if (!answer.parameters.empty() && !event.parameters.values.empty())
      event.parameters.values = answer.parameters;
    if (!answer.optimizer_slots.empty() && !event.optimizer_slots.empty()) {
      event.optimizer_slots = answer.optimizer_slots;
      event.optimizer_steps = answer.optimizer_steps;
    }
    for (const auto& [setting, value] : answer.settings)
      round.settings[setting] = value;
    if (const auto rate = answer.settings.find("learning_rate"); rate != answer.settings.end())
      event.learning_rate = rate->second;
    for (const auto& [timeline, time] : answer.timelines)
      event.position.timelines[timeline] = time;
    for (const auto& [record, value] : answer.records) {
      round.logged.erase(record); // the new value replaces it
      round.unwritten[record] = value;
    }
    conditions_.wrote(answer.records);
    merge(round.whole, std::move(answer), children_[i].name);
    if (round.whole.finish)
      conditions_.wrote({{"training_finish_requested", Value{round.whole.reason}}});
  }

  LoopEvent event_for(std::size_t i, LoopEvent event, const Firing& firing) const {
    event.times = firing.times;
    event.arguments = firing.arguments;
    // Each child has its own number, which names its announcements to the logger.
    event.subscription = (event.subscription << 16) + i + 1;
    return event;
  }

  /// Asks all children one after the other, and then calls `done` with the failure, or "".
  template <class Answer, class Deadline, class Make, class Take, class Done>
  void ask_children(std::size_t i, Deadline deadline, Make make, Take take, Done done,
                    bool must_answer = true) {
    if (i == children_.size())
      return done("");
    request_within(self_, children_[i].extension, deadline, make(i))
      .then(
        [=, this](const Answer& answer) {
          take(i, answer);
          ask_children<Answer>(i + 1, deadline, make, take, done, must_answer);
        },
        [=, this](const caf::error& error) {
          if (must_answer)
            done(failure(i, error));
          else
            ask_children<Answer>(i + 1, deadline, make, take, done, must_answer);
        });
  }

  std::string failure(std::size_t i, const caf::error& error) const {
    const auto who = "its child '" + children_[i].name + "'";
    if (error == caf::sec::request_timeout)
      return who + " did not answer within " + shortest(options_.deadline)
             + " s; raise the deadline of the composite if it may take so long";
    return who + " failed: " + sentence(error);
  }

  Self self_ = nullptr;
  std::vector<CompositeChild> children_;
  CompositeOptions options_;
  caf::timespan deadline_{};
  ChildConditions conditions_;
  SerialQueue queue_;
};

Extension::behavior_type composite(CompositeState::Self self, std::vector<CompositeChild> children,
                                   CompositeOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(children), std::move(options));
  return {
    [&state](const LoopEvent& event) { state.observe(event); },
    [&state](const AskGate& ask) { return state.ask(ask); },
    [&state](const Drain&) { return state.drain(); },
    [&state](const SaveExtension&) { return state.save(); },
    [&state](const RestoreExtension& restore) { return state.restore(restore.state); },
  };
}

/// @throws std::invalid_argument for children without a unique name or an actor.
void check_children(const std::vector<CompositeChild>& children) {
  std::set<std::string> names;
  for (const auto& child : children) {
    if (child.name.empty() || child.name.find('.') != std::string::npos)
      throw std::invalid_argument(
        "a child of a composite is called " + in_quotes(child.name)
        + "; give it a name without dots, since the name is the prefix of its saved state");
    if (!names.insert(child.name).second)
      throw std::invalid_argument("two children of a composite are called '" + child.name
                                  + "'; rename one");
    if (!child.extension)
      throw std::invalid_argument("child '" + child.name
                                  + "' of a composite has no actor; spawn it first");
  }
}

} // namespace

Conditions composite_conditions(const std::vector<CompositeChild>& children) {
  return union_of(conditions_of(children));
}

Extension spawn_composite(caf::actor_system& system, std::vector<CompositeChild> children,
                          CompositeOptions options) {
  check_children(children);
  [[maybe_unused]] const ChildConditions checked{conditions_of(children), options.predicates};
  request_deadline("composite", options.deadline);
  return system.spawn(composite, std::move(children), std::move(options));
}

} // namespace troupe
