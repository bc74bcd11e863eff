// A TorchScript module, as a model sees it. libtorch stands behind this in a library of its own
// (torch/), which is loaded where a configuration names a module: a program that trains something
// else neither needs libtorch nor waits for it to be loaded.
#pragma once

#include "model/tensor/layout.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe {

/// One of the module's tensors that lie in the block, in the block's order: its parameters, then
/// its buffers.
struct TorchTensor {
  std::string name; ///< as in its state_dict, "fc1.weight"
  Shape shape;      ///< as in PyTorch, [outputs, inputs]; of a single number [1]
  ParameterRole role = ParameterRole::trained; ///< frozen without requires_grad; a buffer is a
                                               ///< statistic
};

/// What a module is called with.
struct TorchInput {
  std::span<const float> values; ///< row-major
  Shape shape;                   ///< the first size is the batch's
  bool whole = false;            ///< whole numbers, such as tokens: the module gets int64
};

/// What a module made of it.
struct TorchOutput {
  std::span<const float> values; ///< row-major; valid until the module's next call
  Shape shape;
};

/// A module's forward has failed; the text is the interpreter's, with its tracebacks.
class TorchError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A module with the memory of one pass: it serves one thread at a time. Reads its parameters where
/// they lie in the block, and keeps none of its own.
class TorchModule {
public:
  virtual ~TorchModule() = default;

  virtual std::string name() const = 0; ///< of its class, "Net"
  virtual const std::vector<TorchTensor>& tensors() const = 0;

  /// Writes the values that the file has; `block` has room for all tensors, one after the other.
  virtual void copy_values(std::span<float> block) const = 0;

  /// Computes no gradient for this one any more.
  virtual void freeze(std::size_t tensor) = 0;

  /// What it puts out in its eval mode.
  /// @throws TorchError where its forward fails or gives no tensor of float32.
  virtual TorchOutput predict(std::span<const float> block, const TorchInput& input) = 0;

  /// The same in its train mode, for backward() to follow.
  /// @param seed of what it draws (dropout): the same one draws the same
  virtual TorchOutput train(std::span<const float> block, const TorchInput& input,
                            std::uint64_t seed)
    = 0;

  /// Writes all of `gradient`: what belongs to the trained parameters, 0 for frozen ones, and by
  /// how much train() changed each buffer.
  /// @throws TorchError where autograd fails.
  /// @param slopes the loss's gradient with respect to what train() put out, as long as that
  virtual void backward(std::span<const float> slopes, std::span<float> gradient) = 0;

  virtual std::unique_ptr<TorchModule> clone() const = 0;
};

/// What the library of libtorch takes from the program.
struct TorchHost {
  void* (*allocate)(std::size_t bytes);                      ///< aligned to 64 bytes
  void (*release)(void* memory, std::size_t bytes) noexcept; ///< what `allocate` gave
};

/// The library, as the dynamic loader looks for it, and the function that it exports: the module in
/// a file, for which the caller deletes. The number changes with anything above.
inline constexpr const char* torch_library = "libtroupe_torch.so";
inline constexpr const char* torch_entry = "troupe_torch_module_1";
using TorchEntry = TorchModule* (*)(const char* path, const TorchHost& host);

/// Loads the library where it is not there yet, and the module in a file that `torch.jit.save`
/// wrote, of at most 4 GiB.
/// @throws std::invalid_argument where the program has no such library; FileError, DataError for
/// the file.
std::unique_ptr<TorchModule> load_torch_module(const std::string& path);

} // namespace troupe
