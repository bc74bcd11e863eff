#include "cuda/product.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

void check_product(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string{"cuBLASLt failed while "} + what + ": "
                      + cublasLtGetStatusString(status));
}

cublasComputeType_t compute_type(Precision precision) {
  switch (precision) {
  case Precision::float32: return CUBLAS_COMPUTE_32F;
  case Precision::tf32: return CUBLAS_COMPUTE_32F_FAST_TF32;
  case Precision::bfloat16: return CUBLAS_COMPUTE_32F_FAST_16BF;
  }
  return CUBLAS_COMPUTE_32F;
}

cublasLtEpilogue_t epilogue_of(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::none: return CUBLASLT_EPILOGUE_DEFAULT;
  case Epilogue::bias: return CUBLASLT_EPILOGUE_BIAS;
  case Epilogue::bias_relu: return CUBLASLT_EPILOGUE_RELU_BIAS;
  case Epilogue::column_sums: return CUBLASLT_EPILOGUE_BGRADA;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

/// The largest power of two up to 256 that divides the address.
std::uint32_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | 256;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

cublasLtMatrixLayout_t new_layout(Index rows, Index columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  check_product(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, static_cast<std::uint64_t>(rows),
                                           static_cast<std::uint64_t>(columns), rows),
                "describing a matrix");
  return layout;
}

template <class Value>
void set_option(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t name,
                const Value& value) {
  check_product(cublasLtMatmulDescSetAttribute(desc, name, &value, sizeof value),
                "describing a product");
}

template <class Value>
void set_option(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t name,
                const Value& value) {
  check_product(cublasLtMatmulPreferenceSetAttribute(preference, name, &value, sizeof value),
                "describing a choice of kernels");
}

} // namespace

ProductLibrary::ProductLibrary() { check_product(cublasLtCreate(&handle_), "starting"); }

ProductLibrary::~ProductLibrary() { static_cast<void>(cublasLtDestroy(handle_)); }

// cuBLASLt's matrices are column-major: what lies in memory as c, row-major, is its transpose, and
// c' = b' a'. So b is its first factor, and the bias of a column of c is one of a row of c'.
CardProduct::CardProduct(const ProductLibrary& library, const ProductOp& op, Precision precision,
                         const float* a, const float* b, float* c, float* bias)
  : handle_(library.handle()),
    op_(op),
    a_(a),
    b_(b),
    c_(c),
    bias_(bias) {
  check_product(cublasLtMatmulDescCreate(&desc_, compute_type(precision), CUDA_R_32F),
                "describing a product");
  const auto turned = [](bool yes) { return yes ? CUBLAS_OP_T : CUBLAS_OP_N; };
  set_option(desc_, CUBLASLT_MATMUL_DESC_TRANSA, turned(op.b_transposed));
  set_option(desc_, CUBLASLT_MATMUL_DESC_TRANSB, turned(op.a_transposed));
  left_ = op.b_transposed ? new_layout(op.k, op.n) : new_layout(op.n, op.k);
  right_ = op.a_transposed ? new_layout(op.m, op.k) : new_layout(op.k, op.m);
  result_ = new_layout(op.n, op.m);
  if (choose(epilogue_of(op.epilogue)))
    return;
  epilogue_left_ = true;
  if (!choose(CUBLASLT_EPILOGUE_DEFAULT))
    throw DeviceError("cuBLASLt has no kernel for a product of " + std::to_string(op.m) + " x "
                      + std::to_string(op.k) + " by " + std::to_string(op.k) + " x "
                      + std::to_string(op.n));
}

bool CardProduct::choose(cublasLtEpilogue_t epilogue) {
  set_option(desc_, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  const void* bias = epilogue == CUBLASLT_EPILOGUE_DEFAULT ? nullptr : bias_;
  set_option(desc_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  cublasLtMatmulPreference_t preference = nullptr;
  check_product(cublasLtMatmulPreferenceCreate(&preference), "describing a choice of kernels");
  set_option(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
             std::uint64_t{ProductScratch::bytes});
  set_option(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(b_));
  set_option(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(a_));
  set_option(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(c_));
  set_option(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(c_));
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const auto status = cublasLtMatmulAlgoGetHeuristic(handle_, desc_, left_, right_, result_,
                                                     result_, preference, 1, &found, &count);
  static_cast<void>(cublasLtMatmulPreferenceDestroy(preference));
  if (status != CUBLAS_STATUS_SUCCESS || count == 0)
    return false;
  algorithm_ = found.algo;
  return true;
}

CardProduct::CardProduct(CardProduct&& other) noexcept
  : handle_(other.handle_),
    op_(other.op_),
    a_(other.a_),
    b_(other.b_),
    c_(other.c_),
    bias_(other.bias_),
    epilogue_left_(other.epilogue_left_),
    desc_(std::exchange(other.desc_, nullptr)),
    left_(std::exchange(other.left_, nullptr)),
    right_(std::exchange(other.right_, nullptr)),
    result_(std::exchange(other.result_, nullptr)),
    algorithm_(other.algorithm_) {}

CardProduct::~CardProduct() {
  for (auto* layout : {left_, right_, result_})
    if (layout != nullptr)
      static_cast<void>(cublasLtMatrixLayoutDestroy(layout));
  if (desc_ != nullptr)
    static_cast<void>(cublasLtMatmulDescDestroy(desc_));
}

void CardProduct::launch(cudaStream_t stream, const ProductScratch& scratch) const {
  const float one = 1, zero = 0;
  check_product(cublasLtMatmul(handle_, desc_, &one, b_, left_, a_, right_, &zero, c_, result_, c_,
                               result_, &algorithm_, scratch.memory(), ProductScratch::bytes,
                               stream),
                "computing a product");
}

} // namespace troupe
