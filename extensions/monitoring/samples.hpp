// Shows what the model sees and answers, as pictures or text in the run's folder.
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
  std::string section = "validation"; ///< what stands for validation: validation or test
  Index examples = 36;                ///< the first so many, 1 to 1000
  Index scale = 2;                    ///< pixels per pixel of an example, 1 to 16
  std::string folder = "samples";     ///< in the run's folder
  FIELDS(visualize, section, examples, scale, folder);
};

/// after_epoch and after_training.
Conditions samples_conditions();

/// The sections to show at a moment.
/// @param done whether training has ended
/// @throws std::invalid_argument for a mode or a section that there is not.
std::vector<Section> sections_to_show(const SamplesOptions& options, bool done);

/// @throws std::invalid_argument for options that cannot be.
void check(const SamplesOptions& options);

/// An observer, subscribed with parameters. It writes `<folder>/<section>_<batch>` as
/// sample_sheet.hpp does: a picture or a text. Nothing needs a display. What cannot be written is
/// told of, and training goes on. It ends when nobody holds a handle to it.
/// @param model its own
/// @throws std::invalid_argument for options that cannot be.
Extension spawn_samples(caf::actor_system& system, const SamplesOptions& options,
                        std::shared_ptr<const Problem> problem, std::shared_ptr<Model> model,
                        const std::string& folder, Logger logger);

} // namespace troupe
