#include "model/formats/npy_writer.hpp"

namespace troupe {

std::string npy_header(const Shape& shape) {
  std::string sizes;
  for (const auto size : shape)
    sizes += std::to_string(size) + ", ";
  if (shape.size() > 1)
    sizes.erase(sizes.size() - 2); // a single size keeps its comma, which makes it a Python tuple
  auto text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + sizes + "), }";
  constexpr std::size_t before = 10, multiple = 64;
  const auto end = (before + text.size() + 1 + multiple - 1) / multiple * multiple;
  text.resize(end - before, ' ');
  text.back() = '\n';
  std::string header{"\x93NUMPY\x01\x00", 8};
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

} // namespace troupe
