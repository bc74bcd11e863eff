#include "extensions/saving/loaded_parameters.hpp"

#include "messages/checkpoint/found_run.hpp"
#include "model/formats/parameter_file.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

/// A parameter file of another program, as a run with only parameters.
SavedRun run_of_file(const std::string& path) {
  auto file = read_parameter_file(path);
  SavedTrainer trainer;
  trainer.layout = std::move(file.layout);
  trainer.parameters.values = std::move(file.values);
  SavedRun run;
  run.trainers.push_back(std::move(trainer));
  return run;
}

/// A hint for transposed weights of another program.
std::string shape_hint(Shape there, const Shape& here) {
  std::reverse(there.begin(), there.end());
  return there == here ? "; transpose it: weights here are stored as [inputs, outputs]" : "";
}

} // namespace

FoundRun run_to_load(const std::string& path, const CheckpointNames& checkpoints) {
  if (is_parameter_file(path))
    return {path, run_of_file(path), {}};
  return checkpoints ? run_at(path, checkpoints(path)) : run_at(path);
}

LoadedParameters load_by_name(const Layout& layout, Block target, const Layout& saved_layout,
                              const Block& saved) {
  LoadedParameters result{std::move(target), {}, {}};
  for (const auto& parameter : layout.parameters()) {
    const auto* other = saved_layout.find(parameter.name);
    if (other == nullptr) {
      result.missing.push_back(parameter.name);
      continue;
    }
    if (other->shape != parameter.shape)
      throw std::invalid_argument(
        "parameter '" + parameter.name + "' has shape " + to_string(other->shape) + " there and "
        + to_string(parameter.shape) + " here" + shape_hint(other->shape, parameter.shape));
    const auto from = saved.view().subspan(static_cast<std::size_t>(other->offset),
                                           static_cast<std::size_t>(other->size()));
    std::copy(from.begin(), from.end(), result.values.edit().begin() + parameter.offset);
  }
  for (const auto& other : saved_layout.parameters())
    if (layout.find(other.name) == nullptr)
      result.unknown.push_back(other.name);
  return result;
}

} // namespace troupe
