#include "model/data/sampled_problem.hpp"

#include <stdexcept>
#include <utility>

namespace troupe {

SampledProblem::SampledProblem(std::shared_ptr<const Problem> problem, SectionSamples samples)
  : WrappedProblem(std::move(problem)),
    samples_(std::move(samples)) {
  if (wrapped().spec().streams > 0 && sample(Section::train))
    throw std::invalid_argument("problem '" + wrapped().name()
                                + "' has streams, from which training rows cannot be chosen; set "
                                  "its streams to 0, or train on all rows");
  for (const auto& sample : samples_)
    if (sample) {
      check_streams(*sample);
      for (const auto row : sample->rows)
        if (row < 0 || row >= wrapped().size(sample->from))
          throw std::invalid_argument("row " + std::to_string(row) + " of section '"
                                      + to_string(sample->from) + "', which has "
                                      + std::to_string(wrapped().size(sample->from)));
    }
}

void SampledProblem::check_streams(const SectionSample& sample) const {
  const auto streams = wrapped().spec().streams;
  if (streams == 0 || sample.rows.empty())
    return;
  const auto count = static_cast<Index>(sample.rows.size());
  auto whole = sample.rows.front() % streams == 0 && count % streams == 0;
  for (std::size_t i = 1; i < sample.rows.size(); ++i)
    whole = whole && sample.rows[i] == sample.rows[i - 1] + 1;
  if (!whole)
    throw std::invalid_argument("of problem '" + wrapped().name() + "' " + std::to_string(count)
                                + " rows from " + std::to_string(sample.rows.front())
                                + " on are chosen, but its " + std::to_string(streams)
                                + " streams continue from batch to batch; choose whole batches "
                                + "in order, rows from one multiple of " + std::to_string(streams)
                                + " to another, or set its streams to 0");
}

Index SampledProblem::size(Section section) const {
  const auto& chosen = sample(section);
  return chosen ? static_cast<Index>(chosen->rows.size()) : wrapped().size(section);
}

Epoch SampledProblem::curriculum_epochs() const {
  return trains_on_train() ? wrapped().curriculum_epochs() : 0;
}

Index SampledProblem::curriculum_length(Epoch epoch) const {
  return trains_on_train() ? wrapped().curriculum_length(epoch) : 0;
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
  // Evaluation uses the full length: rows after the curriculum of the training rows.
  const auto measures
    = wrapped().endless() && chosen->from == Section::train && section != Section::train;
  const auto first
    = measures ? static_cast<Index>(wrapped().curriculum_epochs()) * stretch : Index{0};
  // One per thread, so that nothing is allocated after the largest batch.
  thread_local std::vector<Index> kept;
  auto translated = std::exchange(kept, {}); // the wrapped problem may use it too
  translated.clear();
  for (const auto row : rows) {
    if (row < 0 || (row >= size && !endless))
      throw std::out_of_range("row " + std::to_string(row) + " of a sample of "
                              + std::to_string(size));
    translated.push_back(first + row / size * stretch
                         + chosen->rows[static_cast<std::size_t>(row % size)]);
  }
  wrapped().gather(chosen->from, translated, batch);
  if (rows.empty() || rows.front() < wrapped().spec().streams) // nothing precedes the sample
    batch.continues = false;
  kept = std::move(translated);
}

} // namespace troupe
