// `trainer: offline` and `trainer: online`: the trainers of MI-Prometheus as extensions of the
// training loop. docs/how-to/experiments.md
#pragma once

#include "apps/catalog/extension_catalog.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/loop/termination.hpp"
#include "model/data/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Keys of the section `validation`.
struct PartialValidation {
  std::int64_t partial_interval = -1; ///< episodes between two partial validations; <= 0: none,
                                      ///< which online training does not allow
  Step partial_batches = 1; ///< number of batches of a partial validation: always the first ones
                            ///< of the section
  TROUPE_FIELDS(partial_interval, partial_batches);
};

/// The configuration of `trainer` and the keys that belong to it.
struct TrainerRules {
  TrainerKind kind = TrainerKind::offline;
  TerminationLimits limits;
  PartialValidation validation;
  bool save_intermediate = false; ///< keep the model of every validation
  std::string model;              ///< its name
};

/// Adds the defaults of the keys that belong to the draft's trainer, if it has one.
/// @throws ConfigError if the draft has such a key but no trainer.
void add_trainer_defaults(config::Node& defaults, const config::Node& draft);

/// Whether the draft has a trainer, which adds its own validations.
bool has_trainer(const config::Node& draft);

/// Reads trainer, training.terminal_conditions, the keys of PartialValidation and
/// model.save_intermediate, and removes them from `tree`, so that the rest can be read as without a
/// trainer.
/// @returns nothing if the tree has no trainer. Adds mistakes to `errors`.
std::optional<TrainerRules> take_trainer(config::Node& tree, Sentences& errors);

/// Adds a sentence for each extension with the name of one that a trainer adds.
void check_names(const std::vector<ConfiguredExtension>& extensions, Sentences& errors);

/// The limit of epochs; 0: none.
Epoch epochs_of(const TrainerRules& rules);

/// @throws ConfigError if the problem has no validation examples.
void check_validation(const TrainerRules& rules, const Problem& problem);

/// The extensions that implement the trainer, in the order in which they are asked: full and
/// partial validation, the terminal conditions, the best model.
std::vector<ConfiguredExtension> trainer_extensions(const TrainerRules& rules,
                                                    const Problem& problem);

/// The training status in a saved run, like "Not converged: Epoch Limit reached"; "" if it had no
/// such trainer.
std::string training_status_in(const SavedRun& run, const TrainerRules& rules);

/// Removes a trainer's reasons for the end before a resume: it decides again, maybe with other
/// limits.
void forget_terminal_causes(SavedRun& run);

} // namespace troupe
