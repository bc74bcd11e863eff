// Saves and evaluates a snapshot of the run for remote control.
#include "actors/control/control_state.hpp"
#include "actors/control/control_text.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "messages/requests/request_within.hpp"

#include <utility>

namespace troupe {

namespace {

constexpr std::chrono::seconds reading_deadline{3};      // for the log
constexpr std::chrono::seconds measuring_deadline{3600}; // for evaluating and saving

} // namespace

// -- saving --------------------------------------------------------------------------------------

/// Extensions and trainers are saved at one position: at once if training is paused, otherwise
/// after the next batch.
void ControlState::save(const ControlJobPtr& job) {
  if (job->event)
    return save_at(job, *job->event);
  ask_status(job, [this, job](const std::vector<Status>& statuses) {
    if (statuses.empty())
      return conclude(job);
    if (!is_resting(statuses.front()))
      return plan(job);
    LoopEvent event;
    event.worker = statuses.front().worker;
    event.callback = Callback::after_batch;
    event.position = statuses.front().position;
    save_at(job, event);
  });
}

void ControlState::save_at(const ControlJobPtr& job, const LoopEvent& event) {
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
  const RowKey row{event.worker, event.position.batches};
  request_within(self_, options_.saver, measuring_deadline, ask)
    .then(
      [this, job, row, failed](const GateAnswer&) {
        job->release(); // the state is copied; training continues while it is written
        request_within(self_, options_.saver, measuring_deadline, Drain{})
          .then(
            [this, job, row, failed](const Drained&) {
              request_within(self_, options_.logger, reading_deadline, ReadRow{row, false})
                .then(
                  [this, job](const Row& written) {
                    const auto saved = written.records.find("saved_to");
                    if (saved == written.records.end())
                      job->lines.emplace_back("a newer state replaced it; if that could not be "
                                              "written, the run's console says why");
                    else if (to_string(saved->second).empty())
                      job->errors.emplace_back(
                        "the state could not be written; the run's console says why");
                    else
                      job->lines.push_back("saved to " + to_string(saved->second));
                    conclude(job);
                  },
                  failed);
            },
            failed);
      },
      failed);
}

caf::typed_response_promise<SavedExtension> ControlState::save_attached() {
  auto promise = self_->make_response_promise<SavedExtension>();
  const auto answer = std::make_shared<SavedExtension>();
  for (const auto& name : detached_)
    answer->state["detached." + name] = Value{true};
  const auto left = std::make_shared<std::size_t>(1);
  auto done = [promise, answer, left]() mutable {
    if (--*left == 0)
      promise.deliver(std::move(*answer));
  };
  for (const auto& extension : attached_) {
    if (extension.words.empty())
      continue;
    answer->state["attached." + extension.name] = Value{extension.words};
    ++*left;
    const auto taken = [answer, done, from = "state." + extension.saved_as() + "."](
                         const SavedExtension& saved) mutable {
      for (const auto& [name, value] : saved.state)
        answer->state[from + name] = value;
      done();
    };
    request_within(self_, extension.actor, measuring_deadline, SaveExtension{})
      .then(taken, [done](const caf::error&) mutable { done(); });
  }
  done();
  return promise;
}

// -- evaluating ----------------------------------------------------------------------------------

void ControlState::evaluate(const ControlJobPtr& job) {
  const auto taken = std::make_shared<SavedTrainer>();
  ask<SavedTrainer>(
    job, Save{}, [taken](std::size_t, SavedTrainer& saved) { *taken = std::move(saved); },
    [this, job, taken] {
      job->release(); // the parameters are a snapshot that training does not change
      if (!job->errors.empty())
        return conclude(job);
      request_within(self_, options_.evaluator, measuring_deadline,
                     Evaluate{taken->parameters, job->command.section, 0})
        .then([this, job, taken](const Evaluated& evaluated) { measured(job, *taken, evaluated); },
              [this, job](const caf::error& error) {
                job->errors.push_back(sentence(error));
                conclude(job);
              });
    });
}

void ControlState::measured(const ControlJobPtr& job, const SavedTrainer& at,
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
    note(*job, write);
    job->finish({job->lines, true});
  });
}

} // namespace troupe
