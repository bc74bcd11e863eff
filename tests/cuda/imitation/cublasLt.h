// cuBLASLt's products as its documentation defines them: column-major, D = op(A) op(B), the bias one
// number for each row of D, and BGRADA the sums of op(A) over its columns. With
// TROUPE_IMITATED_EPILOGUES=none there are no kernels with an epilogue.
#pragma once

#include "cuda_runtime.h"

#include <string>

enum cublasStatus_t { CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_SUPPORTED };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_32F,
  CUBLAS_COMPUTE_32F_FAST_TF32,
  CUBLAS_COMPUTE_32F_FAST_16BF
};
enum cudaDataType_t { CUDA_R_32F };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasLtEpilogue_t {
  CUBLASLT_EPILOGUE_DEFAULT,
  CUBLASLT_EPILOGUE_BIAS,
  CUBLASLT_EPILOGUE_RELU_BIAS,
  CUBLASLT_EPILOGUE_BGRADA
};
enum cublasLtMatmulDescAttributes_t {
  CUBLASLT_MATMUL_DESC_TRANSA,
  CUBLASLT_MATMUL_DESC_TRANSB,
  CUBLASLT_MATMUL_DESC_EPILOGUE,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER
};
enum cublasLtMatmulPreferenceAttributes_t {
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES
};

struct ImitatedProduct {
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  float* bias = nullptr;
};
struct ImitatedMatrix {
  std::uint64_t rows, columns;
  std::int64_t stride;
};
struct ImitatedChoice {};
struct ImitatedHandle {};
using cublasLtHandle_t = ImitatedHandle*;
using cublasLtMatmulDesc_t = ImitatedProduct*;
using cublasLtMatrixLayout_t = ImitatedMatrix*;
using cublasLtMatmulPreference_t = ImitatedChoice*;
struct cublasLtMatmulAlgo_t {};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
};

inline const char* cublasLtGetStatusString(cublasStatus_t) { return "not supported"; }
inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = new ImitatedHandle;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* to, cudaDataType_t,
                                                 std::uint64_t rows, std::uint64_t columns,
                                                 std::int64_t stride) {
  *to = new ImitatedMatrix{rows, columns, stride};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* to, cublasComputeType_t,
                                               cudaDataType_t) {
  *to = new ImitatedProduct;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                                     cublasLtMatmulDescAttributes_t name,
                                                     const void* value, std::size_t bytes) {
  switch (name) {
  case CUBLASLT_MATMUL_DESC_TRANSA: std::memcpy(&desc->a, value, bytes); break;
  case CUBLASLT_MATMUL_DESC_TRANSB: std::memcpy(&desc->b, value, bytes); break;
  case CUBLASLT_MATMUL_DESC_EPILOGUE: std::memcpy(&desc->epilogue, value, bytes); break;
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER: std::memcpy(&desc->bias, value, bytes); break;
  }
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* to) {
  *to = new ImitatedChoice;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t choice) {
  delete choice;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                           cublasLtMatmulPreferenceAttributes_t,
                                                           const void*, std::size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t,
                               cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                               cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,
                               cublasLtMatmulHeuristicResult_t*, int* count) {
  const auto* given = std::getenv("TROUPE_IMITATED_EPILOGUES");
  const auto none = given != nullptr && std::string{given} == "none";
  *count = none && desc->epilogue != CUBLASLT_EPILOGUE_DEFAULT ? 0 : 1;
  return *count == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void* one,
                                     const void* a, cublasLtMatrixLayout_t la, const void* b,
                                     cublasLtMatrixLayout_t lb, const void* zero, const void*,
                                     cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t ld,
                                     const cublasLtMatmulAlgo_t*, void*, std::size_t,
                                     cudaStream_t) {
  if (*static_cast<const float*>(one) != 1 || *static_cast<const float*>(zero) != 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto k = desc->a == CUBLAS_OP_N ? la->columns : la->rows;
  const auto fits = (desc->a == CUBLAS_OP_N ? la->rows : la->columns) == ld->rows
                    && (desc->b == CUBLAS_OP_N ? lb->columns : lb->rows) == ld->columns
                    && (desc->b == CUBLAS_OP_N ? lb->rows : lb->columns) == k;
  if (!fits)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  imitation::carry_out([product = *desc, la = *la, lb = *lb, ld = *ld, k,
                        a = static_cast<const float*>(a), b = static_cast<const float*>(b),
                        d = static_cast<float*>(d)] {
    const auto at = [](const float* x, const ImitatedMatrix& m, cublasOperation_t op,
                       std::uint64_t row, std::uint64_t column) {
      const auto stride = static_cast<std::uint64_t>(m.stride);
      return op == CUBLAS_OP_N ? x[row + column * stride] : x[column + row * stride];
    };
    for (std::uint64_t i = 0; i < ld.rows; ++i) {
      for (std::uint64_t j = 0; j < ld.columns; ++j) {
        float sum = 0;
        for (std::uint64_t l = 0; l < k; ++l)
          sum += at(a, la, product.a, i, l) * at(b, lb, product.b, l, j);
        if (product.epilogue == CUBLASLT_EPILOGUE_BIAS
            || product.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS)
          sum += product.bias[i];
        if (product.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS && sum < 0)
          sum = 0;
        d[i + j * static_cast<std::uint64_t>(ld.stride)] = sum;
      }
      if (product.epilogue == CUBLASLT_EPILOGUE_BGRADA) {
        product.bias[i] = 0;
        for (std::uint64_t l = 0; l < k; ++l)
          product.bias[i] += at(a, la, product.a, i, l);
      }
    }
  });
  return CUBLAS_STATUS_SUCCESS;
}
