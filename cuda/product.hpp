#pragma once

#include "cuda/card_memory.hpp"

#include <cublasLt.h>

namespace troupe {

/// A handle of cuBLASLt, and memory for the kernels of one stream.
class ProductScratch {
public:
  static constexpr std::size_t bytes = std::size_t{32} << 20;

  void* memory() const { return memory_.data(); }

private:
  CardArray<std::byte> memory_{bytes};
};

/// The library's handle.
class ProductLibrary {
public:
  ProductLibrary();
  ~ProductLibrary();
  ProductLibrary(const ProductLibrary&) = delete;
  ProductLibrary& operator=(const ProductLibrary&) = delete;
  cublasLtHandle_t handle() const { return handle_; }

private:
  cublasLtHandle_t handle_ = nullptr;
};

/// A product of a step whose kernel is chosen: by cuBLASLt's heuristic, so that the same card and
/// library always choose the same. Where it has none with the epilogue, `epilogue_left()` says so,
/// and the caller computes it.
class CardProduct {
public:
  /// @param alignment bytes by which all addresses can be divided, at most 256
  CardProduct(const ProductLibrary& library, const ProductOp& op, Precision precision,
              const float* a, const float* b, float* c, float* bias);
  ~CardProduct();
  CardProduct(CardProduct&& other) noexcept;
  CardProduct& operator=(CardProduct&&) = delete;

  void launch(cudaStream_t stream, const ProductScratch& scratch) const;
  bool epilogue_left() const { return epilogue_left_; }
  const ProductOp& op() const { return op_; }
  const float* b() const { return b_; }
  float* c() const { return c_; }
  float* bias() const { return bias_; }

private:
  bool choose(cublasLtEpilogue_t epilogue);

  cublasLtHandle_t handle_;
  ProductOp op_;
  const float *a_, *b_;
  float *c_, *bias_;
  bool epilogue_left_ = false;
  cublasLtMatmulDesc_t desc_ = nullptr;
  cublasLtMatrixLayout_t left_ = nullptr, right_ = nullptr, result_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

} // namespace troupe
