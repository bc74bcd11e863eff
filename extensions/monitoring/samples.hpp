// Writes the model's inputs and predictions, as pictures or text in the run's folder.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"
#include "model/training/model.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

struct SamplesOptions {
  std::int32_t visualize = 2;         ///< -1: nothing; 0: training; 1: training and validation; 2:
                                      ///< validation; 3: validation, after training only
  std::string section = "validation"; ///< section to use as validation: validation or test
  Index examples = 36;                ///< number of examples, from the first; 1 to 1000
  Index scale = 2;                    ///< pixels per pixel of an example, 1 to 16
  std::string folder = "samples";     ///< in the run's folder
  TROUPE_FIELDS(visualize, section, examples, scale, folder);
};

/// after_epoch and after_training.
Conditions samples_conditions();

/// The sections to show at an event.
/// @param done whether training has ended
/// @throws std::invalid_argument for an unknown mode or section.
std::vector<Section> sections_to_show(const SamplesOptions& options, bool done);

/// @throws std::invalid_argument for invalid options.
void check(const SamplesOptions& options);

/// An observer, subscribed with parameters. It writes `<folder>/<section>_<batch>`, a picture or a
/// text (sample_sheet.hpp). It needs no display. A failed write causes a warning. It ends when no
/// handle to it is left.
/// @param model owned by the actor
/// @throws std::invalid_argument for invalid options.
Extension spawn_samples(caf::actor_system& system, const SamplesOptions& options,
                        std::shared_ptr<const Problem> problem, std::shared_ptr<Model> model,
                        const std::string& folder, Logger logger);

} // namespace troupe
