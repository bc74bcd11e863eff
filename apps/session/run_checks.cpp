#include "apps/session/run_checks.hpp"

#include "actors/loop/saved_learner.hpp"
#include "apps/catalog/components.hpp"
#include "apps/catalog/record_checks.hpp"
#include "apps/catalog/trainer_rules.hpp"
#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/run_config/extension_checks.hpp"
#include "apps/run_config/wanted_extensions.hpp"
#include "apps/session/data_checks.hpp"
#include "apps/session/device_checks.hpp"
#include "apps/session/run_actors_options.hpp"
#include "apps/session/same_rows.hpp"
#include "base/failure.hpp"
#include "messages/loop/epoch_size.hpp"
#include "model/training/model_fit.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace troupe {

namespace {

void check_same_data(const std::filesystem::path& folder, const std::string& fit,
                     const Problem& problem, const config::Node& tree) {
  if (const auto changed = changed_data(folder, fit, problem, tree); !changed.empty())
    throw DataError(changed
                    + "; put the former data back, or begin a new run from its model with --model "
                    + folder.string());
}

/// The seed decides which rows of the current epoch are still to come.
void check_same_seed(const std::filesystem::path& folder, const config::Node& tree) {
  const auto trained = config::read_yaml_file(folder / "config.yaml");
  const auto before = config::text_at(trained, {"training", "seed"});
  const auto now = config::text_at(tree, {"training", "seed"});
  if (!before.empty() && now != before)
    throw ConfigError("training.seed is " + now + ", but the run started with " + before
                      + ", which decides in what order it reads its rows; leave it as it was, or "
                        "begin a new run from its model with --model "
                      + folder.string());
}

void check_epochs(const FoundRun& found, const RunActorsOptions& actors) {
  const auto& trainers = found.run.trainers;
  for (std::size_t i = 0; i < trainers.size() && i < actors.workers; ++i) {
    const auto order = batch_order(actors, actors.first_worker + static_cast<WorkerId>(i));
    try {
      cursor_from(trainers[i], epoch_size_of(order));
    } catch (const std::invalid_argument& e) {
      throw ConfigError("cannot resume from '" + found.path.string() + "': " + e.what());
    }
  }
}

WorkerId workers_in_all(const RunConfig& config, const ProcessShare& share) {
  return std::max(share.all, config.training.workers);
}

/// Checks all workers: one worker of a cluster that cannot start would block the others.
void check_batches(const RunConfig& config, const std::shared_ptr<const Problem>& problem,
                   const ProcessShare& share) {
  auto actors = run_actors_options(config, problem, nullptr, share.all);
  actors.workers = workers_in_all(config, share);
  try {
    check_shares(actors);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
}

/// @returns why the saved state does not fit this optimizer; "" if it does
std::string optimizer_difference(const SavedTrainer& saved, Optimizer& optimizer) {
  std::vector<OptimizerSlot> slots;
  for (const auto& slot : saved.optimizer_slots)
    slots.push_back({slot.name, slot.values});
  try {
    optimizer.restore(saved.optimizer_steps, std::move(slots));
    set_all(saved.settings, optimizer);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

} // namespace

void check_trainable(const RunConfig& config, const std::shared_ptr<const Problem>& problem,
                     const Model& model, const ProcessShare& share, const TargetCounts& counts) {
  check_memory(model);
  try {
    check_fit(*problem, model);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
  check_threads(config.training, model);
  check_scales(config, model);
  check_order(config.training, problem->spec(), share.all);
  if (config.trainer)
    check_validation(*config.trainer, *problem);
  if (config.training.unused_sources == UnusedSources::raise) // training itself warns
    check_sources(config.training, *problem, model);
  check_batches(config, problem, share);
  check_device(run_actors_options(config, problem, nullptr, share.all), model);
  check_last_batch(config.training, problem->size(Section::train), model,
                   workers_in_all(config, share));
  check_targets_differ(*problem, counts);
  auto wanted = wanted_extensions(config, *problem, {workers_in_all(config, share)});
  check_together(wanted);
  add_companions(wanted);
  Sentences errors;
  check_records(wanted, problem, model, errors);
  if (!errors.empty())
    throw ConfigError(errors);
}

std::string unused_workers(const RunConfig& config, WorkerId workers) {
  const auto given = config.training.workers;
  if (given == 1 || given == workers)
    return "";
  return "training.workers is " + std::to_string(given) + " ("
         + config::get(config.tree, {"training", "workers"})->source()
         + "), which is for one process; this cluster has " + std::to_string(workers)
         + " workers, as -n says";
}

void check_workers(const SavedRun& run, std::size_t workers) {
  const auto saved = std::to_string(run.trainers.size());
  if (run.trainers.size() != workers)
    throw ConfigError("the saved run has " + saved + (saved == "1" ? " worker" : " workers")
                      + ", the configuration " + std::to_string(workers)
                      + "; resume with training.workers=" + saved);
}

void check_resumable(const FoundRun& found, const RunConfig& config, const std::string& fit,
                     const std::shared_ptr<const Problem>& problem, const ProcessShare& share) {
  const auto folder = found.path.parent_path();
  check_same_rows((folder / "config.yaml").string(), config.tree);
  check_same_seed(folder, config.tree);
  check_same_data(folder, fit, *problem, config.tree);
  check_workers(found.run, share.all > 0 ? 1 : config.training.workers);
  auto actors = run_actors_options(config, problem, nullptr, share.all);
  actors.first_worker = share.first;
  check_epochs(found, actors);
}

void check_state(const FoundRun& found, const RunConfig& config, const Layout& layout) {
  const auto& saved = found.run.trainers.front();
  auto difference = layout.difference(saved.layout);
  if (difference.empty())
    difference = optimizer_difference(
      saved, *make_optimizer_factory(*config.tree.find("optimizer"))(layout.size()));
  if (!difference.empty())
    throw ConfigError("cannot resume from '" + found.path.string()
                      + "', which was saved with another model or optimizer: " + difference
                      + "; leave both as they were, or begin a new run");
}

} // namespace troupe
