#include "extensions/monitoring/sample_sheet.hpp"

#include "base/files/durable_file.hpp"
#include "model/data/images/contact_sheet.hpp"
#include "model/tensor/compute_scope.hpp"
#include "model/training/samples_text.hpp"

namespace troupe {

namespace {

/// Whether the examples are grey pictures with one class each.
bool has_pictures(const DataSpec& spec) {
  return spec.inputs[0].shape.size() == 3 && spec.inputs[0].type == ElementType::float32
         && spec.targets.size() == 1 && spec.targets[0].classes > 0 && spec.targets[0].width() == 1
         && !spec.targets[0].masked;
}

} // namespace

std::filesystem::path write_samples(std::filesystem::path stem, const SampleSheet& sheet) {
  ComputeScope scope;
  const auto& spec = sheet.problem.spec();
  if (has_pictures(spec)) {
    ContactSheetOptions options{sheet.section, sheet.examples, sheet.scale, {}};
    options.answers = [&](const Batch& examples) {
      return predicted_classes(sheet.model.forward(sheet.parameters, examples),
                               spec.targets[0].classes);
    };
    stem += ".png";
    write_png(stem.string(), contact_sheet(sheet.problem, options));
  } else {
    stem += ".txt";
    write_file(stem, samples_text(sheet.problem, sheet.model, sheet.parameters, sheet.section,
                                  sheet.examples));
  }
  return stem;
}

} // namespace troupe
