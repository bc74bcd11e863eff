#pragma once

#include "model/data/problem.hpp"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace troupe {

/// The rows that replace a section.
struct SectionSample {
  Section from = Section::train; ///< the section that the rows come from
  std::vector<Index> rows;       ///< in the order of the sampled section
};

/// Examples of each section, in the order of `Section`.
using SectionSizes = std::array<Index, 3>;

SectionSizes section_sizes(const Problem& problem);

/// Chooses the training rows, given the sizes of the sections; no result or no function: all rows
/// of `train`. A problem that fits something to its data fits it to these rows.
using ChooseTrainingRows = std::function<std::optional<SectionSample>(const SectionSizes&)>;

} // namespace troupe
