#include "apps/session/run_actors_options.hpp"

#include "apps/catalog/components.hpp"
#include "apps/catalog/expected_end.hpp"
#include "apps/process/machine_memory.hpp"
#include "apps/run_config/wanted_extensions.hpp"
#include "apps/session/device_checks.hpp"
#include "base/text/byte_size.hpp"
#include "base/text/text.hpp"
#include "model/data/streams.hpp"
#include "model/training/compatibility.hpp"
#include "model/training/split_model.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <stdexcept>

namespace troupe {

namespace {

OptimizerFactory optimizer_of(const RunConfig& config, WorkerId workers) {
  auto make = make_optimizer_factory(*config.tree.find("optimizer"));
  if (!config.training.scale_learning_rate)
    return make;
  return [make, workers](Index size) {
    auto optimizer = make(size);
    optimizer->set_learning_rate(optimizer->learning_rate() * static_cast<float>(workers));
    return optimizer;
  };
}

/// A named sampler decides on the order.
bool shuffled(const TrainingOptions& training) {
  return training.sampler.name == SamplerName::all
           ? training.shuffle
           : training.sampler.name == SamplerName::subset_random;
}

} // namespace

RunActorsOptions run_actors_options(const RunConfig& config, std::shared_ptr<const Problem> problem,
                                    std::shared_ptr<const Model> model, WorkerId all_workers) {
  const auto& training = config.training;
  RunActorsOptions options;
  options.problem = std::move(problem);
  options.model = std::move(model);
  options.make_optimizer = optimizer_of(config, std::max(all_workers, training.workers));
  options.order.batch_size = training.batch_size;
  options.order.shuffle = shuffled(training);
  options.order.drop_last = training.drop_last;
  options.learner = {training.clipping, training.nan};
  options.learner.scales = optimizer_scales(*config.tree.find("optimizer"));
  options.learner.statistics
    = std::any_of(config.extensions.begin(), config.extensions.end(), wants_statistics);
  options.workers = training.workers;
  options.all_workers = all_workers;
  options.seed = static_cast<std::uint64_t>(training.seed);
  options.epochs = training.epochs;
  const auto end = expected_end(
    wanted_extensions(config, *options.problem, {std::max(all_workers, training.workers)}));
  options.batches = end.batches;
  options.seconds = end.seconds;
  options.threads = training.threads;
  options.ahead = training.loader.ahead;
  options.card = card_options(training);
  return options;
}

void check_threads(const TrainingOptions& training, const Model& model) {
  try {
    check_splittable(model, training.threads);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
}

void check_memory(const Model& model) {
  const auto bytes = 2 * sizeof(float) * static_cast<std::uint64_t>(model.layout().size());
  const auto there = machine_memory().total;
  if (there > 0 && bytes > there)
    throw ConfigError("model '" + model.name() + "' has " + std::to_string(model.layout().size())
                      + " parameters, which take " + byte_size_text(bytes)
                      + " with their gradient; this machine has " + byte_size_text(there)
                      + " of memory. Give smaller sizes");
}

void check_scales(const RunConfig& config, const Model& model) {
  try {
    scaled_stretches(model.layout(), optimizer_scales(*config.tree.find("optimizer")));
  } catch (const std::invalid_argument& e) {
    throw ConfigError(std::string{"optimizer.scales: "} + e.what());
  }
}

void check_order(const TrainingOptions& training, const DataSpec& data, WorkerId all_workers) {
  const auto workers = std::max(all_workers, training.workers);
  try {
    check_streams(data, {.batch_size = training.batch_size,
                         .shuffle = training.shuffle,
                         .shards = static_cast<Index>(workers)});
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
}

void check_sources(const TrainingOptions& training, const Problem& problem, const Model& model) {
  std::string names;
  for (const auto& name : unused_sources(problem.spec(), model.inputs()))
    names += (names.empty() ? "'" : ", '") + name + "'";
  const auto policy = training.unused_sources;
  if (names.empty() || policy == UnusedSources::ignore)
    return;
  const auto text = "problem '" + problem.name() + "' gives " + names
                    + ", which neither the model nor its loss uses";
  if (policy == UnusedSources::raise)
    throw ConfigError(text + "; set training.unused_sources to warn or ignore if that is meant");
  std::cerr << "warning: " << text << std::endl;
}

std::string scaled_rate_text(const TrainingOptions& training, WorkerId workers) {
  return training.scale_learning_rate && workers > 1
           ? "the learning rate is multiplied by " + std::to_string(workers)
               + ", the number of workers (training.scale_learning_rate)"
           : "";
}

std::string crowded(const TrainingOptions& training, std::size_t cores) {
  const auto threads = static_cast<Index>(training.workers) * training.threads;
  if (training.threads == 1 || threads <= static_cast<Index>(cores))
    return "";
  return "training.workers (" + std::to_string(training.workers) + ") times training.threads ("
         + std::to_string(training.threads) + ") are " + std::to_string(threads)
         + " threads that compute, on " + quantity(static_cast<std::uint64_t>(cores), "core")
         + ": they share the cores, which is slower than using fewer";
}

} // namespace troupe
