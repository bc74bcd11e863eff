#pragma once

#include "model/data/section_sample.hpp"
#include "model/data/wrapped_problem.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace troupe {

/// By section, in the order of `Section`; nothing: the whole section.
using SectionSamples = std::array<std::optional<SectionSample>, 3>;

/// A problem of which only some rows are used. A sampled section has the sample's size for all
/// callers: epochs, shards, shuffling and resumed runs see the sample only.
///
/// For an endless problem, epoch e has the chosen rows of the e-th stretch of size(train) rows.
/// Only training on rows of `train` has a curriculum; evaluation on these rows uses those of the
/// first epoch after it.
class SampledProblem : public WrappedProblem {
public:
  /// @throws std::invalid_argument for a row that the section does not have, and for streams, which
  ///         continue from batch to batch: for chosen training rows, and for other rows that are
  ///         not whole batches in order
  SampledProblem(std::shared_ptr<const Problem> problem, SectionSamples samples);

  Index size(Section section) const override;
  bool endless() const override;
  Epoch curriculum_epochs() const override;
  Index curriculum_length(Epoch epoch) const override;
  /// @throws std::out_of_range for a row that the section does not have
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;

private:
  const std::optional<SectionSample>& sample(Section section) const {
    return samples_[static_cast<std::size_t>(section)];
  }
  bool trains_on_train() const {
    const auto& chosen = sample(Section::train);
    return !chosen || chosen->from == Section::train;
  }
  void check_streams(const SectionSample& sample) const;

  SectionSamples samples_;
};

} // namespace troupe
