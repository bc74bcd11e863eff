#include "model/data/sequences/sequence_task.hpp"

#include "model/data/split.hpp"
#include "model/data/token_lengths.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace troupe {

std::vector<std::string> symbol_tokens(const std::string& who, Index symbols) {
  if (symbols < 1 || symbols > 1000)
    throw std::invalid_argument(who + ": symbols is " + std::to_string(symbols)
                                + "; give 1 to 1000");
  std::vector<std::string> tokens{"."};
  for (Index s = 0; s < symbols; ++s)
    tokens.push_back(symbols <= 26 ? std::string(1, static_cast<char>('a' + s))
                                   : std::to_string(s));
  return tokens;
}

namespace {

/// The position after the last one with a token other than the blank, or with an answer.
void used_lengths(const Batch& batch, Index places, std::vector<Index>& lengths) {
  const auto& tokens = batch.inputs[0].values;
  const auto& answers = batch.targets[0].classes;
  const auto is_used = [&](Index at) {
    const auto i = static_cast<std::size_t>(at);
    return tokens[i] != 0 || answers[i] != masked_class;
  };
  for (Index row = 0; row < batch.size; ++row) {
    auto length = places;
    while (length > 0 && !is_used(row * places + length - 1))
      --length;
    lengths.push_back(length);
  }
}

} // namespace

SequenceTask::SequenceTask(std::string name, SequenceSizes sizes, TaskVocabulary vocabulary,
                           Index per_symbol, Index more)
  : name_(std::move(name)),
    sizes_(sizes),
    curriculum_(name_, sizes.curriculum, sizes.max_length),
    vocabulary_(std::move(vocabulary)) {
  constexpr Index longest = 10'000;
  if (sizes_.min_length < 1 || sizes_.min_length > sizes_.max_length || sizes_.max_length > longest)
    throw std::invalid_argument(name_ + ": lengths from " + std::to_string(sizes_.min_length)
                                + " to " + std::to_string(sizes_.max_length)
                                + "; give 1 <= min_length <= max_length <= "
                                + std::to_string(longest));
  if (sizes_.train < 1 || sizes_.validation < 0 || sizes_.test < 0)
    throw std::invalid_argument(name_ + ": train is " + std::to_string(sizes_.train)
                                + ", validation " + std::to_string(sizes_.validation) + " and test "
                                + std::to_string(sizes_.test)
                                + " examples; give at least 1, 0 and 0");
  const auto places = per_symbol * sizes_.max_length + more;
  const auto count = static_cast<Index>(vocabulary_.tokens.size());
  const auto classes = static_cast<Index>(class_names().size());
  spec_.inputs = {{"tokens", ElementType::float32, {any_size, places}, count, vocabulary_.padded}};
  spec_.targets = {{"answer", ElementType::class_index, {any_size, places}, classes, true}};
}

std::vector<std::string> SequenceTask::class_names() const {
  return vocabulary_.answers.empty() ? vocabulary_.tokens : vocabulary_.answers;
}

Index SequenceTask::size(Section section) const {
  return section == Section::train        ? sizes_.train
         : section == Section::validation ? sizes_.validation
                                          : sizes_.test;
}

Index SequenceTask::longest(Section section, Index row) const {
  return section == Section::train ? curriculum_.length(static_cast<Epoch>(row / sizes_.train))
                                   : sizes_.max_length;
}

void SequenceTask::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  const auto without_end = endless() && section == Section::train;
  const auto repeats = without_end && !sizes_.endless; // the same examples each epoch, but longer
  resize(batch, spec_, static_cast<Index>(rows.size()));
  const auto key
    = RandomKey{static_cast<std::uint64_t>(sizes_.seed)}.derive(name_).derive(to_string(section));
  const auto places = static_cast<std::size_t>(spec_.inputs[0].width());
  const std::span tokens(batch.inputs[0].values);
  const std::span answers(batch.targets[0].classes);
  std::fill(tokens.begin(), tokens.end(), vocabulary_.padded ? float{masked_class} : 0.0f);
  std::fill(answers.begin(), answers.end(), masked_class);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || (rows[i] >= size(section) && !without_end))
      throw std::out_of_range("row " + std::to_string(rows[i]) + " of the " + to_string(section)
                              + " section of " + std::to_string(size(section)) + " examples of "
                              + name_);
    Random random(key, static_cast<std::uint64_t>(repeats ? rows[i] % sizes_.train : rows[i]));
    const auto most = longest(section, rows[i]), least = std::min(sizes_.min_length, most);
    const auto length = least + random.below(most - least + 1);
    write(length, random, tokens.subspan(i * places, places), answers.subspan(i * places, places));
  }
}

std::vector<Statistic> SequenceTask::statistics() const {
  return {{"seq_length"}, {"max_seq_length", "{:d}"}};
}

std::vector<double> SequenceTask::collect_statistics(const Batch& batch,
                                                     std::span<const float>) const {
  std::vector<Index> lengths;
  const auto places = spec_.inputs[0].width();
  if (vocabulary_.padded)
    token_lengths(std::span<const float>{batch.inputs[0].values}, places, lengths);
  else
    used_lengths(batch, places, lengths);
  if (lengths.empty())
    return {0, 0};
  const auto all = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  return {static_cast<double>(all) / static_cast<double>(lengths.size()),
          static_cast<double>(*std::max_element(lengths.begin(), lengths.end()))};
}

} // namespace troupe
