#pragma once

#include "model/data/problem.hpp"
#include "model/formats/png.hpp"

#include <functional>

namespace troupe {

/// A model's answer, a class, for each example of a batch.
using Answers = std::function<std::vector<Index>(const Batch& batch)>;

struct ContactSheetOptions {
  Section section = Section::train;
  Index examples = 100; ///< maximum number of pictures on the sheet; > 0
  Index scale = 2;      ///< pixels of the sheet per pixel of an example, 1 .. 16
  Answers answers = {}; ///< for a problem with classes: below each picture its class and the
                        ///< answer, on a bright ground if they differ
};

/// Shows examples of a problem whose first input is [any, height, width]. With at most 20 classes
/// and no answers there is one row per class, which begins with its number; otherwise examples are
/// in the order of the section, each with its class, if any, below it. Examples with a masked class
/// appear in the order of the section only. Black is the smallest of 0 and the values, white the
/// largest of 1 and the values.
/// @throws std::invalid_argument if the problem has no such input, or nothing to show
Picture contact_sheet(const Problem& problem, const ContactSheetOptions& options);

} // namespace troupe
