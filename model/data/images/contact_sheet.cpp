#include "model/data/images/contact_sheet.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

constexpr Index glyph_width = 3, glyph_height = 5;
constexpr std::uint8_t paper = 48, ink = 230; // distinct from the black of the pictures
constexpr Index most_rows = 20;               // more classes do not get a row each

// Three bits per line, from top to bottom.
constexpr std::array<std::array<std::uint8_t, glyph_height>, 10> glyphs{{
  {7, 5, 5, 5, 7},
  {2, 6, 2, 2, 7},
  {7, 1, 7, 4, 7},
  {7, 1, 7, 1, 7},
  {5, 5, 7, 1, 1},
  {7, 4, 7, 1, 7},
  {7, 4, 7, 5, 7},
  {7, 1, 2, 2, 2},
  {7, 5, 7, 5, 7},
  {7, 5, 7, 1, 7},
}};

Index text_width(Index number) {
  return static_cast<Index>(std::to_string(number).size()) * (glyph_width + 1) - 1;
}

void write_number(Picture& sheet, Index number, Index left, Index top, std::uint8_t color = ink) {
  for (auto digit : std::to_string(number)) {
    const auto& glyph = glyphs[static_cast<std::size_t>(digit - '0')];
    for (Index y = 0; y < glyph_height; ++y)
      for (Index x = 0; x < glyph_width; ++x)
        if ((glyph[static_cast<std::size_t>(y)] >> (glyph_width - 1 - x) & 1) != 0)
          sheet.pixels[static_cast<std::size_t>((top + y) * sheet.width + left + x)] = color;
    left += glyph_width + 1;
  }
}

struct Example {
  Index label = -1, answer = -1; // -1: none, or masked
  std::vector<float> values;
};

/// The number of classes of an example's target; 0 if it has none, or several targets.
Index classes_of(const DataSpec& spec) {
  return spec.targets.empty() || spec.targets[0].width() != 1 ? 0 : spec.targets[0].classes;
}

/// The first examples of the section, at most `per_class` of each class. Examples without a class
/// only if rows do not stand for classes.
std::vector<Example> pick(const Problem& problem, const ContactSheetOptions& options,
                          Index per_class, Index classes, bool row_per_class) {
  std::vector<Example> examples;
  std::vector<Index> taken(static_cast<std::size_t>(classes));
  const auto width = problem.spec().inputs[0].width();
  // A class may be rare, but a person waits for the sheet: do not read the whole section.
  const auto end = std::min(problem.size(options.section), 100 * options.examples + 1000);
  Batch batch;
  for (Index row = 0; row < end && Index(examples.size()) < options.examples;) {
    std::vector<Index> rows;
    for (; row < end && rows.size() < 64; ++row)
      rows.push_back(row);
    problem.gather(options.section, rows, batch);
    const auto answers = options.answers ? options.answers(batch) : std::vector<Index>{};
    for (std::size_t i = 0; i < rows.size() && Index(examples.size()) < options.examples; ++i) {
      const Index label = classes > 0 ? batch.targets[0].classes[i] : -1;
      if (row_per_class && (label < 0 || taken[static_cast<std::size_t>(label)]++ >= per_class))
        continue;
      const auto* first = batch.inputs[0].values.data() + static_cast<Index>(i) * width;
      examples.push_back({label, answers.empty() ? -1 : answers[i], {first, first + width}});
    }
  }
  return examples;
}

/// The class, and to its right the answer; on a bright ground if it is wrong.
void write_answer(Picture& sheet, const Example& example, Index left, Index top, Index width) {
  const auto wrong = example.label >= 0 && example.answer != example.label;
  if (wrong)
    for (Index y = -1; y <= glyph_height; ++y)
      for (Index x = 0; x < width; ++x)
        sheet.pixels[static_cast<std::size_t>((top + y) * sheet.width + left + x)] = ink;
  const auto color = wrong ? paper : ink;
  if (example.label >= 0)
    write_number(sheet, example.label, left + 1, top, color);
  write_number(sheet, example.answer, left + width - 1 - text_width(example.answer), top, color);
}

Picture enlarge(const Picture& small, Index scale) {
  Picture large{.width = small.width * scale, .height = small.height * scale, .pixels = {}};
  large.pixels.resize(static_cast<std::size_t>(large.width * large.height));
  for (Index y = 0; y < large.height; ++y)
    for (Index x = 0; x < large.width; ++x)
      large.pixels[static_cast<std::size_t>(y * large.width + x)]
        = small.pixels[static_cast<std::size_t>(y / scale * small.width + x / scale)];
  return large;
}

} // namespace

Picture contact_sheet(const Problem& problem, const ContactSheetOptions& options) {
  const auto& spec = problem.spec();
  if (spec.inputs.empty() || spec.inputs[0].shape.size() != 3
      || spec.inputs[0].type != ElementType::float32)
    throw std::invalid_argument(
      problem.name() + " has no pictures to show: expected an input "
      + "float32 [any, height, width]"
      + (spec.inputs.empty() ? "" : ", found " + to_string(spec.inputs[0])));
  if (options.examples < 1 || options.examples > 10000 || options.scale < 1 || options.scale > 16)
    throw std::invalid_argument(
      "a contact sheet shows 1 to 10000 examples, 1 to 16 times enlarged");
  const auto height = spec.inputs[0].shape[1], width = spec.inputs[0].shape[2];
  const auto classes = classes_of(spec);
  if (options.answers && classes == 0)
    throw std::invalid_argument(problem.name() + " has no classes, so there are no answers");
  const auto row_per_class = classes > 0 && classes <= most_rows && !options.answers;
  // Two numbers may be wider than a small picture.
  const auto place = options.answers ? std::max(width, 2 * text_width(classes - 1) + 4) : width;

  const auto columns = row_per_class ? (options.examples + classes - 1) / classes
                                     : Index(std::ceil(std::sqrt(double(options.examples))));
  const auto examples = pick(problem, options, columns, classes, row_per_class);
  if (examples.empty())
    throw std::invalid_argument(
      "the " + to_string(options.section) + " section of " + problem.name()
      + (problem.size(options.section) == 0 ? " is empty; show another"
                                            : " begins with examples whose classes are all masked; "
                                              "show another, or examples with classes"));
  const auto rows = row_per_class ? classes : (Index(examples.size()) + columns - 1) / columns;

  const auto left = row_per_class ? text_width(classes - 1) + 2 : 0; // space for the labels
  const auto below = classes > 0 && !row_per_class ? glyph_height + 2 : 0;
  Picture sheet{.width = left + columns * (place + 1) + 1,
                .height = std::max(rows * (height + below + 1) + 1, glyph_height + 2),
                .pixels = {}};
  if (sheet.width * sheet.height > (Index{1} << 28) / (options.scale * options.scale))
    throw std::invalid_argument("a contact sheet of " + std::to_string(examples.size()) + " times "
                                + to_string(spec.inputs[0]) + " is too large; show fewer examples");
  sheet.pixels.assign(static_cast<std::size_t>(sheet.width * sheet.height), paper);

  auto black = 0.f, white = 1.f;
  for (const auto& example : examples)
    for (auto value : example.values) {
      if (!std::isfinite(value))
        continue;
      black = std::min(black, value);
      white = std::max(white, value);
    }
  std::vector<Index> used(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto row = row_per_class ? examples[i].label : Index(i) / columns;
    const auto x0 = left + 1 + used[static_cast<std::size_t>(row)]++ * (place + 1);
    const auto y0 = 1 + row * (height + below + 1);
    for (Index y = 0; y < height; ++y)
      for (Index x = 0; x < width; ++x) {
        const auto value = examples[i].values[static_cast<std::size_t>(y * width + x)];
        sheet.pixels[static_cast<std::size_t>((y0 + y) * sheet.width + x0 + x)]
          = std::isfinite(value)
              ? static_cast<std::uint8_t>(255 * ((value - black) / (white - black)) + .5f)
              : paper;
      }
    if (options.answers)
      write_answer(sheet, examples[i], x0, y0 + height + 1, place);
    else if (below > 0 && examples[i].label >= 0 && text_width(examples[i].label) <= width)
      write_number(sheet, examples[i].label, x0, y0 + height + 1);
  }
  if (row_per_class)
    for (Index c = 0; c < classes; ++c) {
      const auto top = 1 + c * (height + 1) + std::max<Index>(height - glyph_height, 0) / 2;
      if (top + glyph_height <= sheet.height)
        write_number(sheet, c, 1 + text_width(classes - 1) - text_width(c), top);
    }
  return enlarge(sheet, options.scale);
}

} // namespace troupe
