// Trains a model by name on a problem, without actors: the usual way in a few lines.
//
//   auto problem = own_arrays({{"point", numbers, {2}}}, {{"side", classes}});
//   auto model = learn(problem, {.model = {"mlp", {{"hidden", {32}}}}, .epochs = 20});
//   model.evaluate(problem).at("accuracy");
#pragma once

#include "model/facade/component.hpp"
#include "model/facade/learned_model.hpp"
#include "model/training/learner.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace troupe {

/// What an epoch has come to.
struct EpochResult {
  Epoch epoch = 0; ///< from 1
  double loss = 0; ///< mean over the epoch's batches, each before its update
  std::map<std::string, double> validation; ///< metrics after the epoch; empty: there are no rows
};

/// What is trained, and how.
struct LearnOptions {
  Component model{"mlp"};      ///< by its name, with options
  Component optimizer{"adam"}; ///< by its name, with options
  Epoch epochs = 10;           ///< passes over the training section
  Index batch_size = 64;       ///< examples of each step, > 0
  std::uint64_t seed = 0;      ///< of initial parameters, order and noise, as `training.seed`
  Index threads = 1;           ///< over which batches are split
  LearnerOptions learner = {}; ///< clipping and the like; its noise follows from the seed
  /// Called after each epoch; returns whether to go on. Null: all epochs, without validation
  std::function<bool(const EpochResult& result)> after_epoch = {};
};

/// The same seed gives the same parameters, bit by bit, also by `troupe train` with one worker.
/// @throws ConfigError for an unknown name or options that cannot be; std::invalid_argument if
/// problem and model do not fit, or there is nothing to train on; std::runtime_error for a loss that
/// is not finite
LearnedModel learn(const std::shared_ptr<const Problem>& problem, const LearnOptions& options = {});
/// Trains a copy of a model of your own; `options.model` has no effect.
LearnedModel learn(const std::shared_ptr<const Problem>& problem, const Model& model,
                   const LearnOptions& options = {});

} // namespace troupe
