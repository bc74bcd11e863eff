#include "extensions/monitoring/training_monitoring.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"

#include <set>
#include <stdexcept>
#include <utility>

namespace troupe {

Conditions training_monitoring_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_training", "after_epoch"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

namespace {

/// The number of batches with a loss, finite or not.
std::uint64_t losses_in(const Totals& totals) { return totals.batches + totals.skipped_batches; }

} // namespace

TrainingAggregates::TrainingAggregates(TrainingMonitoringOptions options,
                                       MonitoredQuantities quantities)
  : options_(std::move(options)),
    loss_(loss_quantity(options_.aggregation)),
    quantities_(std::move(quantities)) {
  std::set<std::string> names{"loss"};
  for (const auto& quantity : quantities_)
    if (!names.insert(quantity->name()).second)
      throw std::invalid_argument("training_monitoring has two quantities called '"
                                  + quantity->name() + "'; give each its own name");
  if (loss_)
    quantities_.push_back(loss_);
  forget();
}

Records TrainingAggregates::records(const LoopEvent& event) {
  if (event.callback == Callback::before_training) {
    begin(event);
    return {};
  }
  if (event.arguments != std::vector<std::string>{silent_firing})
    return commit(event);
  const auto losses = losses_in(event.totals);
  for (const auto& quantity : quantities_)
    if (quantity != loss_ || losses != losses_) // a batch with only masked targets has none
      quantity->aggregate(event);
  losses_ = losses;
  ++seen_;
  return {};
}

void TrainingAggregates::begin(const LoopEvent& event) {
  if (!begun_ || event.totals.batches < last_.batches) { // a first start, or from an older state
    last_ = event.totals;
    forget();
  }
  losses_ = losses_in(event.totals);
  begun_ = true;
}

Records TrainingAggregates::commit(const LoopEvent& event) {
  const auto weighted = options_.aggregation == LossAggregation::weighted;
  const auto count = weighted ? event.totals.weight - last_.weight
                              : static_cast<double>(event.totals.batches - last_.batches);
  const auto sum = weighted ? event.totals.loss.since(last_.loss)
                            : event.totals.batch_loss.since(last_.batch_loss);
  last_ = event.totals;
  Records records;
  const auto write = [&](const std::string& name, Value value) {
    records[(options_.prefix.empty() ? "" : options_.prefix + "_") + name
            + (options_.suffix.empty() ? "" : "_" + options_.suffix)]
      = std::move(value);
  };
  if (count > 0 && !loss_)
    write("loss", Value{options_.aggregation == LossAggregation::last ? event.loss : sum / count});
  if (seen_ > 0)
    for (const auto& quantity : quantities_)
      write(quantity->name(), quantity->value());
  if (!records.empty())
    records["learning_rate"] = Value{event.learning_rate};
  forget();
  return records;
}

void TrainingAggregates::forget() {
  seen_ = 0;
  for (const auto& quantity : quantities_)
    quantity->initialize();
}

SavedFields TrainingAggregates::state() const {
  SavedFields state;
  put(state, "begun", begun_);
  put(state, "last", last_);
  put(state, "seen", seen_);
  for (const auto& quantity : quantities_)
    put_part(state, "quantity." + quantity->name() + ".", quantity->state());
  return state;
}

void TrainingAggregates::restore(const SavedFields& state) {
  take(state, "begun", begun_);
  take(state, "last", last_);
  take(state, "seen", seen_);
  for (const auto& quantity : quantities_)
    quantity->restore(part_of(state, "quantity." + quantity->name() + "."));
}

Extension spawn_training_monitoring(caf::actor_system& system, TrainingMonitoringOptions options,
                                    Logger logger, MonitoredQuantities quantities) {
  return spawn_record_maker(
    system, "training monitoring",
    std::make_shared<TrainingAggregates>(std::move(options), std::move(quantities)),
    std::move(logger));
}

namespace {

/// The name of the loss's record, which shows how all of its records are named.
std::string loss_record(const TrainingMonitoringOptions& options, const ConfiguredExtension&) {
  return (options.prefix.empty() ? "" : options.prefix + "_") + "loss"
         + (options.suffix.empty() ? "" : "_" + options.suffix);
}

const RegisterExtension training_monitoring_kind{ExtensionOf<TrainingMonitoringOptions>{
  .name = "training_monitoring",
  .workers = "all",
  .only_records = true,
  .conditions = training_monitoring_conditions,
  .spawn =
    [](const TrainingMonitoringOptions& options, const ExtensionContext& context) {
      return spawn_training_monitoring(context.system, options, context.logger);
    },
  .place =
    [](const TrainingMonitoringOptions& options, OrderedExtension& place) {
      place.writes
        = {(options.prefix.empty() ? "" : options.prefix + "_") + "loss*", "learning_rate"};
    },
  .needs_every_batch
  = [](const TrainingMonitoringOptions& options,
       const ExtensionContext&) { return loss_quantity(options.aggregation) != nullptr; },
  .hooks = {.sole_record = loss_record},
}};

} // namespace

} // namespace troupe
