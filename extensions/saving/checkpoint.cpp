#include "extensions/saving/checkpoint.hpp"

#include "extensions/support/drain.hpp"
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
  static_cast<int>(row_deadline)}; // of what an extension has under way
// Rows that a slow disk has not taken by then are in memory, and follow; the state need not wait.
constexpr auto flush_deadline = std::chrono::seconds{5};
constexpr auto log_of_run = "log.jsonl"; // in its folder
constexpr auto another_file = "checkpoint.bin";

/// A state that is being taken, or waits to be written.
struct Taking {
  std::vector<InFlight::Ticket> tickets; ///< its own, and of those whose place it has taken
  WriteRun file;
  Write row;
  std::size_t trainers = 0, others = 0;                        ///< answers that are missing
  bool stands_still = false;                                   ///< for this state to be taken
  std::optional<caf::typed_response_promise<GateAnswer>> gate; ///< until the trainers may go on
  bool training_ended = false;                                 ///< before it was taken
  bool complete = false;                                       ///< and can be written
  bool over = false; ///< failed, or gave way to a newer one: answers are for nobody now
  std::string error; ///< the first sentence
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
    participants_.insert(participants_.end(), extensions.begin(), extensions.end());
  }

  caf::typed_response_promise<GateAnswer> ask(const LoopEvent& event) {
    auto promise = self_->make_response_promise<GateAnswer>();
    take_state(event, promise);
    return promise;
  }

  void take_state(const LoopEvent& event,
                  std::optional<caf::typed_response_promise<GateAnswer>> gate) {
    const auto taking = std::make_shared<Taking>();
    taking->tickets = {in_flight.begin()};
    taking->gate = std::move(gate);
    taking->row = write_row(event, {});
    taking->file.keep = options_.keep;
    taking->file.separate = options_.separate;
    taking->file.run.log = sources_.log;
    taking->file.log_file.path = (std::filesystem::path{sources_.folder} / log_of_run).string();
    taking->training_ended = event.done;
    taking->file.run.trainers.resize(sources_.trainers.size());
    for (const auto& path :
         event.arguments.empty() ? std::vector{options_.path} : event.arguments) {
      if (is_file_of_run(path)) {
        release(*taking);
        return settle(*taking, {{}, "'" + path + "' is " + file_of_run_text(another_file), 0, 0});
      }
      taking->file.paths.push_back((std::filesystem::path{sources_.folder} / path).string());
    }
    if (sources_.quiescence && options_.resumable)
      await_quiescence(taking);
    else
      take(taking);
  }

  InFlight in_flight;

private:
  void await_quiescence(const std::shared_ptr<Taking>& taking) {
    const auto lost = [this, taking](const caf::error& error) {
      taking->error = "the workers could not be quiesced: " + sentence(error);
      release(*taking);
      settle(*taking, {{}, taking->error, 0, 0});
    };
    request_within(self_, sources_.quiescence, state_deadline, RequestQuiescence{})
      .then(
        [this, taking, lost](const QuiescenceRequested&) {
          release(*taking);
          self_->request(sources_.quiescence, caf::infinite, AwaitQuiescence{})
            .then(
              [this, taking](const QuiescenceReached&) {
                taking->stands_still = true;
                take(taking);
              },
              lost);
        },
        lost);
  }

  void take(const std::shared_ptr<Taking>& taking) {
    taking->trainers = sources_.trainers.size() + (sources_.holder ? 1 : 0);
    taking->others = participants_.size();
    const auto missing = [this, taking](const caf::error& error) {
      if (taking->error.empty())
        taking->error = sentence(error);
      trainer_has_answered(taking);
    };
    for (std::size_t i = 0; i < sources_.trainers.size(); ++i)
      request_within(self_, sources_.trainers[i], state_deadline, Save{taking->stands_still})
        .then(
          [this, taking, i](SavedTrainer& saved) {
            taking->file.run.trainers[i] = std::move(saved);
            trainer_has_answered(taking);
          },
          missing);
    if (sources_.holder)
      request_within(self_, sources_.holder, state_deadline, SaveHolder{})
        .then(
          [this, taking](SavedHolder& saved) {
            taking->file.run.shared = std::move(saved);
            trainer_has_answered(taking);
          },
          missing);
    for (const auto& participant : participants_)
      request_within(self_, participant.actor, state_deadline, SaveExtension{})
        .then(
          [this, taking, who = participant.name](SavedExtension& saved) {
            if (!saved.state.empty() && !taking->over)
              taking->file.run.extensions[who] = std::move(saved.state);
            other_has_answered(taking);
          },
          [this, taking, participant](const caf::error& error) {
            if (error == caf::sec::request_receiver_down)
              forget(participant); // it is not there when the run goes on either
            else if (taking->error.empty())
              taking->error
                = "extension '" + participant.name + "' did not tell its state: " + sentence(error);
            other_has_answered(taking);
          });
  }

  void forget(const Participant& ended) {
    std::erase_if(participants_, [&](const auto& other) { return other.actor == ended.actor; });
  }

  void trainer_has_answered(const std::shared_ptr<Taking>& taking) {
    if (--taking->trainers > 0)
      return;
    release(*taking);
    if (std::exchange(taking->stands_still, false))
      self_->send(sources_.quiescence, EndQuiescence{});
    if (taking->error.empty())
      enqueue(taking);
    else
      give_up(taking);
  }

  void give_up(const std::shared_ptr<Taking>& taking) {
    std::erase(states_, taking);
    settle(*taking, {{}, taking->error, 0, 0});
    discard(*taking);
  }

  void release(Taking& taking) {
    if (taking.gate)
      taking.gate->deliver(GateAnswer{});
    taking.gate.reset();
  }

  void other_has_answered(const std::shared_ptr<Taking>& taking) {
    --taking->others;
    consider(taking);
  }

  /// The trainers' states are there, which are large: besides the one that is on its way to the
  /// disk, whatever that waits for, one waits for the same files. The newest takes its place:
  /// nobody will miss it, and who waits for it waits for the newest.
  void enqueue(const std::shared_ptr<Taking>& taking) {
    const auto first_waiting = states_.begin() + (states_.empty() ? 0 : 1);
    const auto older = std::find_if(first_waiting, states_.end(), [&](const auto& one) {
      return one->file.paths == taking->file.paths;
    });
    if (older != states_.end()) {
      const auto& tickets = (*older)->tickets;
      taking->tickets.insert(taking->tickets.end(), tickets.begin(), tickets.end());
      discard(**older);
      states_.erase(older);
    }
    states_.push_back(taking);
    consider(taking);
  }

  /// Answers on their way keep it, without what is large.
  static void discard(Taking& taking) {
    taking.over = true;
    taking.file = {};
  }

  /// Once everybody has answered, the log is complete up to here: it goes first.
  void consider(const std::shared_ptr<Taking>& taking) {
    if (taking->trainers > 0 || taking->others > 0 || taking->over)
      return;
    if (!taking->error.empty()) { // without an extension's state the run would go on otherwise
      give_up(taking);
      return write_next();
    }
    const auto go_on = [this, taking] {
      std::error_code none; // the writer says what it cannot read
      auto& log = taking->file.log_file;
      log.bytes = std::filesystem::file_size(log.path, none);
      if (none)
        log.bytes = 0;
      taking->complete = true;
      write_next();
    };
    request_within(self_, sources_.logger, flush_deadline, Flush{})
      .then([go_on](const Flushed&) { go_on(); }, [go_on](const caf::error&) { go_on(); });
  }

  void write_next() {
    if (writing_ || states_.empty() || !states_.front()->complete)
      return;
    writing_ = true;
    const auto written = [this, taking = states_.front()](const RunWritten& result) {
      writing_ = false;
      states_.pop_front();
      write_next();
      settle(*taking, result);
    };
    self_->request(sources_.writer, caf::infinite, std::move(states_.front()->file))
      .then(written, [written](const caf::error& error) {
        written({{}, "the writer has ended: " + sentence(error), 0, 0});
      });
  }

  void settle(Taking& taking, const RunWritten& result) {
    const auto paths = joined(result.paths);
    if (!result.error.empty()) {
      const auto batch = "the checkpoint of batch " + std::to_string(taking.row.row.batch);
      const auto text = result.paths.empty() ? batch + " could not be written: " + result.error
                                                 + (saved_ ? "; the one before stays" : "")
                                             : batch + " is not complete: " + result.error;
      self_->send(sources_.logger, Say{Level::warning, text, "checkpoint"});
      if (options_.on_failure != OnLoss::proceed && !taking.training_ended)
        stop_all(text);
    }
    taking.row.records = {{"saved_to", Value{paths}}};
    saved_ = saved_ || !result.paths.empty();
    if (!result.paths.empty())
      taking.row.records["_checkpoint_seconds"] = Value{result.seconds};
    self_->send(sources_.logger, taking.row);
    for (const auto ticket : taking.tickets)
      in_flight.end(ticket);
  }

  /// An interrupt: what could not be saved is to be gone on with once there is a place for it.
  /// Once: who is asked again in a cluster would begin anew to wait for the others.
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
  bool writing_ = false;                       ///< the first of the states
  bool stopped_ = false;                       ///< training was asked to end
  bool saved_ = false;                         ///< one at least was written
  std::deque<std::shared_ptr<Taking>> states_; ///< that trainers have given, the oldest first
};

Checkpoint::behavior_type checkpoint(CheckpointState::Self self, CheckpointOptions options,
                                     CheckpointSources sources) {
  auto& state = self->state;
  state.begin(self, std::move(options), std::move(sources));
  return {
    [&state](const LoopEvent& event) { state.take_state(event, {}); },
    [&state](const AskGate& ask) { return state.ask(ask.event); },
    [&state, self](const Drain&) { return state.in_flight.drain(self); },
    saves_nothing,
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
                                + file_of_run_text(another_file));
  if (options.keep < 1 || options.keep > 1000)
    throw std::invalid_argument("checkpoint.keep is " + std::to_string(options.keep)
                                + "; give a number of files from 1 to 1000");
}

Checkpoint spawn_checkpoint(caf::actor_system& system, CheckpointOptions options,
                            CheckpointSources sources) {
  check(options);
  return system.spawn(checkpoint, std::move(options), std::move(sources));
}

} // namespace troupe
