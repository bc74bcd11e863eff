#include "troupe/apps/run_checks.hpp"

#include "troupe/apps/cast_options.hpp"
#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/problem_file.hpp"
#include "troupe/apps/same_rows.hpp"
#include "troupe/apps/trainer_rules.hpp"
#include "troupe/messages/epoch_size.hpp"
#include "troupe/model/problems/data_error.hpp"

namespace troupe {

namespace {

void check_same_data(const std::filesystem::path& folder, const std::string& fit,
                     const Problem& problem, const config::Node& tree) {
  if (const auto changed = changed_data(folder, fit, problem, tree); !changed.empty())
    throw DataError(changed
                    + "; put the former data back, or begin a new run from its model with --model "
                    + folder.string());
}

void check_epochs(const FoundRun& found, const CastOptions& cast) {
  const auto& trainers = found.run.trainers;
  for (std::size_t i = 0; i < trainers.size() && i < cast.workers; ++i) {
    const auto order = batch_order(cast, cast.first_worker + static_cast<WorkerId>(i));
    try {
      cursor_from(trainers[i], epoch_size_of(order));
    } catch (const std::invalid_argument& e) {
      throw ConfigError("cannot go on from '" + found.path.string() + "': " + e.what());
    }
  }
}

} // namespace

void check_trainable(const RunConfig& config, const Problem& problem, const Model& model,
                     const ProcessShare& share) {
  check_memory(model);
  check_threads(config.training, model);
  check_scales(config, model);
  check_order(config.training, problem.spec(), share.all);
  if (config.trainer)
    check_validation(*config.trainer, problem);
}

void check_workers(const SavedRun& run, std::size_t workers) {
  const auto saved = std::to_string(run.trainers.size());
  if (run.trainers.size() != workers)
    throw ConfigError("the saved run has " + saved + (saved == "1" ? " worker" : " workers")
                      + ", the configuration " + std::to_string(workers)
                      + "; resume with training.workers=" + saved);
}

void check_goes_on(const FoundRun& found, const RunConfig& config, const std::string& fit,
                   const std::shared_ptr<const Problem>& problem, const ProcessShare& share) {
  const auto folder = found.path.parent_path();
  check_same_rows((folder / "config.yaml").string(), config.tree);
  check_same_data(folder, fit, *problem, config.tree);
  check_workers(found.run, share.all > 0 ? 1 : config.training.workers);
  auto cast = cast_options(config, problem, nullptr, share.all);
  cast.first_worker = share.first;
  check_epochs(found, cast);
}

} // namespace troupe
