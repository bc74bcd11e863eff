// What a trainer saves, and how it goes on from that.
#include "actors/loop/saved_learner.hpp"
#include "actors/loop/trainer_state.hpp"
#include "messages/loop/epoch_size.hpp"

#include <stdexcept>
#include <utility>

namespace troupe {

SavedTrainer TrainerState::save(const Save& save) const {
  auto saved = saved_learner(*learner_, run_.position.batches);
  saved.cursor = run_.cursor;
  saved.epoch_started = run_.epoch_started;
  saved.position = run_.position;
  saved.totals = run_.totals;
  saved.loss = run_.loss;
  saved.row = run_.row;
  // Notes in the row, so that files without them stay readable.
  saved.row[epoch_ends_status] = Value{run_.epoch_ends.text()};
  saved.row[loss_weight_status] = Value{run_.loss_weight};
  saved.row[loss_sum_status] = Value{run_.loss_sum.text()};
  saved.row[batch_loss_sum_status] = Value{run_.batch_loss_sum.text()};
  put_epoch_size(saved, epoch_size_of(learner_->order()));
  put_configured(saved, configured_);
  saved.causes = save.end ? run_.causes_of_end() : run_.pending_causes();
  return saved;
}

caf::result<Restored> TrainerState::restore(const SavedTrainer& saved) {
  const auto running = run_.running();
  if (running && run_.step != LoopPhase::before_training)
    return fail(Error::already_running, "worker " + std::to_string(options_.worker)
                                          + " is training; stop it before you restore a state");
  auto cursor = saved.cursor;
  try {
    cursor = cursor_from(saved, epoch_size_of(learner_->order()));
  } catch (const std::invalid_argument& e) {
    return fail(Error::invalid_options, "worker " + std::to_string(options_.worker)
                                          + " cannot go on from the saved state: " + e.what());
  }
  const auto changed = reconfigured(saved, configured_);
  if (auto error = restore_learner(saved, changed, *learner_))
    return error;
  run_.place(cursor, saved.epoch_started, saved.position);
  auto row = saved.row;
  const auto ends = row.extract(epoch_ends_status);
  erase_epoch_size(row);
  erase_configured(row);
  run_.epoch_ends
    = ends ? EpochEnds::from_text(to_string(ends.mapped())).value_or(EpochEnds{}) : EpochEnds{};
  run_.totals = saved.totals;
  const auto weight = row.extract(loss_weight_status);
  run_.loss_weight = weight ? as_number(weight.mapped()).value_or(0) // in older files it is these
                            : static_cast<double>(saved.totals.examples);
  run_.loss_sum = sum_in(row, loss_sum_status, saved.totals.loss);
  run_.batch_loss_sum = sum_in(row, batch_loss_sum_status, saved.totals.batch_loss);
  row.erase(loss_sum_status);
  row.erase(batch_loss_sum_status);
  run_.loss = saved.loss;
  subscriptions_.count_from(run_.position, options_.predicates);
  say_what_changed(saved, changed);
  if (running) { // the row and the causes of this run stay: it has begun
    seconds_before_ = run_.position.seconds - (now() - started_at_);
    warn_of_lost_conditions();
    return Restored{};
  }
  run_.row = std::move(row);
  run_.restored = true;
  run_.finishing = saved.causes;
  return Restored{};
}

void TrainerState::say_what_changed(const SavedTrainer& saved,
                                    const std::map<std::string, double>& changed) {
  if (!main_) // it says the same of all
    return;
  const auto here = epoch_size_of(learner_->order());
  if (const auto before = epoch_size_of(saved); before && *before != here)
    say(Level::info,
        "from here on an epoch has " + to_string(here) + ", before it had " + to_string(*before));
  std::string settings;
  for (const auto& [name, value] : changed)
    settings += (settings.empty() ? "" : ", ") + name + " " + shortest(value) + " instead of "
                + shortest(setting_in(saved, name));
  if (!settings.empty())
    say(Level::info, "from here on, as the configuration was changed: " + settings);
}

} // namespace troupe
