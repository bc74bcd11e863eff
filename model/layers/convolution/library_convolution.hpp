#pragma once

#include "model/layers/convolution/windows.hpp"
#include "model/tensor/buffer.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace troupe {

/// The three computations of a convolution.
enum class ConvolutionPass : std::uint8_t { forward, backward_parameters, backward_input };

/// True if the library of the build computes a pass faster than direct_convolution.hpp; bench/
/// README.md has the times. Depends on the shape and the target processor only, so that a repeated
/// run gives the same bits.
bool worth_library_convolution(const Windows& windows, Index outputs, ConvolutionPass pass);

/// The arithmetic of a convolution, by oneDNN's primitives. The images stay as they are, only
/// weights are reordered. Keeps memory for the weights; computes on the calling thread alone.
///
///   x  [images, height, width, channels]        W  [windows.columns(), outputs]
///   y  [images, windows.positions(), outputs]   b  [outputs]
class LibraryConvolution {
public:
  LibraryConvolution() = default;
  LibraryConvolution(const Windows& windows, Index outputs)
    : windows_(windows),
      outputs_(outputs) {}

  /// As DirectConvolution's, which see.
  /// @pre worth_library_convolution() for this pass
  void forward(const float* w, const float* b, std::span<const float> x, float* y);
  /// @pre as above
  void backward_parameters(std::span<const float> x, const float* dy, float* dw, float* db);
  /// @pre as above
  void backward_input(const float* w, const float* dy, std::span<float> dx);

private:
  struct Prepared;

  std::shared_ptr<const Prepared> prepare(ConvolutionPass pass, std::size_t numbers);

  Windows windows_;
  Index outputs_ = 0;
  /// For each pass, for the number of images of its last call. They do not change, so copies of
  /// this object share them.
  std::array<std::shared_ptr<const Prepared>, 3> prepared_;
  Buffer<float> weights_;    ///< in the library's order
  Buffer<float> scratchpad_; ///< of the library
};

} // namespace troupe
