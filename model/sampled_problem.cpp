#include "troupe/model/sampled_problem.hpp"

#include <stdexcept>
#include <utility>

namespace troupe {

SampledProblem::SampledProblem(std::shared_ptr<const Problem> problem, SectionSamples samples)
  : problem_(std::move(problem)),
    samples_(std::move(samples)) {
  if (problem_->spec().streams > 0 && sample(Section::train))
    throw std::invalid_argument("problem '" + problem_->name()
                                + "' has streams, of which no rows can be chosen to train on; set "
                                  "its streams to 0, or train on all rows");
  for (const auto& sample : samples_)
    if (sample)
      for (const auto row : sample->rows)
        if (row < 0 || row >= problem_->size(sample->from))
          throw std::invalid_argument("row " + std::to_string(row) + " of section '"
                                      + to_string(sample->from) + "', which has "
                                      + std::to_string(problem_->size(sample->from)));
}

const StatisticsSource* SampledProblem::source() const {
  return dynamic_cast<const StatisticsSource*>(problem_.get());
}

std::vector<Statistic> SampledProblem::statistics() const { return statistics_of(*problem_); }

std::vector<double> SampledProblem::collect_statistics(const Batch& batch,
                                                       std::span<const float> prediction) const {
  const auto* counts = source();
  return counts != nullptr ? counts->collect_statistics(batch, prediction) : std::vector<double>{};
}

bool SampledProblem::reads_prediction() const {
  const auto* counts = source();
  return counts != nullptr && counts->reads_prediction();
}

Index SampledProblem::size(Section section) const {
  const auto& chosen = sample(section);
  return chosen ? static_cast<Index>(chosen->rows.size()) : problem_->size(section);
}

bool SampledProblem::endless() const {
  const auto& chosen = sample(Section::train);
  return problem_->endless()
         && (!chosen || (chosen->from == Section::train && !chosen->rows.empty()));
}

void SampledProblem::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  const auto& chosen = sample(section);
  if (!chosen)
    return problem_->gather(section, rows, batch);
  const auto size = static_cast<Index>(chosen->rows.size());
  const auto endless = section == Section::train && this->endless();
  const auto stretch = problem_->size(chosen->from);
  // Each thread keeps its own, so that no batch allocates once the largest has been seen.
  thread_local std::vector<Index> kept;
  auto translated = std::exchange(kept, {}); // the problem may be sampled, too
  translated.clear();
  for (const auto row : rows) {
    if (row < 0 || (row >= size && !endless))
      throw std::out_of_range("row " + std::to_string(row) + " of a sample of "
                              + std::to_string(size));
    translated.push_back(row / size * stretch + chosen->rows[static_cast<std::size_t>(row % size)]);
  }
  problem_->gather(chosen->from, translated, batch);
  kept = std::move(translated);
}

} // namespace troupe
