#include "extensions/support/metric_gate.hpp"

#include "base/text/nearest_name.hpp"
#include "extensions/support/serial_queue.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <set>
#include <stdexcept>

namespace troupe {

namespace {

class MetricGateState {
public:
  static constexpr const char* name = "metric gate";
  using Self = Extension::stateful_pointer<MetricGateState>;

  void begin(Self self, const std::string& display_name, const std::shared_ptr<MetricRule>& rule,
             const Logger& logger, caf::timespan deadline) {
    self_ = self;
    display_name_ = display_name;
    rule_ = rule;
    logger_ = logger;
    deadline_ = deadline;
  }

  caf::typed_response_promise<GateAnswer> ask(const LoopEvent& event) {
    auto promise = self_->make_response_promise<GateAnswer>();
    read(
      event, [promise](GateAnswer answer) mutable { promise.deliver(std::move(answer)); },
      [promise](const std::string& what) mutable {
        promise.deliver(fail(Error::gate_failed, what));
      });
    return promise;
  }

  void observe(const LoopEvent& event) {
    const auto at = write_row(event, {});
    read(
      event,
      [this, at](GateAnswer answer) {
        if (answer.records.empty())
          return;
        auto write = at;
        write.records = std::move(answer.records);
        self_->send(logger_, std::move(write));
      },
      [this](const std::string& what) {
        self_->send(logger_, Say{Level::warning, display_name_ + ": " + what});
      });
  }

  caf::typed_response_promise<Drained> drain() {
    auto promise = self_->make_response_promise<Drained>();
    queue_.add([this, promise]() mutable {
      if (const auto awaited = rule_->awaited_record(); looked_ > 0 && !met_ && !awaited.empty())
        self_->send(logger_, Say{Level::warning, missing(awaited)});
      promise.deliver(Drained{});
      queue_.done();
    });
    return promise;
  }

  caf::typed_response_promise<SavedExtension> save() {
    auto promise = self_->make_response_promise<SavedExtension>();
    queue_.add([this, promise]() mutable {
      promise.deliver(SavedExtension{rule_->state()});
      queue_.done();
    });
    return promise;
  }

  caf::typed_response_promise<Restored> restore(const SavedFields& state) {
    auto promise = self_->make_response_promise<Restored>();
    queue_.add([this, promise, state]() mutable {
      rule_->restore(state);
      promise.deliver(Restored{});
      queue_.done();
    });
    return promise;
  }

private:
  using Answered = std::function<void(GateAnswer)>;
  using Failed = std::function<void(const std::string&)>;

  void read(const LoopEvent& event, Answered answered, Failed failed) {
    queue_.add([this, event, answered = std::move(answered), failed = std::move(failed)] {
      request_within(self_, logger_, deadline_, ReadRow{row_of(event)})
        .then(
          [=, this](const Row& row) {
            decide(event, row.records, answered, failed);
            queue_.done();
          },
          [=, this](const caf::error& error) {
            failed(unread(event, error));
            queue_.done();
          });
    });
  }

  void decide(const LoopEvent& event, const Records& row, const Answered& answered,
              const Failed& failed) {
    ++looked_;
    if (const auto awaited = rule_->awaited_record(); !met_ && !awaited.empty()) {
      met_ = row.count(awaited) != 0;
      for (const auto& [record, value] : row)
        names_.insert(record);
    }
    try {
      auto decision = rule_->decide(event, row);
      if (!decision.status.empty())
        self_->send(logger_, WriteStatus{event.worker, std::move(decision.status)});
      answered(std::move(decision.answer));
    } catch (const std::invalid_argument& e) {
      failed(e.what());
    }
  }

  std::string unread(const LoopEvent& event, const caf::error& error) const {
    const auto row = "the row of batch " + std::to_string(event.position.batches);
    if (error != caf::sec::request_timeout)
      return "it cannot read " + row + ": the logger answered: " + sentence(error);
    return row + " was not complete within " + shortest(seconds(deadline_))
           + " s: an extension has announced records for it and not written them; raise the "
             "deadline if that may take so long";
  }

  static double seconds(caf::timespan time) { return std::chrono::duration<double>(time).count(); }

  std::string missing(const std::string& awaited) const {
    const auto near = suggestion(awaited, {names_.begin(), names_.end()});
    return display_name_ + " has found no record '" + awaited + "' in any of the "
           + std::to_string(looked_) + " rows that it looked at"
           + (near.empty() ? "; the extension that writes it must be a gate that comes before it"
                           : near);
  }

  Self self_ = nullptr;
  std::string display_name_;
  std::shared_ptr<MetricRule> rule_;
  Logger logger_;
  caf::timespan deadline_{};
  SerialQueue queue_;
  std::uint64_t looked_ = 0;    ///< number of rows read
  bool met_ = false;            ///< one of them had the awaited record
  std::set<std::string> names_; ///< names of their records, for the message if none had it
};

Extension::behavior_type metric_gate(MetricGateState::Self self, const std::string& name,
                                     const std::shared_ptr<MetricRule>& rule, const Logger& logger,
                                     caf::timespan deadline) {
  auto& state = self->state;
  state.begin(self, name, rule, logger, deadline);
  return {
    [&state](const LoopEvent& event) { state.observe(event); },
    [&state](const AskGate& ask) { return state.ask(ask.event); },
    [&state](const Drain&) { return state.drain(); },
    [&state](const SaveExtension&) { return state.save(); },
    [&state](const RestoreExtension& restore) { return state.restore(restore.state); },
  };
}

} // namespace

Extension spawn_metric_gate(caf::actor_system& system, const std::string& name,
                            std::shared_ptr<MetricRule> rule, Logger logger, double deadline) {
  const caf::timespan time = request_deadline(name, deadline);
  return system.spawn(metric_gate, name, std::move(rule), std::move(logger), time);
}

} // namespace troupe
