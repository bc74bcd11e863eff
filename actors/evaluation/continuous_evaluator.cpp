#include "actors/evaluation/continuous_evaluator.hpp"

#include "base/text/duration.hpp"
#include "base/text/text.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "messages/parameters/parameters_in.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

namespace troupe {

namespace {

using ContinuousEvaluatorActor = ContinuousEvaluator::extend<caf::reacts_to<CheckVersions>>;
using End = EvaluationQueue::End;

constexpr auto answer_deadline = std::chrono::seconds{10}; // of a small request
constexpr double evaluator_patience = 2; // seconds before a line says what it waits for

/// The value that versions are compared by: the loss, or the first metric.
double merit(const MeasuredVersion& measured) {
  for (const auto& metric : measured.metrics)
    if (metric.name == "loss")
      return metric.value;
  return measured.metrics.empty() ? 0 : measured.metrics.front().value;
}

/// "version 17: loss 0.1234, accuracy 0.9500 (3 versions skipped)"
std::string line_of(const MeasuredVersion& measured) {
  auto text = "version " + std::to_string(measured.version);
  for (const auto& metric : measured.metrics)
    text += fmt::format("{} {} {:.4f}{}", &metric == &measured.metrics.front() ? ":" : ",",
                        metric.name, without_nan_sign(metric.value),
                        undefined_mark(metric.name, measured.undefined));
  if (measured.skipped > 0)
    text += " (" + quantity(measured.skipped, "version") + " skipped)";
  return text;
}

class ContinuousEvaluatorState {
public:
  static constexpr const char* name = "continuous evaluator";
  using Self = ContinuousEvaluatorActor::stateful_pointer<ContinuousEvaluatorState>;

  void begin(Self self, ParameterHolder holder, Evaluator evaluator, Logger logger,
             ContinuousEvaluatorOptions options) {
    self_ = self;
    holder_ = std::move(holder);
    evaluator_ = std::move(evaluator);
    logger_ = std::move(logger);
    options_ = std::move(options);
    queue_ = EvaluationQueue{options_.queue};
  }

  caf::result<VersionsEvaluated> start() {
    if (stage_ != Stage::created)
      return fail(Error::already_running, "the versions are evaluated already");
    stage_ = Stage::running;
    promise_ = self_->make_response_promise<VersionsEvaluated>();
    began_ = now();
    queue_.begin(began_);
    Join join;
    join.worker = options_.worker;
    join.layout = options_.layout;
    join.is_reader = true;
    self_->request(holder_, caf::infinite, join)
      .then([this](const Joined&) { poll(); },
            [this](const caf::error& error) {
              finish({Outcome::failed, sentence(error), error == Error::unavailable});
            });
    if (const auto ordered = std::exchange(stop_at_start_, std::nullopt))
      end_by(*ordered);
    return promise_;
  }

  void poll() {
    if (ended())
      return;
    self_->delayed_send(self_, timespan_of(options_.poll_interval), CheckVersions{});
    if (asking_)
      return;
    asking_ = true;
    ask_holder([this] { asking_ = false; });
  }

  void stop(const Stop& stop) {
    if (stage_ == Stage::running)
      end_by(stop);
    else if (stage_ == Stage::created && (!stop_at_start_ || stop.level > stop_at_start_->level))
      stop_at_start_ = stop; // Stop and Start may come from different actors
  }

private:
  enum class Stage : std::uint8_t { created, running, ended };

  /// With the next version.
  enum class Work : std::uint8_t { none, awaiting, measuring };

  double now() const { return seconds_now(self_); }
  bool ended() const { return stage_ == Stage::ended; }

  void end_by(const Stop& stop) {
    const End end{stop.interrupt ? Outcome::interrupted : Outcome::finished, stop.reason};
    if (stop.level != StopLevel::after_epoch)
      return finish(end);
    ask_holder([this, end] { stop_ = end; }); // after asking for the current version
  }

  template <class Then>
  void ask_holder(Then then) {
    request_within(self_, holder_, answer_deadline, GetHolderStatus{})
      .then(
        [this, then](const HolderStatus& status) {
          queue_.update(status, now());
          then();
          report_wait(status);
          proceed();
        },
        [this, then](const caf::error& error) {
          if (error == Error::superseded)
            return finish({Outcome::failed, sentence(error)});
          queue_.unanswered(sentence(error), now());
          then();
          proceed();
        });
  }

  /// Ends, waits for the next version, or lets a measurement continue.
  void proceed() {
    if (ended() || work_ == Work::measuring)
      return;
    auto end = queue_.end(now());
    if (!end && stop_)
      end = queue_.workers_gone() ? End{Outcome::finished, "all workers have left"} : *stop_;
    const auto finds_more
      = queue_.unmeasured() && queue_.reached() && (!end || end->outcome != Outcome::failed);
    if (end && !finds_more)
      finish(*end);
    else if (work_ == Work::none && (end || queue_.due()))
      await();
  }

  void await() {
    work_ = Work::awaiting;
    self_->request(holder_, caf::infinite, Await{options_.worker, queue_.last()})
      .then(
        [this](const Parameters& parameters) {
          work_ = Work::none;
          if (!ended() && parameters.version > queue_.last())
            measure(parameters);
        },
        [this](const caf::error& error) {
          work_ = Work::none; // if the holder is unreachable, the next poll asks again
          if (error != Error::unavailable && error != Error::stale && error != Error::not_joined)
            finish({Outcome::failed, sentence(error)});
        });
  }

  void measure(const Parameters& parameters) {
    work_ = Work::measuring;
    MeasuredVersion measured;
    measured.version = parameters.version;
    measured.skipped = queue_.take(parameters.version);
    measured.seconds = now() - began_;
    const auto values = options_.parameters == 0
                          ? parameters.values
                          : parameters_in(parameters.values, options_.parameters);
    request_within(self_, evaluator_, timespan_of(options_.deadline),
                   Evaluate{{parameters.version, values}, options_.section, 0})
      .then(
        [this, measured](Evaluated& evaluated) mutable {
          measured.metrics = std::move(evaluated.metrics);
          measured.undefined = std::move(evaluated.undefined);
          note(std::move(measured));
        },
        [this](const caf::error& error) {
          finish({Outcome::failed, "the evaluator answered: " + sentence(error)});
        });
  }

  void note(MeasuredVersion measured) {
    if (ended())
      return;
    work_ = Work::none;
    queue_.measured(now());
    Write write;
    write.row = {options_.worker, measured.version};
    write.seconds = measured.seconds;
    put_metrics(write.records, to_string(options_.section), measured.metrics, measured.undefined);
    write.records["evaluated_version"] = Value{static_cast<std::int64_t>(measured.version)};
    write.records["skipped_versions"] = Value{static_cast<std::int64_t>(measured.skipped)};
    self_->send(logger_, std::move(write));
    self_->send(logger_, Say{Level::info, line_of(measured)});
    ++summary_.measured;
    summary_.skipped += measured.skipped;
    if (summary_.best.version == 0 || std::isnan(merit(summary_.best))
        || merit(measured) < merit(summary_.best))
      summary_.best = measured;
    summary_.last = std::move(measured);
    proceed();
  }

  /// Reports once that there is nothing to measure yet.
  void report_wait(const HolderStatus& status) {
    if (reported_wait_ || status.version > 0 || now() - began_ < evaluator_patience)
      return;
    reported_wait_ = true;
    std::string names;
    for (auto worker : status.workers)
      names += " " + std::to_string(worker);
    self_->send(logger_, Say{Level::info, "waits for the first version of the parameters: "
                                            + (names.empty() ? "no worker has joined yet"
                                                             : "no sync yet of worker" + names)});
  }

  void finish(const End& end) {
    if (ended())
      return;
    stage_ = Stage::ended;
    summary_.outcome = end.outcome;
    summary_.reason = end.reason;
    summary_.unavailable = end.unavailable;
    self_->send(holder_, Leave{options_.worker});
    // An answer proves that Leave was forwarded.
    request_within(self_, holder_, answer_deadline, Renew{options_.worker, 0})
      .then([this](const Renewed&) { answer(); }, [this](const caf::error&) { answer(); });
  }

  void answer() {
    promise_.deliver(std::move(summary_));
    self_->quit();
  }

  Self self_ = nullptr;
  ParameterHolder holder_;
  Evaluator evaluator_;
  Logger logger_;
  ContinuousEvaluatorOptions options_;
  EvaluationQueue queue_;
  caf::typed_response_promise<VersionsEvaluated> promise_;
  VersionsEvaluated summary_;
  double began_ = 0;
  Stage stage_ = Stage::created;
  Work work_ = Work::none;
  bool asking_ = false, reported_wait_ = false;
  std::optional<End> stop_;
  std::optional<Stop> stop_at_start_;
};

ContinuousEvaluatorActor::behavior_type continuous_evaluator(ContinuousEvaluatorState::Self self,
                                                             ParameterHolder holder,
                                                             Evaluator evaluator, Logger logger,
                                                             ContinuousEvaluatorOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(holder), std::move(evaluator), std::move(logger), std::move(options));
  return {
    [&state](const EvaluateVersions&) { return state.start(); },
    [&state](const Stop& stop) { state.stop(stop); },
    [&state](const CheckVersions&) { state.poll(); },
  };
}

} // namespace

ContinuousEvaluator spawn_continuous_evaluator(caf::actor_system& system, ParameterHolder holder,
                                               Evaluator evaluator, Logger logger,
                                               ContinuousEvaluatorOptions options) {
  return system.spawn(continuous_evaluator, std::move(holder), std::move(evaluator),
                      std::move(logger), std::move(options));
}

} // namespace troupe
