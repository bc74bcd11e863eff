#include "model/torch/torch_module.hpp"

#include "model/formats/data_file.hpp"
#include "model/formats/zip_member.hpp"
#include "model/tensor/buffer.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace troupe {

namespace {

/// @throws std::invalid_argument if there is no matching library
TorchEntry torch_entry_point() {
  // Never closed: libtorch's threads and registries must not outlive their code.
  static void* const library = dlopen(torch_library, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw std::invalid_argument(
      "this program is built without libtorch, which a TorchScript module needs; install "
      "libtorch-dev, configure with -DTROUPE_TORCH=ON and build (docs/how-to/torch.md)");
  auto* const entry = dlsym(library, torch_entry);
  if (entry == nullptr)
    throw std::invalid_argument(std::string{torch_library}
                                + " has another version than this program; rebuild both");
  return reinterpret_cast<TorchEntry>(entry);
}

/// libtorch checks no checksums, and a damaged file may crash the program.
void check_archive(const std::string& path) {
  constexpr auto most_bytes = std::uint64_t{1} << 32; // of an archive without ZIP64
  const auto bytes = read_text(path, most_bytes);
  for (const auto& member : zip_directory(bytes, path))
    unpack(bytes, member, path);
}

} // namespace

std::unique_ptr<TorchModule> load_torch_module(const std::string& path) {
  const auto load = torch_entry_point();
  check_archive(path);
  return std::unique_ptr<TorchModule>{load(path.c_str(), {allocate_aligned, free_aligned})};
}

} // namespace troupe
