#include "cuda/card_optimizer.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Whether the update needs the norm of the whole gradient.
bool needs_norm(const DevicePlan& plan) {
  return plan.clip_norm > 0 || plan.nan == DeviceNan::skip;
}

CardArray<float> block_of(const DevicePlan& plan, bool there) {
  return CardArray<float>{static_cast<std::size_t>(there ? plan.parameters : 0)};
}

template <class T>
CardArray<T> on_card(const std::vector<T>& values) {
  CardArray<T> copy{values.size()};
  if (!values.empty())
    check_cuda(
      cudaMemcpy(copy.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
      "describing the run");
  return copy;
}

} // namespace

CardOptimizer::CardOptimizer(const DevicePlan& plan)
  : plan_(plan),
    blocks_{block_of(plan, true), block_of(plan, true), block_of(plan, plan.slots > 0),
            block_of(plan, plan.slots > 1)},
    rule_(1),
    ranges_(on_card(plan.ranges)),
    by_name_(on_card(plan.by_name)),
    updates_(plan.ranges.size() * most_steps) {
  for (const auto& range : plan.ranges)
    norm_count_ += norm_parts_of(range.size);
  norm_parts_ = CardArray<double>{static_cast<std::size_t>(std::max(1, norm_count_))};
  if (plan.parameters > 0)
    check_cuda(cudaMemset(block(DeviceBlock::gradient), 0,
                          static_cast<std::size_t>(plan.parameters) * sizeof(float)),
               "clearing memory");
}

bool CardOptimizer::set_rule(cudaStream_t stream, const OptimizerRule& rule) {
  troupe::set_rule(stream, rule_.data(), rule);
  return std::exchange(kind_, rule.kind) != rule.kind;
}

ElementUpdate* CardOptimizer::updates_of(int k) const {
  return updates_.data() + plan_.ranges.size() * static_cast<std::size_t>(k);
}

void CardOptimizer::begin(cudaStream_t stream, CardState* state, int k) const {
  begin_step(stream, state, k, rule_.data(), ranges_.data(), static_cast<int>(plan_.ranges.size()),
             updates_of(k));
}

NormArguments CardOptimizer::measure_norm(cudaStream_t stream) const {
  auto* parts = norm_parts_.data();
  for (const auto& range : plan_.ranges) {
    norm_parts(stream, block(DeviceBlock::gradient) + range.begin, range.size, parts);
    parts += norm_parts_of(range.size);
  }
  return {norm_parts_.data(), norm_count_, plan_.clip_norm};
}

void CardOptimizer::update(cudaStream_t stream, CardState* state, int k, bool given) const {
  auto* gradient = block(DeviceBlock::gradient);
  if (plan_.nan == DeviceNan::remove || plan_.clip_element > 0)
    for (const auto& range : plan_.ranges)
      prepare_gradient(stream, gradient + range.begin, range.size, plan_.nan == DeviceNan::remove,
                       plan_.clip_element);
  if (plan_.clip_parameter_norm > 0)
    clip_parameters(stream, gradient, by_name_.data(), static_cast<int>(plan_.by_name.size()),
                    plan_.clip_parameter_norm, state, k);
  const auto norm = needs_norm(plan_) || given ? measure_norm(stream) : NormArguments{};
  for (std::size_t i = 0; i < plan_.ranges.size(); ++i)
    update_elements(stream, kind_,
                    {block(DeviceBlock::parameters), gradient, block(DeviceBlock::slot0),
                     block(DeviceBlock::slot1), plan_.ranges[i].begin, plan_.ranges[i].size,
                     updates_of(k) + i, norm, plan_.nan},
                    state, k);
}

} // namespace troupe
