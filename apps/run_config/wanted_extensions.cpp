#include "apps/run_config/wanted_extensions.hpp"

#include "apps/catalog/trainer_rules.hpp"
#include "apps/run_config/warm_start.hpp"
#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"

#include <algorithm>

namespace troupe {

namespace {

std::string all_done(std::uint64_t count, const std::string& what,
                     const std::string& ending = "s") {
  return quantity(count, what, ending) + (count == 1 ? " is done" : " are done");
}

/// @param unit "epochs" or "batches"   @param each the number for each worker
ConfiguredExtension finish_after(const std::string& unit, Step all, Step each) {
  ConfiguredExtension finish;
  finish.name = unit;
  finish.type = "finish_after";
  finish.options = config::Node::map();
  const auto reason = unit == "epochs" ? epochs_done(all) : batches_done(all);
  finish.options.put("reason", config::Node::scalar(reason, config::default_source, true));
  finish.conditions.set_trigger("after_n_" + unit, Value{static_cast<std::int64_t>(each)});
  finish.participation.workers = "all";
  return finish;
}

/// Also prints the rows of validations in the middle of an epoch.
void print_validations(std::vector<ConfiguredExtension>& extensions) {
  const auto printing = std::find_if(extensions.begin(), extensions.end(), prints_all_rows);
  if (printing == extensions.end())
    return;
  auto added = false;
  for (const auto& extension : extensions)
    if (has_hook(extension.type, &RunHooks<>::measures))
      for (const auto& condition : extension.conditions.all())
        if (condition.callback == Callback::after_batch) {
          printing->conditions.add_condition(condition);
          added = true;
        }
  if (added)
    printing->conditions.coalesce(); // several may hold for one batch
}

} // namespace

std::vector<ConfiguredExtension> wanted_extensions(const RunConfig& config, const Problem& problem,
                                                   const WantedBy& by) {
  const auto& training = config.training;
  std::vector<ConfiguredExtension> wanted;
  if (const auto path = model_to_load(config.tree); !path.empty())
    wanted.push_back(warm_start(path));
  if (config.trainer)
    for (auto& extension : trainer_extensions(*config.trainer, problem))
      wanted.push_back(std::move(extension));
  else if (training.epochs > 0)
    wanted.push_back(finish_after("epochs", training.epochs, training.epochs));
  if (training.batches > 0)
    wanted.push_back(
      finish_after("batches", training.batches, batches_of_each(training, by.workers)));
  for (const auto& extension : config.extensions)
    if (by.progress || !shows_progress(extension))
      wanted.push_back(extension);
  print_validations(wanted);
  return wanted;
}

std::string epochs_done(Epoch epochs) { return all_done(epochs, "epoch"); }

bool says_epochs_done(const std::string& reason, Epoch epochs) {
  return reason == epochs_done(epochs) || reason == std::to_string(epochs) + " epochs are done";
}

std::string batches_done(Step batches) { return all_done(batches, "batch", "es"); }

Step batches_of_each(const TrainingOptions& training, WorkerId workers) {
  return training.batches == 0 ? 0 : std::max<Step>(1, training.batches / workers);
}

} // namespace troupe
