// Evaluators and parameter holders that are slow or fail, as the test says.
#pragma once

#include "base/text/duration.hpp"
#include "messages/evaluation/evaluation.hpp"
#include "messages/parameters/parameter_store.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/timing.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <deque>
#include <memory>

namespace troupe::test {

/// An evaluator that needs `seconds` for each measurement; its loss is 100 + the version.
inline Evaluator slow_evaluator(DeterministicSystem& world, double seconds) {
  using Actor = Evaluator::extend<caf::reacts_to<ContinueEvaluation>>;
  struct Job {
    caf::typed_response_promise<Evaluated> promise;
    Version version;
  };
  auto jobs = std::make_shared<std::deque<Job>>();
  const auto behave = [=](Actor::pointer self) -> Actor::behavior_type {
    return {
      [=](const Evaluate& evaluate) {
        jobs->push_back({self->make_response_promise<Evaluated>(), evaluate.parameters.version});
        self->delayed_send(self, timespan_of(seconds), ContinueEvaluation{});
        return jobs->back().promise;
      },
      [=](const ContinueEvaluation&) {
        Evaluated evaluated;
        evaluated.version = jobs->front().version;
        evaluated.metrics = {{"loss", 100.0 + static_cast<double>(evaluated.version)}};
        jobs->front().promise.deliver(evaluated);
        jobs->pop_front();
      },
    };
  };
  return world.keep(world.system.spawn(behave));
}

/// An evaluator that fails, with a sentence.
inline Evaluator failing_evaluator(DeterministicSystem& world) {
  const auto behave = [](Evaluator::pointer) -> Evaluator::behavior_type {
    return {[](const Evaluate&) -> caf::result<Evaluated> {
      return fail(Error::io, "the section cannot be read");
    }};
  };
  return world.keep(world.system.spawn(behave));
}

/// An evaluator that ends at its first request.
inline Evaluator dying_evaluator(DeterministicSystem& world) {
  const auto behave = [](Evaluator::pointer self) -> Evaluator::behavior_type {
    return {[=](const Evaluate&) -> caf::result<Evaluated> {
      self->quit(caf::exit_reason::kill);
      return self->make_response_promise<Evaluated>();
    }};
  };
  return world.keep(world.system.spawn(behave));
}

/// A parameter holder that needs `*cost` seconds for each exchange; the test may change the cost
/// meanwhile.
inline ParameterHolder slow_holder(DeterministicSystem& world,
                                   const std::shared_ptr<double>& cost) {
  using Actor = ParameterHolder::extend<caf::reacts_to<RingAlarm>>;
  struct Work {
    ParameterStore store;
    std::deque<std::pair<caf::typed_response_promise<Parameters>, Push>> jobs;
  };
  auto work = std::make_shared<Work>();
  const auto behave = [=](Actor::pointer self) -> Actor::behavior_type {
    return {
      [=](const Join& join) { return work->store.join(join); },
      [=](const Renew& renew) { return work->store.renew(renew, 0); },
      [=](const CreateIfAbsent& create) { return work->store.create_if_absent(create); },
      [=](const Pull&) { return work->store.pull(); },
      [=](const Await&) { return work->store.pull(); },
      [=](const Push& push) -> caf::result<Applied> {
        if (auto refusal = work->store.exchange(push).refusal)
          return refusal;
        return work->store.last_applied(push.id.worker);
      },
      [=](const Exchange& exchange) {
        work->jobs.emplace_back(self->make_response_promise<Parameters>(), exchange.push);
        self->delayed_send(self, timespan_of(*cost), RingAlarm{});
        return work->jobs.back().first;
      },
      [=](const PullPart& pull) { return work->store.pull_part(pull.selection); },
      [=](const PushPart& push) { return work->store.push_part(push); },
      [=](const Leave& leave) { work->store.leave(leave.worker); },
      [](const StopAll&) {},
      [](const UseBlockPort&) {},
      [=](const GetHolderStatus&) { return work->store.status(); },
      [=](const SaveHolder&) { return work->store.save(); },
      [](const RestoreHolder&) { return Joined{}; },
      [=](const RingAlarm&) {
        auto& [promise, push] = work->jobs.front();
        if (auto pushed = work->store.exchange(push); pushed.answer)
          promise.deliver(std::move(*pushed.answer));
        else
          promise.deliver(std::move(pushed.refusal));
        work->jobs.pop_front();
      },
    };
  };
  return world.keep(world.system.spawn(behave));
}

} // namespace troupe::test
