#include "messages/checkpoint/foreign_file.hpp"

namespace troupe {

namespace {

constexpr std::string_view take_parameters = "; save its parameters with numpy.savez as "
                                             "docs/how-to/exchange.md shows, and give that .npz to "
                                             "extensions.load";

bool is_safetensors(std::string_view bytes) {
  return bytes.size() > 8 && bytes[8] == '{'
         && bytes.substr(4, 4) == std::string_view{"\0\0\0\0", 4};
}

} // namespace

std::string foreign_file(std::string_view bytes) {
  const auto parameters = [](std::string_view what) {
    return "it is " + std::string{what} + std::string{take_parameters};
  };
  if (bytes.starts_with("PK\x03\x04"))
    return bytes.find("data.pkl") != bytes.npos
             ? parameters("what torch.save writes")
             : "it is a ZIP archive; if it contains NumPy arrays, let its name end in .npz";
  if (bytes.starts_with("\x80\x02") || bytes.starts_with("\x80\x04"))
    return parameters("a Python pickle, as old versions of torch.save write it");
  if (bytes.starts_with("\x89HDF"))
    return parameters("an HDF5 file, as Keras writes it");
  if (bytes.starts_with("\x93NUMPY"))
    return parameters("a single NumPy array");
  if (is_safetensors(bytes))
    return "it looks like a safetensors file; let its name end in .safetensors";
  return "";
}

} // namespace troupe
