#include "actors/evaluation/evaluator.hpp"

#include "actors/cluster/exit_handler.hpp"
#include "base/text/text.hpp"
#include "messages/evaluation/batch_metrics.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/training/evaluation_pass.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <deque>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

using EvaluatorActor = Evaluator::extend<caf::reacts_to<ContinueEvaluation>>;

struct Job {
  Evaluate request;
  caf::typed_response_promise<Evaluated> promise;
  std::unique_ptr<EvaluationPass> pass; ///< null until the job starts
  double began = 0;
  BatchMetrics batches = {}; ///< if the request asks for their spread
};

class EvaluatorState {
public:
  static constexpr const char* name = "evaluator";
  using Self = EvaluatorActor::stateful_pointer<EvaluatorState>;

  void begin(Self self, std::shared_ptr<const Problem> problem, std::shared_ptr<Model> model,
             EvaluatorOptions options) {
    self_ = self;
    problem_ = std::move(problem);
    model_ = std::move(model);
    options_ = options;
  }

  caf::typed_response_promise<Evaluated> evaluate(const Evaluate& request) {
    auto promise = self_->make_response_promise<Evaluated>();
    jobs_.push_back({request, promise, nullptr});
    if (jobs_.size() == 1)
      self_->send(self_, ContinueEvaluation{});
    return promise;
  }

  void slice() {
    if (jobs_.empty())
      return;
    auto& job = jobs_.front();
    try {
      if (!job.pass) {
        job.began = now();
        job.pass = std::make_unique<EvaluationPass>(problem_, model_, job.request.parameters.values,
                                                    job.request.section, batch_size(job.request),
                                                    job.request.batches);
      }
      const auto end = now() + options_.slice;
      while (!job.pass->done()) {
        step(job);
        if (now() >= end)
          break;
      }
      if (job.pass->done()) {
        job.promise.deliver(answer(job));
        jobs_.pop_front();
      } else if (late(job)) { // its sender waits no longer, but others may wait behind it
        job.promise.deliver(fail(Error::unavailable, "it has not finished after "
                                                       + shortest(job.request.deadline) + " s"));
        jobs_.pop_front();
      }
    } catch (...) {
      job.promise.deliver(fail(Error::shape_mismatch, std::string{"the evaluator cannot measure '"}
                                                        + to_string(job.request.section)
                                                        + "': " + exception_text()));
      jobs_.pop_front();
    }
    if (!jobs_.empty())
      self_->send(self_, ContinueEvaluation{});
  }

  /// Answers pending requests, whose senders would wait forever.
  void end(const std::string& why) {
    for (auto& job : std::exchange(jobs_, {}))
      job.promise.deliver(fail(Error::unavailable, "the evaluator has ended (" + why + ")"));
  }

private:
  double now() const { return seconds_now(self_); }

  Index batch_size(const Evaluate& request) const {
    const auto counted = request.spread || request.batches > 0;
    return counted || options_.uncounted_batch_size == 0 ? options_.batch_size
                                                         : options_.uncounted_batch_size;
  }

  bool late(const Job& job) const {
    return job.request.deadline > 0 && now() - job.began > job.request.deadline;
  }

  static void step(Job& job) {
    if (!job.request.spread) {
      job.pass->step();
      return;
    }
    Metrics batch;
    job.pass->step(batch);
    job.batches.add(batch);
  }

  Evaluated answer(const Job& job) const {
    Evaluated evaluated;
    evaluated.version = job.request.parameters.version;
    evaluated.section = job.request.section;
    for (const auto& [metric, value] : job.pass->metrics().values())
      evaluated.metrics.push_back({metric, value});
    evaluated.undefined = job.pass->metrics().undefined();
    evaluated.examples = static_cast<std::uint64_t>(job.pass->examples());
    evaluated.seconds = now() - job.began;
    evaluated.batches = job.batches.count();
    for (const auto& spread : job.batches.spreads())
      evaluated.spreads.push_back({spread.minimum, spread.maximum, spread.deviation});
    return evaluated;
  }

  Self self_ = nullptr;
  std::shared_ptr<const Problem> problem_;
  std::shared_ptr<Model> model_;
  EvaluatorOptions options_;
  std::deque<Job> jobs_;
};

EvaluatorActor::behavior_type evaluator(EvaluatorState::Self self,
                                        std::shared_ptr<const Problem> problem,
                                        std::shared_ptr<Model> model, EvaluatorOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(problem), std::move(model), options);
  install_exit_handler(self, [&state](const std::string& why) { state.end(why); });
  return {
    [&state](const Evaluate& request) { return state.evaluate(request); },
    [&state](const ContinueEvaluation&) { state.slice(); },
  };
}

} // namespace

Evaluator spawn_evaluator(caf::actor_system& system, std::shared_ptr<const Problem> problem,
                          std::shared_ptr<Model> model, EvaluatorOptions options) {
  if (!problem || !model)
    throw std::invalid_argument(std::string{"an evaluator was given no "}
                                + (problem ? "model" : "problem")
                                + " (a null pointer); it measures a model on a problem");
  return system.spawn(evaluator, std::move(problem), std::move(model), options);
}

} // namespace troupe
