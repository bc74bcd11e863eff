// The stage for tests of the trainer itself: recording gates, and requests.
#pragma once

#include "messages/requests/error.hpp"
#include "tests/support/extension_stage.hpp"

#include <caf/exit_reason.hpp>

namespace troupe::test {

inline Value batches(std::int64_t n) { return Value{n}; }

/// Steps take no time by default: a run is over as soon as messages have been delivered.
inline StageOptions in_no_time(ToyOptions toy = {}, Epoch epochs = 0) {
  return {.toy = toy, .step_duration = 0, .epochs = epochs};
}

class TrainerStage : public Stage {
public:
  explicit TrainerStage(StageOptions options = in_no_time()) : Stage(options) {}

  /// What the recording gates received, in order.
  Trace trace = new_trace();

  /// Subscribes a gate that records its events in the trace and answers with `answer`.
  SubscriptionId note(const std::string& name, const Conditions& conditions,
                      std::function<GateAnswer(const LoopEvent&)> answer = {}) {
    return subscribe(
      SubscribeGate{name, conditions, recording_gate(world, trace, name, std::move(answer))});
  }

  /// Subscribes an observer that keeps its events.
  Events keep_events(const std::string& name, const Conditions& conditions,
                     Shows shows = Shows::nothing) {
    auto events = std::make_shared<std::vector<LoopEvent>>();
    subscribe(Subscribe{name, conditions, recording_observer(world, events), shows});
    return events;
  }

  template <class Subscription>
  SubscriptionId subscribe(const Subscription& subscription) {
    const auto subscribed = world.ask<Subscribed>(trainer, subscription);
    if (!subscribed)
      FAIL(sentence(subscribed.error()));
    return subscribed->id;
  }

  /// The sentence that refuses `request`.
  template <class Answer, class Request>
  std::string refusal(const Request& request) {
    const auto answer = world.ask<Answer>(trainer, request);
    REQUIRE_FALSE(answer);
    return sentence(answer.error());
  }

  template <class Message>
  void send(const Message& message) {
    world.self->send(trainer, message);
    world.run();
  }

  Status status() {
    auto status = world.ask<Status>(trainer, GetStatus{});
    REQUIRE(status);
    return *status;
  }

  /// The log's status of the whole run.
  Records run_status() {
    auto status = world.ask<RunStatus>(logger, ReadStatus{});
    REQUIRE(status);
    return status->records;
  }

  template <class Actor>
  void kill(const Actor& actor) {
    world.self->send_exit(actor, caf::exit_reason::kill);
    world.run();
  }
};

/// "0 1 2"
inline std::string text_of(const std::vector<Index>& numbers) {
  std::string text;
  for (auto number : numbers)
    text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

/// Numbers first .. last.
inline std::vector<Index> from_to(Index first, Index last) {
  std::vector<Index> numbers;
  for (auto i = first; i <= last; ++i)
    numbers.push_back(i);
  return numbers;
}

} // namespace troupe::test
