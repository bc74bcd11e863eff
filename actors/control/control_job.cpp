#include "actors/control/control_job.hpp"

#include "messages/requests/error.hpp"

#include <numeric>
#include <stdexcept>

namespace troupe {

void ControlJob::finish() {
  for (const auto& error : errors)
    lines.push_back(error);
  answer({lines, errors.empty()});
}

std::shared_ptr<ControlJob> ControlJob::part_at(std::size_t trainer) const {
  const auto part = std::make_shared<ControlJob>();
  part->command = command;
  part->by = by;
  part->trainers = {trainer};
  for (const auto& extension : extensions)
    if (extension.trainer == trainer)
      part->extensions.push_back(extension);
  if (!command.at)
    part->answer = answer;
  return part;
}

bool ControlJob::is_over(const Status& status) {
  if (!command.at || status.position.batches < *command.at)
    return false;
  errors.push_back("batch " + std::to_string(*command.at) + " of worker "
                   + std::to_string(status.worker) + " is over, the worker is at batch "
                   + std::to_string(status.position.batches)
                   + "; give a later batch, or leave out at=");
  return true;
}

std::string ControlJob::ended_before() const {
  return "training ended before '" + command.text + "' could be executed; nothing was changed";
}

void ControlJob::no_answer(std::size_t trainer, const caf::error& error) {
  errors.push_back("the trainer of worker " + std::to_string(trainer)
                   + " answered: " + sentence(error));
}

ControlJob control_job(const ControlCommand& command, const ControlOptions& options,
                       const AttachedExtensions& attached) {
  ControlJob job;
  job.command = command;
  job.trainers.resize(options.trainers.size());
  std::iota(job.trainers.begin(), job.trainers.end(), std::size_t{0});
  switch (command.verb) {
  case Verb::evaluate:
    if (!options.evaluator)
      throw std::invalid_argument("this run has no evaluator");
    job.trainers = {0};
    break;
  case Verb::save:
    if (!options.saver)
      throw std::invalid_argument("this run cannot save its state");
    job.trainers = {0};
    break;
  case Verb::attach:
    if (!options.spawn)
      throw std::invalid_argument("nothing can be attached to this run");
    attached.check_new(command.name, command.type);
    job.extensions = options.spawn(command.type, command.name, command.options);
    break;
  case Verb::detach: job.extensions = attached.to_detach(command.name); break;
  default: return job;
  }
  if (command.verb == Verb::attach || command.verb == Verb::detach) {
    job.trainers.clear();
    for (const auto& extension : job.extensions)
      job.trainers.push_back(extension.trainer);
  }
  return job;
}

} // namespace troupe
