#include "model/data/text/text.hpp"

#include "base/failure.hpp"
#include "model/data/images/folder_files.hpp"
#include "model/data/problem_kind.hpp"
#include "model/data/split.hpp"
#include "model/data/text/characters.hpp"
#include "model/formats/data_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

constexpr std::uint64_t most_text = std::uint64_t{1} << 28; // bytes of a file, each four in memory

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The file `path`, or the text files in the folder `path`, by name.
FolderFiles text_files(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error))
    return {{path}, {}};
  auto files = files_in(path, {".txt", ".txt.gz"});
  if (files.taken.empty())
    throw DataError("the folder " + path + " has no file *.txt or *.txt.gz; give a file of text");
  return files;
}

void check_options(const TextOptions& options) {
  constexpr Index longest = 100'000;
  if (options.path.empty())
    throw std::invalid_argument("text: give the path of a file or folder of text");
  if (options.length < 1 || options.length > longest || options.stride < 0)
    throw std::invalid_argument("text: windows of " + std::to_string(options.length)
                                + " characters, " + std::to_string(options.stride)
                                + " apart; give a length of 1 to " + std::to_string(longest)
                                + " and a stride of 0 or more");
  if (options.streams < 0
      || (options.streams > 0 && options.stride > 0 && options.stride != options.length))
    throw std::invalid_argument("text: " + std::to_string(options.streams) + " streams of windows "
                                + std::to_string(options.stride)
                                + " characters apart; give 0 or more streams, and a stride "
                                + "of 0, so that a window begins where the one before it ends");
  const auto a = options.validation_fraction, b = options.test_fraction;
  if (!(a >= 0 && b >= 0 && a + b < 1))
    throw std::invalid_argument("text: validation_fraction " + std::to_string(a)
                                + " and test_fraction " + std::to_string(b)
                                + "; give two fractions from 0 whose sum is less than 1");
}

/// Sorted, without duplicates.
std::vector<char32_t> different(std::vector<char32_t> characters) {
  std::sort(characters.begin(), characters.end());
  characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
  return characters;
}

std::vector<char32_t> vocabulary_from(const std::string& fit) {
  try {
    const auto characters = nlohmann::json::parse(fit).at("characters").get<std::string>();
    return different(characters_of(characters, "problem.json"));
  } catch (const nlohmann::json::exception& e) {
    throw DataError(std::string{"the fit of the run's characters cannot be read: "} + e.what()
                    + "; restore its problem.json");
  }
}

} // namespace

Text::Text(TextOptions options, const std::string& fit, const ChooseTrainingRows& choose)
  : options_(std::move(options)) {
  check_options(options_);
  if (options_.stride == 0)
    options_.stride = options_.length;
  std::vector<char32_t> characters;
  auto files = text_files(options_.path);
  skipped_ = std::move(files.skipped);
  for (const auto& file : files.taken) {
    auto text = read_text(file, most_text);
    data_ = checksum(std::as_bytes(std::span{text}), data_);
    if (text.starts_with(byte_order_mark))
      text.erase(0, byte_order_mark.size());
    const auto more = characters_of(text, file);
    characters.insert(characters.end(), more.begin(), more.end());
  }
  const auto all = static_cast<Index>(characters.size());
  const auto for_test = static_cast<Index>(std::llround(options_.test_fraction * double(all)));
  const auto for_validation
    = static_cast<Index>(std::llround(options_.validation_fraction * double(all)));
  train_ = {0, all - for_test - for_validation};
  validation_ = {train_.end, all - for_test};
  test_ = {validation_.end, all};
  if (size(Section::train) == 0)
    throw DataError(options_.path + " has " + std::to_string(train_.end)
                    + " characters to train on, expected at least "
                    + std::to_string(std::max<Index>(options_.streams, 1) * options_.length + 1)
                    + ", one more than "
                    + (options_.streams > 1 ? "a window of each stream" : "a window")
                    + "; give more text or a smaller length");
  vocabulary_ = fit.empty() ? different(trained(characters, choose)) : vocabulary_from(fit);
  const auto unknown = static_cast<std::int32_t>(vocabulary_.size());
  classes_.reserve(characters.size());
  for (const auto character : characters) {
    const auto at = std::lower_bound(vocabulary_.begin(), vocabulary_.end(), character);
    const auto known = at != vocabulary_.end() && *at == character;
    classes_.push_back(known ? static_cast<std::int32_t>(at - vocabulary_.begin()) : unknown);
  }
  const auto masked = std::find(classes_.begin(), classes_.end(), unknown) != classes_.end();
  const Shape shape{any_size, options_.length};
  spec_.inputs = {{"text", ElementType::float32, shape, Index{unknown} + 1}};
  spec_.targets = {{"next", ElementType::class_index, shape, Index{unknown}, masked}};
  spec_.streams = options_.streams;
}

std::vector<char32_t> Text::trained(std::span<const char32_t> characters,
                                    const ChooseTrainingRows& choose) const {
  const auto sample = choose ? choose(section_sizes(*this)) : std::nullopt;
  if (!sample)
    return {characters.begin(), characters.begin() + train_.end};
  std::vector<char32_t> read;
  for (const auto row : sample->rows) { // each window, and the answer after its last character
    const auto* window = characters.data() + begin_of(sample->from, row);
    read.insert(read.end(), window, window + options_.length + 1);
  }
  return read;
}

const Text::Piece& Text::piece(Section section) const {
  return section == Section::train ? train_ : section == Section::validation ? validation_ : test_;
}

Index Text::size(Section section) const {
  const auto all = windows(section);
  return options_.streams > 0 ? all - all % options_.streams : all;
}

Index Text::windows(Section section) const {
  const auto& of = piece(section);
  const auto begins = of.end - of.first - options_.length; // positions at which a window may begin
  return begins <= 0 ? 0 : (begins - 1) / options_.stride + 1;
}

bool Text::continues(std::span<const Index> rows) const {
  const auto streams = options_.streams;
  if (streams == 0 || static_cast<Index>(rows.size()) != streams || rows.front() < streams
      || rows.front() % streams != 0)
    return false;
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i] != rows[i - 1] + 1)
      return false;
  return true;
}

/// The position in the text at which window `row` of a section begins.
Index Text::begin_of(Section section, Index row) const {
  const auto end = size(section);
  if (row < 0 || row >= end)
    throw std::out_of_range("row " + std::to_string(row) + " of the " + to_string(section)
                            + " section of " + std::to_string(end) + " windows of text");
  const auto streams = std::max<Index>(options_.streams, 1);
  const auto window = row % streams * (end / streams) + row / streams;
  return piece(section).first + window * options_.stride;
}

void Text::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  resize(batch, spec_, static_cast<Index>(rows.size()));
  batch.continues = continues(rows);
  const auto unknown = static_cast<std::int32_t>(vocabulary_.size());
  auto* text = batch.inputs[0].values.data();
  auto* next = batch.targets[0].classes.data();
  for (const auto row : rows) {
    const auto* window = classes_.data() + begin_of(section, row);
    text = std::copy_n(window, options_.length, text);
    next = std::replace_copy(window + 1, window + 1 + options_.length, next, unknown, masked_class);
  }
}

std::vector<std::string> Text::class_names() const {
  std::vector<std::string> names;
  for (const auto character : vocabulary_)
    names.push_back(to_text(character));
  return names;
}

std::string Text::fit() const {
  std::string characters;
  for (const auto character : vocabulary_)
    characters += to_utf8(character);
  const nlohmann::ordered_json json{
    {"problem", name()}, {"data", data_}, {"characters", characters}};
  return json.dump(2) + "\n";
}

std::vector<std::string> Text::reading_notes() const {
  std::vector<std::string> lines{std::to_string(vocabulary_.size()) + " different characters"};
  if (!skipped_.empty())
    lines.push_back(skipped_text(skipped_, "files *.txt and *.txt.gz"));
  return lines;
}

namespace {

const RegisterProblem text_kind{problem_kind<Text, TextOptions>("text")};

} // namespace

} // namespace troupe
