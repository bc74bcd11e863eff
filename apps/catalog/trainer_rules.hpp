// `trainer: offline` and `trainer: online`: the trainers of MI-Prometheus as extensions of the one
// training loop. docs/how-to/experiments.md
#pragma once

#include "apps/catalog/extension_catalog.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/loop/terminal_conditions.hpp"
#include "model/data/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Of the section `validation`.
struct PartialValidation {
  std::int64_t partial_interval = -1; ///< episodes from one partial validation to the next; <= 0:
                                      ///< there are none, which online training does not allow
  Step partial_batches = 1; ///< how much of the section it looks at: its first so many batches of
                            ///< the evaluator, always the same
  FIELDS(partial_interval, partial_batches);
};

/// What `trainer` and the keys that belong to it ask for.
struct TrainerRules {
  TrainerKind kind = TrainerKind::offline;
  TerminalLimits limits;
  PartialValidation validation;
  bool save_intermediate = false; ///< keep the model of every validation
  std::string model;              ///< its name
};

/// Adds the defaults of the keys that belong to the draft's trainer, where it has one.
/// @throws ConfigError where the draft has such a key and no trainer.
void add_trainer_defaults(config::Node& defaults, const config::Node& draft);

/// Whether the draft has a trainer, which brings validations of its own.
bool has_trainer(const config::Node& draft);

/// Reads trainer, training.terminal_conditions, the keys of PartialValidation and
/// model.save_intermediate, and takes them out of `tree`, so that the rest is read as without a
/// trainer.
/// @returns nothing where the tree has no trainer. Adds what is wrong to `errors`.
std::optional<TrainerRules> take_trainer(config::Node& tree, Sentences& errors);

/// Adds a sentence for each extension that has the name of one of a trainer's own.
void check_names(const std::vector<ConfiguredExtension>& extensions, Sentences& errors);

/// After which training ends; 0: no such end.
Epoch epochs_of(const TrainerRules& rules);

/// @throws ConfigError where the problem has nothing to validate on.
void check_validation(const TrainerRules& rules, const Problem& problem);

/// The extensions that make the loop that trainer, in the order in which they are asked: full and
/// partial validation, the terminal conditions, the best model.
std::vector<ConfiguredExtension> trainer_extensions(const TrainerRules& rules,
                                                    const Problem& problem);

/// What a saved run says of how it ended: "Not converged: Epoch Limit reached"; "" where it was not
/// such a trainer's.
std::string training_status_in(const SavedRun& run);

/// Takes the causes of a trainer's end out of what goes on: it decides anew, maybe with other
/// limits.
void forget_terminal_causes(SavedRun& run);

} // namespace troupe
