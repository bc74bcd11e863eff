// Executes the commands of remote control at the trainers.
#include "actors/control/control_state.hpp"
#include "actors/control/control_text.hpp"
#include "messages/requests/request_within.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

constexpr std::chrono::seconds status_deadline{3};   // a trainer answers between two batches
constexpr std::chrono::seconds drain_deadline{3600}; // for an extension that is detached
constexpr std::chrono::seconds pause_deadline{3};    // of the answer, even if not all have paused

std::string joined_names(const std::vector<AttachedExtension>& extensions) {
  std::string text;
  for (const auto& extension : extensions)
    text += (text.empty() ? "" : ", ") + extension.name;
  return text.empty() ? "none" : text;
}

} // namespace

void ControlState::prepare(ControlJob& job) {
  const auto& command = job.command;
  for (std::size_t trainer = 0; trainer < options_.trainers.size(); ++trainer)
    job.trainers.push_back(trainer);
  if (command.verb == Verb::evaluate || command.verb == Verb::save)
    job.trainers = {0};
  if (command.verb == Verb::evaluate && !options_.evaluator)
    throw std::invalid_argument("this run has no evaluator");
  if (command.verb == Verb::save && !options_.saver)
    throw std::invalid_argument("this run cannot save its state");
  if (command.verb == Verb::attach) {
    if (!options_.spawn)
      throw std::invalid_argument("nothing can be attached to this run");
    for (const auto& other : attached_)
      if (other.name == command.name)
        throw std::invalid_argument("an extension called '" + command.name
                                    + "' is there already; give this one a name, like: attach "
                                    + command.type + ":another");
    job.extensions = options_.spawn(command.type, command.name, command.options);
  }
  if (command.verb == Verb::detach) {
    for (const auto& extension : attached_)
      if (extension.name == command.name)
        job.extensions.push_back(extension);
    if (job.extensions.empty())
      throw std::invalid_argument("no extension is called '" + command.name
                                  + "'; there are: " + joined_names(attached_));
    if (job.extensions.front().shares) // the shared parameters are the run's result
      throw std::invalid_argument("'" + command.name
                                  + "' shares parameters from the start or not at all; it cannot "
                                    "be detached while training runs");
  }
  if (command.verb == Verb::attach || command.verb == Verb::detach) {
    job.trainers.clear();
    for (const auto& extension : job.extensions)
      job.trainers.push_back(extension.trainer);
  }
}

void ControlState::perform(const ControlJobPtr& job) {
  const auto tell = [&](const auto& message) {
    for (const auto trainer : job->trainers)
      self_->send(options_.trainers[trainer], message);
  };
  job->resumes_before = resumes_;
  // A worker that is paused alone would leave the others waiting.
  const auto together
    = options_.quiescence && !job->event && job->trainers.size() == options_.trainers.size();
  const auto hold = [&](const auto& order) {
    if (together)
      return hold_together(job, order);
    tell(order);
    job->release();
    if (job->event)
      conclude(job);
    else
      await_pause(job, now() + static_cast<double>(pause_deadline.count()));
  };
  switch (job->command.verb) {
  case Verb::ping: job->finish({{}, true}); break;
  case Verb::status:
    ask_status(job, [job](const std::vector<Status>& statuses) {
      for (const auto& status : statuses) {
        if (job->command.json)
          job->lines.push_back(status_json(status));
        else
          for (const auto& line : status_lines(status))
            job->lines.push_back(line);
      }
      for (const auto& error : job->errors)
        job->lines.push_back(error);
      job->finish({job->lines, job->errors.empty()});
    });
    break;
  case Verb::pause: hold(Pause{}); break;
  case Verb::resume:
    ++resumes_;
    tell(Resume{});
    if (together) // quiescence may be pausing the workers
      self_->send(options_.quiescence, Resume{});
    conclude(job);
    break;
  case Verb::step: hold(Advance{job->command.batches}); break;
  case Verb::stop: {
    const Stop stop{job->command.level, "stopped by remote control", true};
    if (together)
      self_->send(options_.quiescence, stop);
    else
      tell(stop);
    job->release();
    conclude(job);
    break;
  }
  case Verb::set: set(job); break;
  case Verb::save: save(job); break;
  case Verb::evaluate: evaluate(job); break;
  case Verb::attach: attach(job); break;
  case Verb::detach: detach(job); break;
  }
}

template <class Order>
void ControlState::hold_together(const ControlJobPtr& job, const Order& order) {
  const auto hold = [this, job] { conclude(job); };
  request_within(self_, options_.quiescence, pause_deadline, order)
    .then([hold](const QuiescenceReached&) { hold(); }, [hold](const caf::error&) { hold(); });
}

void ControlState::set(const ControlJobPtr& job) {
  ask<SetDone>(
    job, Set{job->command.settings}, [](std::size_t, SetDone&) {},
    [this, job] {
      job->release();
      conclude(job);
    });
}

// -- attaching and detaching ---------------------------------------------------------------------

void ControlState::attach(const ControlJobPtr& job) {
  const auto left = std::make_shared<std::size_t>(job->extensions.size());
  for (const auto& extension : job->extensions) {
    const auto done = [this, job, left] {
      if (--*left > 0)
        return;
      job->release();
      conclude(job);
    };
    const auto subscribed = [this, job, extension, done](const Subscribed& answer) {
      for (const auto& sentence : answer.lost) { // the same from each worker's trainer
        const auto line = "extension '" + extension.name + "': " + sentence;
        if (std::find(job->lines.begin(), job->lines.end(), line) == job->lines.end())
          job->lines.push_back(line);
      }
      attached_.push_back(extension);
      attached_.back().id = answer.id;
      for (const auto& checkpoint : options_.checkpoints)
        self_->send(checkpoint, AddParticipants{{{extension.saved_as(), extension.actor}}});
      done();
    };
    const auto refused = [this, job, extension, done](const caf::error& error) {
      job->errors.push_back(sentence(error));
      self_->send_exit(extension.actor, caf::exit_reason::user_shutdown);
      done();
    };
    const auto& trainer = options_.trainers[extension.trainer];
    if (extension.gate)
      request_within(self_, trainer, drain_deadline, extension.subscribe_gate)
        .then(subscribed, refused);
    else
      request_within(self_, trainer, drain_deadline, extension.subscribe).then(subscribed, refused);
  }
}

void ControlState::detach(const ControlJobPtr& job) {
  const auto left = std::make_shared<std::size_t>(job->extensions.size());
  for (const auto& extension : job->extensions) {
    const auto done = [this, job, left, extension] {
      std::erase_if(attached_, [&](const auto& other) { return other.actor == extension.actor; });
      if (extension.words.empty())
        detached_.insert(extension.name);
      end(extension);
      if (--*left > 0)
        return;
      job->release();
      conclude(job);
    };
    request_within(self_, options_.trainers[extension.trainer], drain_deadline,
                   Unsubscribe{extension.id})
      .then([done](const Unsubscribed&) { done(); },
            [job, done](const caf::error& error) {
              job->errors.push_back(sentence(error));
              done();
            });
  }
}

/// Drains the extension before it ends.
void ControlState::end(const AttachedExtension& extension) {
  const auto end
    = [this, extension] { self_->send_exit(extension.actor, caf::exit_reason::user_shutdown); };
  request_within(self_, extension.actor, drain_deadline, Drain{})
    .then([end](const Drained&) { end(); }, [end](const caf::error&) { end(); });
}

// -- the answer ----------------------------------------------------------------------------------

void ControlState::ask_status(const ControlJobPtr& job,
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
    status_deadline);
}

void ControlState::await_pause(const ControlJobPtr& job, double until) {
  ask_status(job, [this, job, until](const std::vector<Status>& statuses) {
    if (now() >= until || was_resumed(*job)
        || std::all_of(statuses.begin(), statuses.end(), is_resting))
      return finish(job, statuses);
    waiting_.push_back({job, until});
    tick();
  });
}

void ControlState::conclude(const ControlJobPtr& job) {
  ask_status(job, [this, job](const std::vector<Status>& statuses) { finish(job, statuses); });
}

void ControlState::finish(const ControlJobPtr& job, const std::vector<Status>& statuses) {
  for (const auto& status : statuses) {
    Write write;
    // A command done by a gate is recorded in the gate's row, even if the trainer is further by
    // now.
    const auto& position = job->event ? job->event->position : status.position;
    write.row = {status.worker, position.batches};
    write.epoch = position.epochs;
    write.seconds = position.seconds;
    note(*job, write);
    job->lines.push_back(status_line(status));
    if (job->command.verb == Verb::pause && was_resumed(*job) && !is_resting(status))
      job->errors.push_back("worker " + std::to_string(status.worker)
                            + " is training: it was resumed in the meantime; pause it again to "
                              "stop it there");
  }
  for (const auto& error : job->errors)
    job->lines.push_back(error);
  job->finish({job->lines, job->errors.empty()});
}

/// Writes a console line, and the command into the row in which it was executed.
void ControlState::note(const ControlJob& job, const Write& row) {
  auto text = job.command.text;
  for (const auto& error : job.errors)
    text += ": " + error;
  auto write = row;
  write.records["_control"] = Value{text};
  self_->send(options_.logger, std::move(write));
  self_->send(options_.logger, Say{job.errors.empty() ? Level::info : Level::warning,
                                   "control: " + text + " (worker " + std::to_string(row.row.worker)
                                     + ", batch " + std::to_string(row.row.batch) + ")"});
}

} // namespace troupe
