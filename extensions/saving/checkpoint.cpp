#include "extensions/saving/checkpoint.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/in_flight.hpp"
#include "extensions/support/row_deadline.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/checkpoint/run_file_names.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

constexpr std::chrono::seconds state_deadline{
  static_cast<int>(row_deadline)}; // for an extension's work in flight
// Rows that a slow disk has not written by then stay in memory and follow; the state does not wait.
constexpr auto flush_deadline = std::chrono::seconds{5};
constexpr auto log_of_run = "log.jsonl"; // in its folder
constexpr auto example_file = "checkpoint.bin";

/// A state that is being taken or waits to be written.
struct PendingState {
  std::vector<InFlight::Ticket> tickets; ///< its own, and those of the states that it replaced
  WriteRun file;
  Write row;
  std::size_t trainers = 0, extensions = 0; ///< missing answers
  bool quiesced = false;                    ///< the workers are quiesced for this state
  std::optional<caf::typed_response_promise<GateAnswer>> gate; ///< until the trainers may continue
  bool training_ended = false;                                 ///< before it was taken
  bool complete = false;  ///< all parts have arrived, and it can be written
  bool discarded = false; ///< failed, or replaced by a newer one: later answers are ignored
  std::string error;      ///< the first failure
};

class CheckpointState {
public:
  static constexpr const char* name = "checkpoint";
  using Self = Checkpoint::stateful_pointer<CheckpointState>;

  void begin(Self self, CheckpointOptions options, CheckpointSources sources) {
    self_ = self;
    options_ = std::move(options);
    sources_ = std::move(sources);
  }

  void save_these(const std::vector<Participant>& extensions) {
    for (const auto& extension : extensions)
      if (extension.actor != self_)
        participants_.push_back(extension);
  }

  /// It has no state, but a state that others save may say which file of this one is the newest:
  /// that file is written before. One that can be resumed does not wait, since it waits for others.
  caf::result<SavedExtension> save() {
    if (options_.resumable)
      return SavedExtension{};
    return in_flight.save(self_);
  }

  caf::typed_response_promise<GateAnswer> ask(const LoopEvent& event) {
    auto promise = self_->make_response_promise<GateAnswer>();
    take_state(event, promise);
    return promise;
  }

  void take_state(const LoopEvent& event,
                  std::optional<caf::typed_response_promise<GateAnswer>> gate) {
    const auto pending = std::make_shared<PendingState>();
    pending->tickets = {in_flight.begin()};
    pending->gate = std::move(gate);
    pending->row = write_row(event, {});
    pending->file.keep = options_.keep;
    pending->file.separate = options_.separate;
    pending->file.run.log = sources_.log;
    pending->file.log_file.path = (std::filesystem::path{sources_.folder} / log_of_run).string();
    pending->training_ended = event.done;
    pending->file.run.trainers.resize(sources_.trainers.size());
    for (const auto& path :
         event.arguments.empty() ? std::vector{options_.path} : event.arguments) {
      if (is_file_of_run(path)) {
        release(*pending);
        return settle(*pending, {{}, "'" + path + "' is " + file_of_run_text(example_file), 0, 0});
      }
      pending->file.paths.push_back((std::filesystem::path{sources_.folder} / path).string());
    }
    if (sources_.quiescence && options_.resumable)
      await_quiescence(pending);
    else
      take(pending);
  }

  InFlight in_flight;

private:
  void await_quiescence(const std::shared_ptr<PendingState>& pending) {
    const auto lost = [this, pending](const caf::error& error) {
      pending->error = "the workers could not be quiesced: " + sentence(error);
      release(*pending);
      settle(*pending, {{}, pending->error, 0, 0});
    };
    request_within(self_, sources_.quiescence, state_deadline, RequestQuiescence{})
      .then(
        [this, pending, lost](const QuiescenceRequested&) {
          release(*pending);
          self_->request(sources_.quiescence, caf::infinite, AwaitQuiescence{})
            .then(
              [this, pending](const QuiescenceReached&) {
                pending->quiesced = true;
                take(pending);
              },
              lost);
        },
        lost);
  }

  void take(const std::shared_ptr<PendingState>& pending) {
    pending->trainers = sources_.trainers.size() + (sources_.holder ? 1 : 0);
    pending->extensions = participants_.size();
    const auto missing = [this, pending](const caf::error& error) {
      if (pending->error.empty())
        pending->error = sentence(error);
      trainer_has_answered(pending);
    };
    for (std::size_t i = 0; i < sources_.trainers.size(); ++i)
      request_within(self_, sources_.trainers[i], state_deadline, Save{pending->quiesced})
        .then(
          [this, pending, i](SavedTrainer& saved) {
            pending->file.run.trainers[i] = std::move(saved);
            trainer_has_answered(pending);
          },
          missing);
    if (sources_.holder)
      request_within(self_, sources_.holder, state_deadline, SaveHolder{})
        .then(
          [this, pending](SavedHolder& saved) {
            pending->file.run.shared = std::move(saved);
            trainer_has_answered(pending);
          },
          missing);
    for (const auto& participant : participants_)
      request_within(self_, participant.actor, state_deadline, SaveExtension{})
        .then(
          [this, pending, who = participant.name](SavedExtension& saved) {
            if (!saved.state.empty() && !pending->discarded)
              pending->file.run.extensions[who] = std::move(saved.state);
            extension_has_answered(pending);
          },
          [this, pending, participant](const caf::error& error) {
            if (error == caf::sec::request_receiver_down)
              forget(participant); // it will not exist when the run resumes either
            else if (pending->error.empty())
              pending->error = "extension '" + participant.name
                               + "' did not return its state: " + sentence(error);
            extension_has_answered(pending);
          });
  }

  void forget(const Participant& ended) {
    std::erase_if(participants_, [&](const auto& other) { return other.actor == ended.actor; });
  }

  void trainer_has_answered(const std::shared_ptr<PendingState>& pending) {
    if (--pending->trainers > 0)
      return;
    release(*pending);
    if (std::exchange(pending->quiesced, false))
      self_->send(sources_.quiescence, EndQuiescence{});
    if (pending->error.empty())
      enqueue(pending);
    else
      give_up(pending);
  }

  void give_up(const std::shared_ptr<PendingState>& pending) {
    std::erase(states_, pending);
    settle(*pending, {{}, pending->error, 0, 0});
    discard(*pending);
  }

  void release(PendingState& pending) {
    if (pending.gate)
      pending.gate->deliver(GateAnswer{});
    pending.gate.reset();
  }

  void extension_has_answered(const std::shared_ptr<PendingState>& pending) {
    --pending->extensions;
    write_if_complete(pending);
  }

  /// Queues a state once the trainers' states, which are large, have arrived. Besides the state
  /// that is being written, at most one state waits for the same files: a newer one replaces it,
  /// and a drain that waits for the older one waits for the newer one.
  void enqueue(const std::shared_ptr<PendingState>& pending) {
    const auto first_waiting = states_.begin() + (states_.empty() ? 0 : 1);
    const auto older = std::find_if(first_waiting, states_.end(), [&](const auto& one) {
      return one->file.paths == pending->file.paths;
    });
    if (older != states_.end()) {
      const auto& tickets = (*older)->tickets;
      pending->tickets.insert(pending->tickets.end(), tickets.begin(), tickets.end());
      discard(**older);
      states_.erase(older);
    }
    states_.push_back(pending);
    write_if_complete(pending);
  }

  /// Answers in flight still refer to the state, so only its large parts are freed.
  static void discard(PendingState& pending) {
    pending.discarded = true;
    pending.file = {};
  }

  /// Once all have answered, the log is complete up to this state: it is flushed first.
  void write_if_complete(const std::shared_ptr<PendingState>& pending) {
    if (pending->trainers > 0 || pending->extensions > 0 || pending->discarded)
      return;
    if (!pending->error
           .empty()) { // a run resumed without an extension's state would continue differently
      give_up(pending);
      return write_next();
    }
    const auto write = [this, pending] {
      std::error_code none; // the writer reports a file that it cannot read
      auto& log = pending->file.log_file;
      log.bytes = std::filesystem::file_size(log.path, none);
      if (none)
        log.bytes = 0;
      pending->complete = true;
      write_next();
    };
    request_within(self_, sources_.logger, flush_deadline, Flush{})
      .then([write](const Flushed&) { write(); }, [write](const caf::error&) { write(); });
  }

  void write_next() {
    if (writing_ || states_.empty() || !states_.front()->complete)
      return;
    writing_ = true;
    const auto written = [this, pending = states_.front()](const RunWritten& result) {
      writing_ = false;
      states_.pop_front();
      write_next();
      settle(*pending, result);
    };
    self_->request(sources_.writer, caf::infinite, std::move(states_.front()->file))
      .then(written, [written](const caf::error& error) {
        written({{}, "the writer has ended: " + sentence(error), 0, 0});
      });
  }

  void settle(PendingState& pending, const RunWritten& result) {
    const auto paths = joined(result.paths);
    if (!result.error.empty()) {
      const auto batch = "the checkpoint of batch " + std::to_string(pending.row.row.batch);
      const auto text = result.paths.empty() ? batch + " could not be written: " + result.error
                                                 + (saved_ ? "; the previous one remains" : "")
                                             : batch + " is not complete: " + result.error;
      self_->send(sources_.logger, Say{Level::warning, text, "checkpoint"});
      if (options_.on_failure != OnLoss::proceed && !pending.training_ended)
        stop_all(text);
    }
    pending.row.records = {{"saved_to", Value{paths}}};
    saved_ = saved_ || !result.paths.empty();
    if (!result.paths.empty())
      pending.row.records["checkpoint_seconds"] = Value{result.seconds};
    self_->send(sources_.logger, pending.row);
    for (const auto ticket : pending.tickets)
      in_flight.end(ticket);
  }

  /// Ends training as an interrupt, so that the run can be resumed. Only once: in a cluster a
  /// second request would restart the wait for the other workers.
  void stop_all(const std::string& reason) {
    if (std::exchange(stopped_, true))
      return;
    if (sources_.stopper) {
      self_->send(sources_.stopper, StopAll{reason, true});
      return;
    }
    for (const auto& trainer : sources_.trainers)
      self_->send(trainer, Stop{StopLevel::after_batch, reason, true});
  }

  Self self_ = nullptr;
  CheckpointOptions options_;
  CheckpointSources sources_;
  std::vector<Participant> participants_;
  bool writing_ = false; ///< the first state is being written
  bool stopped_ = false; ///< training was asked to end
  bool saved_ = false;   ///< at least one state was written
  std::deque<std::shared_ptr<PendingState>>
    states_; ///< states with all trainers' answers, the oldest first
};

Checkpoint::behavior_type checkpoint(CheckpointState::Self self, CheckpointOptions options,
                                     CheckpointSources sources) {
  auto& state = self->state;
  state.begin(self, std::move(options), std::move(sources));
  return {
    [&state](const LoopEvent& event) { state.take_state(event, {}); },
    [&state](const AskGate& ask) { return state.ask(ask.event); },
    [&state, self](const Drain&) { return state.in_flight.drain(self); },
    [&state](const SaveExtension&) { return state.save(); },
    restores_nothing,
    [&state](const AddParticipants& these) { state.save_these(these.extensions); },
  };
}

} // namespace

Conditions checkpoint_conditions() {
  Conditions conditions;
  conditions.set_trigger("after_training", true);
  return conditions;
}

void check(const CheckpointOptions& options) {
  if (options.path.empty())
    throw std::invalid_argument("checkpoint.path is empty; give a file's name");
  if (is_file_of_run(options.path))
    throw std::invalid_argument("checkpoint.path is '" + options.path + "', "
                                + file_of_run_text(example_file));
  if (options.keep < 1 || options.keep > 1000)
    throw std::invalid_argument("checkpoint.keep is " + std::to_string(options.keep)
                                + "; give a number of files from 1 to 1000");
}

Checkpoint spawn_checkpoint(caf::actor_system& system, CheckpointOptions options,
                            CheckpointSources sources) {
  check(options);
  return system.spawn(checkpoint, std::move(options), std::move(sources));
}

namespace {

const RegisterExtension checkpoint_kind{ExtensionOf<CheckpointOptions>{
  .name = "checkpoint",
  .gate = true,
  .conditions = checkpoint_conditions,
  .spawn =
    [](const CheckpointOptions& options, const ExtensionContext& context) {
      return caf::actor_cast<Extension>(
        spawn_checkpoint(context.system, options,
                         {context.trainers, context.local_holder, context.logger, context.writer,
                          context.folder, context.log, context.quiescence, context.stopper}));
    },
  .writes = {"saved_to", "checkpoint_seconds"},
  .place = [](const CheckpointOptions& options,
              OrderedExtension& place) { (options.resumable ? place.last : place.late) = true; },
  .hooks
  = {.saves_run = [](const CheckpointOptions& options,
                     const ConfiguredExtension&) { return options.resumable ? options.path : ""; }},
}};

} // namespace

} // namespace troupe
