#include "troupe/model/sampled_problem.hpp"

#include <stdexcept>
#include <utility>

namespace troupe {

SampledProblem::SampledProblem(std::shared_ptr<const Problem> problem, SectionSamples samples)
  : WrappedProblem(std::move(problem)),
    samples_(std::move(samples)) {
  if (wrapped().spec().streams > 0 && sample(Section::train))
    throw std::invalid_argument("problem '" + wrapped().name()
                                + "' has streams, of which no rows can be chosen to train on; set "
                                  "its streams to 0, or train on all rows");
  for (const auto& sample : samples_)
    if (sample)
      for (const auto row : sample->rows)
        if (row < 0 || row >= wrapped().size(sample->from))
          throw std::invalid_argument("row " + std::to_string(row) + " of section '"
                                      + to_string(sample->from) + "', which has "
                                      + std::to_string(wrapped().size(sample->from)));
}

Index SampledProblem::size(Section section) const {
  const auto& chosen = sample(section);
  return chosen ? static_cast<Index>(chosen->rows.size()) : wrapped().size(section);
}

bool SampledProblem::endless() const {
  const auto& chosen = sample(Section::train);
  return wrapped().endless()
         && (!chosen || (chosen->from == Section::train && !chosen->rows.empty()));
}

void SampledProblem::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  const auto& chosen = sample(section);
  if (!chosen)
    return wrapped().gather(section, rows, batch);
  const auto size = static_cast<Index>(chosen->rows.size());
  const auto endless = section == Section::train && this->endless();
  const auto stretch = wrapped().size(chosen->from);
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
  wrapped().gather(chosen->from, translated, batch);
  kept = std::move(translated);
}

} // namespace troupe
