#include "model/kernels/product_scope.hpp"

namespace troupe {} // namespace troupe
