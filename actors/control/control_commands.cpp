#include "actors/control/control_commands.hpp"

#include "actors/control/control_text.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace troupe {

namespace {

constexpr std::chrono::seconds trainer_status_deadline{3}; // a trainer answers between two batches
constexpr std::chrono::seconds coming_deadline{3600};      // of an extension that comes or goes
constexpr std::chrono::seconds pause_deadline{3};          // until the answer comes anyway
constexpr std::chrono::seconds reading_deadline{3};        // of the log
constexpr std::chrono::seconds measuring_deadline{3600};   // and writing

/// Calls `then` at the last of so many calls.
std::function<void()> after_calls(std::size_t calls, std::function<void()> then) {
  return [left = std::make_shared<std::size_t>(calls), then = std::move(then)] {
    if (--*left == 0)
      then();
  };
}

/// What the extension has in flight is brought to an end first.
void end_extension(ControlActor::pointer self, const AttachedExtension& extension) {
  const auto end
    = [self, extension] { self->send_exit(extension.actor, caf::exit_reason::user_shutdown); };
  request_within(self, extension.actor, coming_deadline, Drain{})
    .then([end](const Drained&) { end(); }, [end](const caf::error&) { end(); });
}

} // namespace

void ControlCommands::begin(ControlActor::pointer self, const ControlOptions& options,
                            AttachedExtensions& attached, ControlBreakpoints& breakpoints,
                            ControlLog log, std::function<void(const ControlJobPtr&)> plan,
                            std::function<void()> poll_later) {
  self_ = self;
  options_ = &options;
  attached_ = &attached;
  breakpoints_ = &breakpoints;
  log_ = std::move(log);
  plan_ = std::move(plan);
  poll_later_ = std::move(poll_later);
}

double ControlCommands::now() const { return seconds_now(self_); }

void ControlCommands::perform(const ControlJobPtr& job) {
  job->resumes_before = resumes_;
  switch (job->command.verb) {
  case Verb::ping: job->finish(); break;
  case Verb::status: show_status(job); break;
  case Verb::pause: hold(job, Pause{}); break;
  case Verb::resume: resume(job); break;
  case Verb::step: hold(job, Advance{job->command.batches}); break;
  case Verb::stop: stop(job); break;
  case Verb::set: set(job); break;
  case Verb::save: save(job); break;
  case Verb::evaluate: evaluate(job); break;
  case Verb::attach: attach(job); break;
  case Verb::detach: detach(job); break;
  case Verb::breakpoint: set_breakpoint(job); break;
  case Verb::unbreak: breakpoints_->remove(job, [this, job] { conclude(job); }); break;
  }
}

// -- steering ------------------------------------------------------------------------------------

template <class Message>
void ControlCommands::tell(const ControlJob& job, const Message& message) {
  for (const auto trainer : job.trainers)
    self_->send(options_->trainers[trainer], message);
}

/// A worker that is held alone lets others wait in vain.
bool ControlCommands::together(const ControlJob& job) const {
  return options_->quiescence && !job.event && job.trainers.size() == options_->trainers.size();
}

/// Answers once all hold, or after a deadline.
template <class Request>
void ControlCommands::hold(const ControlJobPtr& job, const Request& request) {
  if (together(*job)) {
    const auto held = [this, job] { conclude(job); };
    request_within(self_, options_->quiescence, pause_deadline, request)
      .then([held](const QuiescenceReached&) { held(); }, [held](const caf::error&) { held(); });
    return;
  }
  tell(*job, request);
  job->release();
  if (job->event)
    conclude(job);
  else
    await_pause(job, now() + static_cast<double>(pause_deadline.count()));
}

void ControlCommands::resume(const ControlJobPtr& job) {
  ++resumes_;
  tell(*job, Resume{});
  if (together(*job)) // which may be on its way to a pause
    self_->send(options_->quiescence, Resume{});
  conclude(job);
}

void ControlCommands::stop(const ControlJobPtr& job) {
  const Stop stop{job->command.level, "stopped by remote control", true};
  if (together(*job))
    self_->send(options_->quiescence, stop);
  else
    tell(*job, stop);
  job->release();
  conclude(job);
}

void ControlCommands::set(const ControlJobPtr& job) {
  ask<SetDone>(
    job, Set{job->command.settings}, [](std::size_t, SetDone&) {},
    [this, job] {
      job->release();
      conclude(job);
    });
}

// -- extensions that come and go -----------------------------------------------------------------

void ControlCommands::attach(const ControlJobPtr& job) {
  const auto done = after_calls(job->extensions.size(), [this, job] {
    job->release();
    conclude(job);
  });
  for (const auto& extension : job->extensions) {
    const auto subscribed = [this, job, extension, done](const Subscribed& answer) {
      for (const auto& sentence : answer.lost) { // each worker's trainer says the same
        const auto line = "extension '" + extension.name + "': " + sentence;
        if (std::find(job->lines.begin(), job->lines.end(), line) == job->lines.end())
          job->lines.push_back(line);
      }
      auto added = extension;
      added.id = answer.id;
      attached_->add(added);
      self_->monitor(added.actor);
      for (const auto& checkpoint : options_->checkpoints)
        self_->send(checkpoint, AddParticipants{{{extension.saved_as(), extension.actor}}});
      done();
    };
    const auto refused = [this, job, extension, done](const caf::error& error) {
      job->errors.push_back(sentence(error));
      self_->send_exit(extension.actor, caf::exit_reason::user_shutdown);
      done();
    };
    const auto& trainer = options_->trainers[extension.trainer];
    if (extension.gate)
      request_within(self_, trainer, coming_deadline, extension.subscribe_gate)
        .then(subscribed, refused);
    else
      request_within(self_, trainer, coming_deadline, extension.subscribe)
        .then(subscribed, refused);
  }
}

void ControlCommands::detach(const ControlJobPtr& job) {
  const auto all_done = after_calls(job->extensions.size(), [this, job] {
    job->release();
    conclude(job);
  });
  for (const auto& extension : job->extensions) {
    const auto done = [this, extension, all_done] {
      attached_->remove(extension);
      end_extension(self_, extension);
      all_done();
    };
    request_within(self_, options_->trainers[extension.trainer], coming_deadline,
                   Unsubscribe{extension.id})
      .then([done](const Unsubscribed&) { done(); },
            [job, done](const caf::error& error) {
              job->errors.push_back(sentence(error));
              done();
            });
  }
}

void ControlCommands::set_breakpoint(const ControlJobPtr& job) {
  if (job->command.breakpoint)
    return breakpoints_->set(job, [this, job] { conclude(job); });
  breakpoints_->list(*job);
  job->finish();
}

// -- saving --------------------------------------------------------------------------------------

/// Extensions and trainers are saved at one moment: while training stands still, else after the
/// next batch.
void ControlCommands::save(const ControlJobPtr& job) {
  if (job->event)
    return save_at(job, *job->event);
  ask_status(job, [this, job](const std::vector<Status>& statuses) {
    if (statuses.empty())
      return conclude(job);
    if (!is_resting(statuses.front()))
      return plan_(job);
    LoopEvent event;
    event.worker = statuses.front().worker;
    event.callback = Callback::after_batch;
    event.position = statuses.front().position;
    save_at(job, event);
  });
}

void ControlCommands::save_at(const ControlJobPtr& job, const LoopEvent& event) {
  AskGate ask;
  ask.event = event;
  ask.event.arguments.clear();
  if (!job->command.file.empty())
    ask.event.arguments = {job->command.file};
  const auto failed = [this, job](const caf::error& error) {
    job->errors.push_back("the state was not saved: " + sentence(error));
    job->release();
    conclude(job);
  };
  const auto read = [this, job, failed, row = RowKey{event.worker, event.position.batches}] {
    request_within(self_, options_->logger, reading_deadline, ReadRow{row, false})
      .then([this, job](const Row& row) { written(job, row); }, failed);
  };
  const auto drain = [this, failed, read] {
    request_within(self_, options_->saver, measuring_deadline, Drain{})
      .then([read](const Drained&) { read(); }, failed);
  };
  request_within(self_, options_->saver, measuring_deadline, ask)
    .then(
      [job, drain](const GateAnswer&) {
        job->release(); // the state is taken; it is written while training goes on
        drain();
      },
      failed);
}

void ControlCommands::written(const ControlJobPtr& job, const Row& row) {
  const auto saved = row.records.find("saved_to");
  if (saved == row.records.end())
    job->lines.emplace_back("a newer state replaced it; if that could not be written, the run's "
                            "console says why");
  else if (to_string(saved->second).empty())
    job->errors.emplace_back("the state could not be written; the run's console says why");
  else
    job->lines.push_back("saved to " + to_string(saved->second));
  conclude(job);
}

// -- measuring -----------------------------------------------------------------------------------

void ControlCommands::evaluate(const ControlJobPtr& job) {
  const auto taken = std::make_shared<SavedTrainer>();
  ask<SavedTrainer>(
    job, Save{}, [taken](std::size_t, SavedTrainer& saved) { *taken = std::move(saved); },
    [this, job, taken] {
      job->release(); // the parameters are a snapshot: training does not change them
      if (!job->errors.empty())
        return conclude(job);
      request_within(self_, options_->evaluator, measuring_deadline,
                     Evaluate{taken->parameters, job->command.section, 0})
        .then([this, job, taken](const Evaluated& evaluated) { measured(job, *taken, evaluated); },
              [this, job](const caf::error& error) {
                job->errors.push_back(sentence(error));
                conclude(job);
              });
    });
}

void ControlCommands::measured(const ControlJobPtr& job, const SavedTrainer& at,
                               const Evaluated& evaluated) {
  const auto section = to_string(evaluated.section);
  Write write;
  write.row = {job->event ? job->event->worker : WorkerId{0}, at.position.batches};
  write.epoch = at.position.epochs;
  write.seconds = at.position.seconds;
  put_metrics(write.records, section, evaluated.metrics, evaluated.undefined);
  for (const auto& metric : evaluated.metrics)
    job->lines.push_back(section + " " + metric.name + " " + shortest(metric.value)
                         + undefined_mark(metric.name, evaluated.undefined));
  job->lines.push_back("after batch " + std::to_string(at.position.batches) + ", of "
                       + std::to_string(evaluated.examples) + " examples");
  ask_status(job, [this, job, write](const std::vector<Status>& statuses) mutable {
    if (!statuses.empty())
      write.row.worker = statuses.front().worker;
    log_.note(job->command.text, job->errors, job->by, write);
    job->answer({job->lines, true});
  });
}

// -- answers -------------------------------------------------------------------------------------

template <class Answer, class Request>
void ControlCommands::ask(const ControlJobPtr& job, const Request& request,
                          std::function<void(std::size_t trainer, Answer& answer)> each,
                          std::function<void()> then, std::chrono::seconds deadline) {
  const auto done = after_calls(job->trainers.size(), std::move(then));
  for (const auto trainer : job->trainers)
    request_within(self_, options_->trainers[trainer], deadline, request)
      .then(
        [=](Answer& answer) {
          each(trainer, answer);
          done();
        },
        [=](const caf::error& error) {
          job->no_answer(trainer, error);
          done();
        });
}

void ControlCommands::ask_status(const ControlJobPtr& job,
                                 std::function<void(const std::vector<Status>&)> then) {
  const auto statuses = std::make_shared<std::map<std::size_t, Status>>();
  ask<Status>(
    job, GetStatus{},
    [statuses](std::size_t trainer, Status& status) { (*statuses)[trainer] = std::move(status); },
    [statuses, then = std::move(then)] {
      std::vector<Status> in_order;
      for (auto& [trainer, status] : *statuses)
        in_order.push_back(std::move(status));
      then(in_order);
    },
    trainer_status_deadline);
}

void ControlCommands::show_status(const ControlJobPtr& job) {
  ask_status(job, [job](const std::vector<Status>& statuses) {
    for (const auto& status : statuses) {
      if (job->command.json)
        job->lines.push_back(status_json(status));
      else
        for (const auto& line : status_lines(status))
          job->lines.push_back(line);
    }
    job->finish();
  });
}

void ControlCommands::await_pause(const ControlJobPtr& job, double until) {
  ask_status(job, [this, job, until](const std::vector<Status>& statuses) {
    if (now() >= until || was_resumed(*job)
        || std::all_of(statuses.begin(), statuses.end(), is_resting))
      return finish(job, statuses);
    waiting_.push_back({job, until});
    poll_later_();
  });
}

void ControlCommands::poll() {
  for (const auto& waiting : std::exchange(waiting_, {}))
    await_pause(waiting.job, waiting.until);
}

void ControlCommands::conclude(const ControlJobPtr& job) {
  ask_status(job, [this, job](const std::vector<Status>& statuses) { finish(job, statuses); });
}

void ControlCommands::finish(const ControlJobPtr& job, const std::vector<Status>& statuses) {
  for (const auto& status : statuses) {
    Write write;
    // A gate's command belongs to its own row, however far the trainer has come meanwhile.
    const auto& position = job->event ? job->event->position : status.position;
    write.row = {status.worker, position.batches};
    write.epoch = position.epochs;
    write.seconds = position.seconds;
    log_.note(job->command.text, job->errors, job->by, write);
    job->lines.push_back(status_line(status));
    if (job->command.verb == Verb::pause && was_resumed(*job) && !is_resting(status))
      job->errors.push_back("worker " + std::to_string(status.worker)
                            + " is training: it was resumed in the meantime; pause it again to "
                              "stop it there");
  }
  job->finish();
}

} // namespace troupe
