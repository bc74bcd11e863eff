#pragma once

#include "cuda/card_memory.hpp"
#include "cuda/kernels.hpp"

#include <array>

namespace troupe {

/// The parameters on the card, their gradient, and the update of one by the other.
class CardOptimizer {
public:
  /// @param plan outlives this object
  explicit CardOptimizer(const DevicePlan& plan);

  float* block(DeviceBlock which) const { return blocks_[static_cast<std::size_t>(which)].data(); }

  /// From the next step on. @returns whether it has another kernel than the rule before
  bool set_rule(cudaStream_t stream, const OptimizerRule& rule);
  /// Derives what step `k` of a launch multiplies by.
  void begin(cudaStream_t stream, CardState* state, int k) const;
  /// Clips the gradient and makes the update of step `k`.
  /// @param given the gradient was written by the caller
  void update(cudaStream_t stream, CardState* state, int k, bool given) const;

private:
  ElementUpdate* updates_of(int k) const;
  NormArguments measure_norm(cudaStream_t stream) const;

  const DevicePlan& plan_;
  std::array<CardArray<float>, 4> blocks_; ///< in the order of DeviceBlock
  CardArray<OptimizerRule> rule_;
  UpdateKind kind_ = UpdateKind::sgd;
  CardArray<UpdateRange> ranges_, by_name_;
  CardArray<ElementUpdate> updates_; ///< of each step of a launch, for each range
  CardArray<double> norm_parts_;
  int norm_count_ = 0;
};

} // namespace troupe
