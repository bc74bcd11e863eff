#pragma once

#include "model/data/problem.hpp"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace troupe {

/// The rows that stand for a section.
struct SectionSample {
  Section from = Section::train; ///< the section of the problem whose rows they are
  std::vector<Index> rows;       ///< in the order in which the sampled section has them
};

/// Examples of each section, in the order of `Section`.
using SectionSizes = std::array<Index, 3>;

SectionSizes section_sizes(const Problem& problem);

/// Which rows are trained on, once the sizes of the sections are known; nothing, or no function:
/// those of `train`. A problem that learns something of its data learns it of these rows.
using ChooseTrainingRows = std::function<std::optional<SectionSample>(const SectionSizes&)>;

} // namespace troupe
