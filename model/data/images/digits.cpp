#include "model/data/images/digits.hpp"

#include "model/data/images/digit_drawing.hpp"
#include "model/data/images/grey.hpp"
#include "model/data/problem_kind.hpp"
#include "model/data/split.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace troupe {

namespace {

constexpr Index pixels = digit_size * digit_size;
constexpr Index most_images = 10'000'000; // kept images cost 784 bytes each
constexpr std::array sections{Section::train, Section::validation, Section::test};

} // namespace

/// Any image on demand; the first `kept` images are drawn once, when they are first asked for, so
/// that training begins at once.
class Digits::Gallery {
public:
  Gallery(RandomKey key, Index kept)
    : key_(key),
      drawn_(static_cast<std::size_t>(kept)),
      grey_(std::make_unique_for_overwrite<std::uint8_t[]>(drawn_.size() * std::size_t{pixels})) {}

  Index kept() const { return static_cast<Index>(drawn_.size()); }

  int label(Index k) const {
    const Permutation order(10, key_.derive("labels").derive(std::uint64_t(k / 10)));
    return static_cast<int>(order(k % 10));
  }

  void copy(Index k, float* out) const {
    if (k < kept()) {
      auto* image = grey_.get() + k * pixels;
      std::call_once(drawn_[static_cast<std::size_t>(k)], [&] { draw(k, {image, pixels}); });
      grey_to_float(image, pixels, out);
    } else {
      std::array<std::uint8_t, pixels> image;
      draw(k, image);
      grey_to_float(image.data(), pixels, out);
    }
  }

private:
  void draw(Index k, std::span<std::uint8_t> image) const {
    Random random(key_.derive("strokes"), static_cast<std::uint64_t>(k));
    draw_digit(label(k), random, DigitStyle{}, image);
  }

  RandomKey key_;
  mutable std::vector<std::once_flag> drawn_;
  std::unique_ptr<std::uint8_t[]> grey_; ///< [kept, height, width]
};

Digits::Digits(DigitsOptions options) : options_(options) {
  const auto check = [](const char* name, Index size, Index least) {
    if (size < least || size > most_images)
      throw std::invalid_argument("digits: " + std::string(name) + " is " + std::to_string(size)
                                  + " images; give " + std::to_string(least) + " to "
                                  + std::to_string(most_images)
                                  + ", and endless: true for more to train on");
  };
  check("train", options_.train, 1);
  check("validation", options_.validation, 0);
  check("test", options_.test, 0);
  const auto key = RandomKey{static_cast<std::uint64_t>(options_.seed)}.derive("digits");
  for (auto section : sections)
    galleries_.push_back(std::make_unique<Gallery>(key.derive(to_string(section)), size(section)));
  spec_.inputs = {{"images", ElementType::float32, {any_size, digit_size, digit_size}, 0}};
  spec_.targets = {{"label", ElementType::class_index, {any_size}, 10}};
}

Digits::~Digits() = default;

Index Digits::size(Section section) const {
  return section == Section::train        ? options_.train
         : section == Section::validation ? options_.validation
                                          : options_.test;
}

const Digits::Gallery& Digits::gallery(Section section) const {
  return *galleries_[static_cast<std::size_t>(std::find(sections.begin(), sections.end(), section)
                                              - sections.begin())];
}

void Digits::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  const auto& images = gallery(section);
  const auto without_end = options_.endless && section == Section::train;
  for (auto row : rows)
    if (row < 0 || (row >= images.kept() && !without_end))
      throw std::out_of_range("row " + std::to_string(row) + " of the " + to_string(section)
                              + " section of " + std::to_string(images.kept()) + " digits");
  resize(batch, spec_, static_cast<Index>(rows.size()));
  auto* values = batch.inputs[0].values.data();
  auto* classes = batch.targets[0].classes.data();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    images.copy(rows[i], values + i * pixels);
    classes[i] = images.label(rows[i]);
  }
}

std::vector<std::string> Digits::class_names() const {
  return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
}

namespace {

const RegisterProblem digits_kind{problem_kind<Digits, DigitsOptions>("digits")};

} // namespace

} // namespace troupe
