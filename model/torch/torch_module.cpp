#include "troupe/model/torch/torch_module.hpp"

#include "troupe/model/buffer.hpp"
#include "troupe/model/problems/data_error.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace troupe {

namespace {

/// @throws std::invalid_argument where there is no library that fits.
TorchEntry torch_entry_point() {
  // Never closed: libtorch's threads and registries do not outlive their code.
  static void* const library = dlopen(torch_library, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw std::invalid_argument(
      "this program is built without libtorch, which a TorchScript module needs; install "
      "libtorch-dev, configure with -DTROUPE_TORCH=ON and build (docs/torch.md)");
  auto* const entry = dlsym(library, torch_entry);
  if (entry == nullptr)
    throw std::invalid_argument(std::string{torch_library}
                                + " is of another version than this program; build both anew");
  return reinterpret_cast<TorchEntry>(entry);
}

} // namespace

std::unique_ptr<TorchModule> load_torch_module(const std::string& path) {
  const auto load = torch_entry_point();
  errno = 0;
  if (std::ifstream file{path}; file.peek() == std::ifstream::traits_type::eof())
    throw FileError("cannot read the module '" + path
                    + "': " + (errno != 0 ? std::strerror(errno) : "it is empty")
                    + "; give the file that torch.jit.save wrote");
  return std::unique_ptr<TorchModule>{load(path.c_str(), {allocate_aligned, free_aligned})};
}

} // namespace troupe
