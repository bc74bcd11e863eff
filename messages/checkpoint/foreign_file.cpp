#include "messages/checkpoint/foreign_file.hpp"

namespace troupe {

namespace {

constexpr std::string_view take_parameters
  = "; save its parameters with numpy.savez as docs/how-to/exchange.md shows, and give that .npz to "
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
             : "it is a ZIP archive; where it holds NumPy's arrays, let its name end in .npz";
  if (bytes.starts_with("\x80\x02") || bytes.starts_with("\x80\x04"))
    return parameters("a pickle of Python, as old versions of torch.save write");
  if (bytes.starts_with("\x89HDF"))
    return parameters("HDF5, as Keras writes");
  if (bytes.starts_with("\x93NUMPY"))
    return parameters("one array of NumPy");
  if (is_safetensors(bytes))
    return "it looks like safetensors; let its name end in .safetensors";
  return "";
}

} // namespace troupe
