#pragma once

#include "model/formulas/element_terms.hpp"

namespace troupe {

/// A loss as a graphics card computes it; the formulas are those of the losses of these names.
struct DeviceLoss {
  enum class Kind : std::uint8_t {
    softmax_cross_entropy,
    negative_log_likelihood,
    mean_squared_error,
    elementwise
  };
  Kind kind = Kind::softmax_cross_entropy;
  Elementwise element = {};   ///< of `elementwise`
  double label_smoothing = 0; ///< of softmax_cross_entropy
  bool masked = false;        ///< some rows or numbers do not count

  TROUPE_HOST_DEVICE bool on_classes() const {
    return kind == Kind::softmax_cross_entropy || kind == Kind::negative_log_likelihood;
  }
};

} // namespace troupe
