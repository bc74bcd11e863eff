// Where a module has its tensors.
#pragma once

#include "model/torch/torch_module.hpp"

#include <torch/script.h>

#include <optional>
#include <string>
#include <vector>

namespace troupe {

using Object = c10::intrusive_ptr<c10::ivalue::Object>;

/// An attribute of a module or one of its submodules that holds a tensor, or a list of them, as
/// the one through which recurrent layers read their weights.
struct Slot {
  Object owner;
  std::size_t index = 0;
  std::optional<std::size_t> element = {}; ///< of the list

  at::Tensor tensor() const;
  void put(const at::Tensor& tensor) const;
};

/// A tensor by the name of the first slot that holds it; tied parameters have several.
struct Place {
  std::string name;
  bool parameter = false;
  std::vector<Slot> slots;

  at::Tensor tensor() const { return slots.front().tensor(); }
  void put(const at::Tensor& tensor) const {
    for (const auto& slot : slots)
      slot.put(tensor);
  }
};

/// All tensors of a module, depth first, its parameters before its other ones.
std::vector<Place> places_in(const torch::jit::Module& module);

/// A file keeps which tensors share memory, not which are the same: those that lie in one place
/// become the same again (tied weights), and those that overlap otherwise get memory of their own.
void untangle(const torch::jit::Module& module);

/// @param path of the module
/// @throws DataError where a dictionary or tuple holds a parameter, too, which would stay behind.
void check_hidden(const torch::jit::Module& module, const std::string& path);

/// Whether it lies in the block: parameters, buffers of numbers, and counters such as
/// num_batches_tracked. Masks and tables of whole numbers are part of the module.
bool lies_in_block(const Place& place);

/// What the model gets to know of a tensor in the block.
/// @param path of the module
/// @throws DataError for other numbers than float32.
TorchTensor description_of(const Place& place, const std::string& path);

} // namespace troupe
