// Finds the tensors of a module.
#pragma once

#include "model/torch/torch_module.hpp"

#include <torch/script.h>

#include <optional>
#include <string>
#include <vector>

namespace troupe {

using Object = c10::intrusive_ptr<c10::ivalue::Object>;

/// An attribute of a module or one of its submodules that holds a tensor, or a list of tensors,
/// like the one through which recurrent layers read their weights.
struct Slot {
  Object owner;
  std::size_t index = 0;
  std::optional<std::size_t> element = {}; ///< in the list

  at::Tensor tensor() const;
  void put(const at::Tensor& tensor) const;
};

/// A tensor by the name of the first slot that holds it; tied parameters have several.
struct ModuleTensor {
  std::string name;
  bool parameter = false;
  std::vector<Slot> slots;

  at::Tensor tensor() const { return slots.front().tensor(); }
  void put(const at::Tensor& tensor) const {
    for (const auto& slot : slots)
      slot.put(tensor);
  }
};

/// All tensors of a module, depth first, parameters before others.
std::vector<ModuleTensor> tensors_in(const torch::jit::Module& module);

/// A file records which tensors share memory, not which are identical. Tensors in the same place
/// become identical again (tied weights), and those that overlap otherwise get their own memory.
void resolve_aliases(const torch::jit::Module& module);

/// @param path of the module
/// @throws DataError if a dictionary or tuple also holds a parameter, which would not be trained
void check_hidden_parameters(const torch::jit::Module& module, const std::string& path);

/// True for tensors that belong into the block: parameters, buffers of numbers, and counters such
/// as num_batches_tracked. Masks and tables of integers stay in the module.
bool belongs_in_block(const ModuleTensor& place);

/// Describes a tensor in the block to the model.
/// @param path of the module
/// @throws DataError for numbers other than float32
TorchTensor description_of(const ModuleTensor& place, const std::string& path);

} // namespace troupe
