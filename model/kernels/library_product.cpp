#include "model/kernels/library_product.hpp"

#if defined(TROUPE_PRODUCT_DNNL)
#include "model/kernels/library_threads.hpp"

#include <oneapi/dnnl/dnnl.h>
#elif defined(TROUPE_PRODUCT_OPENBLAS)
#include <cblas.h>
extern "C" void openblas_set_num_threads(int);
extern "C" char* openblas_get_config(void);
#else
#include <Eigen/Core>
#endif

#include <cassert>

namespace troupe {

#if defined(TROUPE_PRODUCT_DNNL)

bool has_library_product() { return true; }

std::string product_library() {
  const auto& of = *dnnl_version();
  return "oneDNN " + std::to_string(of.major) + "." + std::to_string(of.minor) + "."
         + std::to_string(of.patch);
}

void library_product(const Factor<float>& a, const Factor<float>& b, const Result<float>& c,
                     WriteMode write) {
  use_calling_thread_only();
  dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', c.rows, c.columns, inner_size(a),
             1.0f, a.data, a.row_stride(), b.data, b.row_stride(),
             write == WriteMode::add ? 1.0f : 0.0f, c.data, c.row_stride());
}

#elif defined(TROUPE_PRODUCT_OPENBLAS)

bool has_library_product() { return true; }

std::string product_library() { return openblas_get_config(); }

void library_product(const Factor<float>& a, const Factor<float>& b, const Result<float>& c,
                     WriteMode write) {
  static const bool one_thread = (openblas_set_num_threads(1), true);
  (void)one_thread;
  cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, static_cast<int>(c.rows),
              static_cast<int>(c.columns), static_cast<int>(inner_size(a)), 1.0f, a.data,
              static_cast<int>(a.row_stride()), b.data, static_cast<int>(b.row_stride()),
              write == WriteMode::add ? 1.0f : 0.0f, c.data, static_cast<int>(c.row_stride()));
}

#else

bool has_library_product() { return false; }

std::string product_library() {
  return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION)
         + "." + std::to_string(EIGEN_MINOR_VERSION);
}

void library_product(const Factor<float>&, const Factor<float>&, const Result<float>&, WriteMode) {
  assert(has_library_product());
}

#endif

} // namespace troupe
