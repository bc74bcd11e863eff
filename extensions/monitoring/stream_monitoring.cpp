#include "extensions/monitoring/stream_monitoring.hpp"

#include "base/text/duration.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/in_flight.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/serial_queue.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace troupe {

namespace {

Section monitored_section(const StreamMonitoringOptions& options) {
  Section section{};
  if (from_text(options.section, section))
    return section;
  throw std::invalid_argument("stream_monitoring has no section '" + options.section
                              + "'; it knows: train, validation, test");
}

class StreamMonitoringState {
public:
  static constexpr const char* name = "stream monitoring";
  using Self = Extension::stateful_pointer<StreamMonitoringState>;

  void begin(Self self, StreamMonitoringOptions options, Evaluator evaluator, Logger logger) {
    self_ = self;
    section_ = monitored_section(options);
    if (options.prefix.empty())
      options.prefix = options.section;
    options_ = std::move(options);
    evaluator_ = std::move(evaluator);
    logger_ = std::move(logger);
    self_->monitor(evaluator_);
    self_->set_down_handler([this](const caf::down_msg& down) {
      while (!jobs_.empty()) // an actor that has ended does not answer its requests
        give_up(jobs_.begin()->first, "has ended: " + sentence(down.reason));
      measures_ = false;
    });
  }

  caf::result<void> observe(const LoopEvent& event) {
    auto promise = self_->make_response_promise();
    evaluate(event, {});
    answer_in_time([promise]() mutable { promise.deliver(caf::unit); });
    return caf::delegated<void>{};
  }

  caf::typed_response_promise<GateAnswer> ask(const LoopEvent& event) {
    auto promise = self_->make_response_promise<GateAnswer>();
    if (options_.gate) {
      evaluate(event, promise);
    } else {
      evaluate(event, {});
      answer_in_time([promise]() mutable { promise.deliver(GateAnswer{}); });
    }
    return promise;
  }

  InFlight in_flight;

private:
  /// An evaluation that is in flight or queued.
  struct Job {
    std::optional<caf::typed_response_promise<GateAnswer>>
      promise; ///< nothing: the records go to the logger
    Write write;
    Snapshot parameters;
    double asked = 0; ///< seconds
  };

  /// Evaluates, and delivers the records to the gate's promise, or to the logger without one.
  void evaluate(const LoopEvent& event,
                std::optional<caf::typed_response_promise<GateAnswer>> promise) {
    const auto ticket = in_flight.begin();
    if (!promise)
      self_->send(logger_, Expect{row_of(event), expected(event)});
    jobs_[ticket]
      = {std::move(promise), write_row(event, {}, expected(event)), event.parameters, now()};
    begin_next();
  }

  /// Starts the next evaluation. They run one after the other, so that each has the whole deadline.
  /// Evaluations that were queued for longer than the deadline are skipped: a reader of a row waits
  /// for at most two deadlines.
  void begin_next() {
    if (measures_)
      return;
    measures_ = true;
    while (!jobs_.empty() && now() - jobs_.begin()->second.asked > options_.deadline)
      give_up(jobs_.begin()->first, "was busy with earlier ones");
    measures_ = !jobs_.empty();
    if (!measures_)
      return;
    const auto ticket = jobs_.begin()->first;
    request_within(self_, evaluator_, timespan_of(options_.deadline),
                   Evaluate{jobs_.begin()->second.parameters, section_, options_.batches,
                            options_.spread, std::isinf(options_.deadline) ? 0 : options_.deadline})
      .then(
        [=, this](const Evaluated& evaluated) {
          measures_ = false;
          settle(ticket, records(evaluated));
        },
        [=, this](const caf::error& error) {
          measures_ = false;
          give_up(ticket, "answered: " + sentence(error));
        });
  }

  /// Answers now, or once the evaluator has caught up.
  void answer_in_time(std::function<void()> answer) {
    held_back_.push_back(std::move(answer));
    answer_if_caught_up();
  }

  void answer_if_caught_up() {
    if (jobs_.size() > options_.ahead)
      return;
    for (const auto& answer : std::exchange(held_back_, {}))
      answer();
  }

  double now() const { return seconds_now(self_); }

  std::string expected(const LoopEvent& event) const {
    return name + std::to_string(event.subscription);
  }

  void give_up(InFlight::Ticket ticket, const std::string& what) {
    const auto found = jobs_.find(ticket);
    if (found == jobs_.end())
      return;
    self_->send(logger_,
                Say{Level::warning, "no metrics of section '" + options_.section + "' at batch "
                                      + std::to_string(found->second.write.row.batch)
                                      + ": the evaluator " + what});
    settle(ticket, {});
  }

  void settle(InFlight::Ticket ticket, Records records) {
    const auto found = jobs_.find(ticket);
    if (found == jobs_.end())
      return;
    auto job = std::move(found->second);
    jobs_.erase(found);
    if (job.promise) {
      GateAnswer answer;
      answer.records = std::move(records);
      job.promise->deliver(std::move(answer));
    } else {
      job.write.records = std::move(records);
      self_->send(logger_, std::move(job.write));
    }
    begin_next();
    answer_if_caught_up();
    in_flight.end(ticket);
  }

  Records records(const Evaluated& evaluated) const {
    Records records;
    const auto put = [this, &records](const std::string& what, const Value& value) {
      records[options_.prefix + "_" + what + (options_.suffix.empty() ? "" : "_" + options_.suffix)]
        = value;
    };
    put("version", Value{static_cast<std::int64_t>(evaluated.version)});
    for (const auto& metric : evaluated.metrics)
      put(metric.name, Value{metric.value});
    if (!evaluated.undefined.empty())
      put(undefined_record, undefined_value(evaluated.undefined));
    if (!options_.spread)
      return records;
    put("episodes_aggregated", Value{static_cast<std::int64_t>(evaluated.batches)});
    for (std::size_t i = 0; i < evaluated.spreads.size(); ++i) {
      const auto& name = evaluated.metrics[i].name;
      if (evaluated.spreads[i].deviation == -1) // undefined in every batch
        continue;
      put(name + "_min", Value{evaluated.spreads[i].minimum});
      put(name + "_max", Value{evaluated.spreads[i].maximum});
      put(name + "_std", Value{evaluated.spreads[i].deviation});
    }
    return records;
  }

  Self self_ = nullptr;
  StreamMonitoringOptions options_;
  Section section_ = Section::validation;
  Evaluator evaluator_;
  Logger logger_;
  std::map<InFlight::Ticket, Job> jobs_; ///< the first one is in flight
  bool measures_ = false;
  std::vector<std::function<void()>> held_back_; ///< answers to a trainer that is too far ahead
};

Extension::behavior_type stream_monitoring(StreamMonitoringState::Self self,
                                           StreamMonitoringOptions options, Evaluator evaluator,
                                           Logger logger) {
  auto& state = self->state;
  state.begin(self, std::move(options), std::move(evaluator), std::move(logger));
  return {
    [&state](const LoopEvent& event) { return state.observe(event); },
    [&state](const AskGate& ask) { return state.ask(ask.event); },
    [&state, self](const Drain&) { return state.in_flight.drain(self); },
    [&state, self](const SaveExtension&) { return state.in_flight.save(self); },
    restores_nothing,
  };
}

} // namespace

Conditions stream_monitoring_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_first_epoch", "after_epoch"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

void check(const StreamMonitoringOptions& options) {
  monitored_section(options);
  request_deadline("stream_monitoring", options.deadline);
}

Extension spawn_stream_monitoring(caf::actor_system& system, StreamMonitoringOptions options,
                                  Evaluator evaluator, Logger logger) {
  check(options);
  if (!evaluator)
    throw std::invalid_argument("stream_monitoring was given no evaluator (a null handle); spawn "
                                "one and give it to stream_monitoring");
  return system.spawn(stream_monitoring, std::move(options), std::move(evaluator),
                      std::move(logger));
}

namespace {

MeasuredMetrics measured_metrics(const StreamMonitoringOptions& options,
                                 const ConfiguredExtension&) {
  return {options.section, options.prefix, options.suffix, options.spread};
}

const RegisterExtension stream_monitoring_kind{ExtensionOf<StreamMonitoringOptions>{
  .name = "stream_monitoring",
  .gate = true,
  .shows = Shows::parameters,
  .conditions = stream_monitoring_conditions,
  .spawn =
    [](const StreamMonitoringOptions& options, const ExtensionContext& context) {
      return spawn_stream_monitoring(context.system, options, context.evaluator, context.logger);
    },
  .place =
    [](const StreamMonitoringOptions& options, OrderedExtension& place) {
      place.writes = {(options.prefix.empty() ? options.section : options.prefix) + "_*"};
    },
  .hooks = {.measures = measured_metrics,
            .sole_record =
              [](const StreamMonitoringOptions& options, const ConfiguredExtension& self) {
                return measured_metrics(options, self).record("loss");
              }},
}};

} // namespace

} // namespace troupe
