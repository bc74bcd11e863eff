#include "extensions/support/row_gate.hpp"

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

class RowGateState {
public:
  static constexpr const char* name = "row gate";
  using Self = Extension::stateful_pointer<RowGateState>;

  void begin(Self self, const std::string& name_for_people,
             const std::shared_ptr<RowRule>& decision, const Logger& logger,
             caf::timespan deadline) {
    self_ = self;
    name_for_people_ = name_for_people;
    decision_ = decision;
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
        self_->send(logger_, Say{Level::warning, name_for_people_ + ": " + what});
      });
  }

  caf::typed_response_promise<Drained> drain() {
    auto promise = self_->make_response_promise<Drained>();
    turns_.add([this, promise]() mutable {
      if (const auto sought = decision_->awaited_record(); looked_ > 0 && !met_ && !sought.empty())
        self_->send(logger_, Say{Level::warning, missing(sought)});
      promise.deliver(Drained{});
      turns_.over();
    });
    return promise;
  }

  caf::typed_response_promise<SavedExtension> save() {
    auto promise = self_->make_response_promise<SavedExtension>();
    turns_.add([this, promise]() mutable {
      promise.deliver(SavedExtension{decision_->state()});
      turns_.over();
    });
    return promise;
  }

  caf::typed_response_promise<Restored> restore(const Records& state) {
    auto promise = self_->make_response_promise<Restored>();
    turns_.add([this, promise, state]() mutable {
      decision_->restore(state);
      promise.deliver(Restored{});
      turns_.over();
    });
    return promise;
  }

private:
  using Answered = std::function<void(GateAnswer)>;
  using Failed = std::function<void(const std::string&)>;

  void read(const LoopEvent& event, Answered answered, Failed failed) {
    turns_.add([this, event, answered = std::move(answered), failed = std::move(failed)] {
      request_within(self_, logger_, deadline_, ReadRow{row_of(event)})
        .then(
          [=, this](const Row& row) {
            decide(event, row.records, answered, failed);
            turns_.over();
          },
          [=, this](const caf::error& error) {
            failed(unread(event, error));
            turns_.over();
          });
    });
  }

  void decide(const LoopEvent& event, const Records& row, const Answered& answered,
              const Failed& failed) {
    ++looked_;
    if (const auto sought = decision_->awaited_record(); !met_ && !sought.empty()) {
      met_ = row.count(sought) != 0;
      for (const auto& [record, value] : row)
        names_.insert(record);
    }
    try {
      auto verdict = decision_->look(event, row);
      if (!verdict.status.empty())
        self_->send(logger_, WriteStatus{event.worker, std::move(verdict.status)});
      answered(std::move(verdict.answer));
    } catch (const std::invalid_argument& e) {
      failed(e.what());
    }
  }

  std::string unread(const LoopEvent& event, const caf::error& error) const {
    const auto row = "the row of batch " + std::to_string(event.position.batches);
    if (error != caf::sec::request_timeout)
      return "it cannot read " + row + ": the logger answered: " + sentence(error);
    return row + " was not complete within " + shortest(seconds(deadline_))
           + " s: somebody has announced records for it and not written them; raise the deadline "
             "if that may take so long";
  }

  static double seconds(caf::timespan time) { return std::chrono::duration<double>(time).count(); }

  std::string missing(const std::string& sought) const {
    const auto near = suggestion(sought, {names_.begin(), names_.end()});
    return name_for_people_ + " has found no record '" + sought + "' in any of the "
           + std::to_string(looked_) + " rows that it looked at"
           + (near.empty() ? "; who writes it must be a gate that stands before it" : near);
  }

  Self self_ = nullptr;
  std::string name_for_people_;
  std::shared_ptr<RowRule> decision_;
  Logger logger_;
  caf::timespan deadline_{};
  SerialQueue turns_;
  std::uint64_t looked_ = 0;    ///< at how many rows
  bool met_ = false;            ///< what is sought was in one of them
  std::set<std::string> names_; ///< of the records in them, for the sentence where it was in none
};

Extension::behavior_type row_gate(RowGateState::Self self, const std::string& name,
                                  const std::shared_ptr<RowRule>& decision, const Logger& logger,
                                  caf::timespan deadline) {
  auto& state = self->state;
  state.begin(self, name, decision, logger, deadline);
  return {
    [&state](const LoopEvent& event) { state.observe(event); },
    [&state](const AskGate& ask) { return state.ask(ask.event); },
    [&state](const Drain&) { return state.drain(); },
    [&state](const SaveExtension&) { return state.save(); },
    [&state](const RestoreExtension& restore) { return state.restore(restore.state); },
  };
}

} // namespace

Extension spawn_row_gate(caf::actor_system& system, const std::string& name,
                         std::shared_ptr<RowRule> decision, Logger logger, double deadline) {
  const caf::timespan time = request_deadline(name, deadline);
  return system.spawn(row_gate, name, std::move(decision), std::move(logger), time);
}

} // namespace troupe
