#pragma once

#include "model/data/problem.hpp"
#include "model/formats/png.hpp"

#include <functional>

namespace troupe {

/// The class that a model answers for each example of a batch.
using Answers = std::function<std::vector<Index>(const Batch& batch)>;

struct ContactSheetOptions {
  Section section = Section::train;
  Index examples = 100; ///< pictures on the sheet, as far as the section has them; > 0
  Index scale = 2;      ///< pixels of the sheet per pixel of an example, 1 .. 16
  Answers answers = {}; ///< of a problem with classes: below each picture its class and the answer,
                        ///< on a bright ground where they differ
};

/// Shows examples of a problem whose first input is [any, height, width]: one row per class with
/// its number before it, where there are at most 20 classes and no answers; else in the order of
/// the section, with the class, if it has one, below each. Examples whose class is masked come in
/// the order of the section only. The smallest of 0 and the values is black, the largest of 1 and
/// the values white.
/// @throws std::invalid_argument where the problem has no such input, or nothing to show.
Picture contact_sheet(const Problem& problem, const ContactSheetOptions& options);

} // namespace troupe
