// The interface between a model and a TorchScript module. libtorch is behind it in a library of its
// own (torch/), loaded where a configuration names a module: a program that trains another model
// neither needs libtorch nor waits for it to load.
#pragma once

#include "model/tensor/layout.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe {

/// One of the module's tensors in the block, in the block's order: parameters, then buffers.
struct TorchTensor {
  std::string name; ///< as in its state_dict, "fc1.weight"
  Shape shape;      ///< as in PyTorch, [outputs, inputs]; of a single number [1]
  ParameterRole role = ParameterRole::trained; ///< frozen without requires_grad; a buffer is a
                                               ///< statistic
};

/// The input of a module.
struct TorchInput {
  std::span<const float> values; ///< row-major
  Shape shape;                   ///< the first size is the batch's
  bool whole = false;            ///< integers, such as tokens: the module gets int64
};

/// The output of a module.
struct TorchOutput {
  std::span<const float> values; ///< row-major; valid until the module's next call
  Shape shape;
};

/// A module's forward has failed; the text is the interpreter's, with its tracebacks.
class TorchError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A module with the memory for one pass; use it from one thread at a time. It reads its parameters
/// in the block and keeps no copy.
class TorchModule {
public:
  virtual ~TorchModule() = default;

  virtual std::string name() const = 0; ///< of its class, "Net"
  virtual const std::vector<TorchTensor>& tensors() const = 0;

  /// Writes the values in the file; `block` has room for all tensors in order.
  virtual void copy_values(std::span<float> block) const = 0;

  /// Stops computing a gradient for this tensor.
  virtual void freeze(std::size_t tensor) = 0;

  /// The output in eval mode.
  /// @throws TorchError if forward fails or does not return a tensor of float32
  virtual TorchOutput predict(std::span<const float> block, const TorchInput& input) = 0;

  /// The output in train mode; backward() follows.
  /// @param seed of its random numbers (dropout): the same seed draws the same numbers
  virtual TorchOutput train(std::span<const float> block, const TorchInput& input,
                            std::uint64_t seed)
    = 0;

  /// Writes all of `gradient`: that of the trained parameters, 0 for frozen ones, and for each
  /// buffer the change that train() made.
  /// @param output_gradient the gradient of the loss w.r.t. the output of train(), as long as that
  /// @throws TorchError if autograd fails
  virtual void backward(std::span<const float> output_gradient, std::span<float> gradient) = 0;

  virtual std::unique_ptr<TorchModule> clone() const = 0;
};

/// Memory that the libtorch library takes from the program.
struct TorchHost {
  void* (*allocate)(std::size_t bytes);                      ///< aligned to 64 bytes
  void (*release)(void* memory, std::size_t bytes) noexcept; ///< memory from `allocate`
};

/// The name of the library for the dynamic loader, and its exported function: it loads the module
/// in a file, and the caller deletes it. Increase the number with any change to the declarations
/// above.
inline constexpr const char* torch_library = "libtroupe_torch.so";
inline constexpr const char* torch_entry = "troupe_torch_module_1";
using TorchEntry = TorchModule* (*)(const char* path, const TorchHost& host);

/// Loads the library if necessary, and the module in a file of at most 4 GiB that
/// `torch.jit.save` wrote.
/// @throws std::invalid_argument if the program has no such library; IoError, DataError for
///         the file
std::unique_ptr<TorchModule> load_torch_module(const std::string& path);

} // namespace troupe
