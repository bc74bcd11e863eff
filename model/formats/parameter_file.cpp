#include "model/formats/parameter_file.hpp"

#include "model/formats/npz.hpp"
#include "model/formats/safetensors.hpp"

namespace troupe {

bool is_parameter_file(const std::string& path) {
  return path.ends_with(".safetensors") || path.ends_with(".npz");
}

NamedParameters read_parameter_file(const std::string& path) {
  return path.ends_with(".npz") ? read_npz(path) : read_safetensors(path);
}

} // namespace troupe
