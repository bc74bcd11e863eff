#pragma once

#include "troupe/model/wrapped_problem.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace troupe {

/// The rows that stand for a section.
struct SectionSample {
  Section from = Section::train; ///< the section of the problem whose rows they are
  std::vector<Index> rows;       ///< in the order in which the sampled section has them
};

/// By section, in the order of `Section`; nothing: the section is as the problem has it.
using SectionSamples = std::array<std::optional<SectionSample>, 3>;

/// A problem of which only some rows are used. What is sampled has the sample's size for everybody,
/// so that epochs, shards, shuffling and what resumes count it and nothing else.
///
/// Of an endless problem, epoch e has the chosen rows of the e-th stretch of size(train) rows.
class SampledProblem : public WrappedProblem {
public:
  /// @throws std::invalid_argument for a row that the problem's section does not have, and for rows
  /// to train on out of streams, which would no longer go on from batch to batch.
  SampledProblem(std::shared_ptr<const Problem> problem, SectionSamples samples);

  Index size(Section section) const override;
  bool endless() const override;
  /// @throws std::out_of_range for a row that the section does not have.
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;

private:
  const std::optional<SectionSample>& sample(Section section) const {
    return samples_[static_cast<std::size_t>(section)];
  }

  SectionSamples samples_;
};

} // namespace troupe
