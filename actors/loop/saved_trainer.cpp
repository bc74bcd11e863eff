#include "actors/loop/saved_trainer.hpp"

#include "actors/loop/saved_learner.hpp"
#include "base/text/duration.hpp"
#include "messages/loop/epoch_size.hpp"
#include "messages/requests/error.hpp"

#include <stdexcept>
#include <utility>

namespace troupe {

SavedTrainer saved_trainer(const Training& training, const Save& save) {
  const auto& run = training.run;
  auto saved = saved_learner(*training.learner, run.position.batches);
  saved.cursor = run.cursor;
  saved.epoch_started = run.epoch_started;
  saved.position = run.position;
  saved.totals = run.totals;
  saved.loss = run.loss;
  saved.row = run.row;
  saved.epoch_ends = run.epoch_ends.text();
  saved.epoch_size = epoch_size_of(training.learner->order());
  saved.configured = training.configured;
  saved.causes = save.end ? run.causes_of_end() : run.pending_causes();
  return saved;
}

caf::error restore_trainer(const SavedTrainer& saved, double now, Training& training) {
  auto& run = training.run;
  const auto running = run.running();
  if (running && run.step != LoopPhase::before_training)
    return fail(Error::already_running,
                training.worker() + " is training; stop it before you restore a state");
  auto cursor = saved.cursor;
  try {
    cursor = cursor_from(saved, epoch_size_of(training.learner->order()));
  } catch (const std::invalid_argument& e) {
    return fail(Error::invalid_options,
                training.worker() + " cannot continue from the saved state: " + e.what());
  }
  if (auto error
      = restore_learner(saved, reconfigured(saved, training.configured), *training.learner))
    return error;
  run.place(cursor, saved.epoch_started, saved.position);
  run.epoch_ends = EpochEnds::from_text(saved.epoch_ends).value_or(EpochEnds{});
  run.totals = saved.totals;
  run.loss = saved.loss;
  training.subscriptions.count_from(run.position, training.options.predicates);
  if (running) { // the row and the causes of this run stay: it has begun
    training.clock.place(now, run.position.seconds);
    return {};
  }
  run.row = saved.row;
  run.restored = true;
  run.finishing = saved.causes;
  return {};
}

std::vector<std::string> changes_since(const SavedTrainer& saved, const Training& training) {
  std::vector<std::string> changes;
  const auto here = epoch_size_of(training.learner->order());
  if (!(saved.epoch_size == here))
    changes.push_back("from here on an epoch has " + to_string(here) + ", before it had "
                      + to_string(saved.epoch_size));
  std::string settings;
  for (const auto& [name, value] : reconfigured(saved, training.configured))
    settings += (settings.empty() ? "" : ", ") + name + " " + shortest(value) + " instead of "
                + shortest(setting_in(saved, name));
  if (!settings.empty())
    changes.push_back("from here on, as the configuration was changed: " + settings);
  return changes;
}

} // namespace troupe
