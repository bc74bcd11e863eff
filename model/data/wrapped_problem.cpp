#include "model/data/wrapped_problem.hpp"

#include <utility>

namespace troupe {

WrappedProblem::WrappedProblem(std::shared_ptr<const Problem> problem)
  : problem_(std::move(problem)),
    counts_(dynamic_cast<const StatisticsSource*>(problem_.get())) {}

std::vector<Statistic> WrappedProblem::statistics() const {
  return counts_ != nullptr ? counts_->statistics() : std::vector<Statistic>{};
}

std::vector<double> WrappedProblem::collect_statistics(const Batch& batch,
                                                       std::span<const float> prediction) const {
  return counts_ != nullptr ? counts_->collect_statistics(batch, prediction)
                            : std::vector<double>{};
}

bool WrappedProblem::reads_prediction() const {
  return counts_ != nullptr && counts_->reads_prediction();
}

} // namespace troupe
