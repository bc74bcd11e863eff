// outer_nesterov: v <- m v + g and S <- S - r (g + m v), with g = S - mean(W); workers continue with
// S. Local SGD with an outer optimizer: Douillard et al., "DiLoCo", 2023.
#include "model/update_rules/update_rule_kind.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

struct OuterNesterovSettings {
  float outer_rate = 0.7f;     ///< r, > 0
  float outer_momentum = 0.9f; ///< m, in [0, 1)
  TROUPE_FIELDS(outer_rate, outer_momentum);
};

class OuterNesterov final : public UpdateFormula {
public:
  explicit OuterNesterov(const OuterNesterovSettings& settings) : settings_(settings) {
    const auto [rate, momentum] = settings;
    if (!(rate > 0) || std::isinf(rate))
      throw std::invalid_argument("outer_rate " + std::to_string(rate)
                                  + "; give a positive number, like 0.7");
    if (!(momentum >= 0 && momentum < 1))
      throw std::invalid_argument("outer_momentum " + std::to_string(momentum)
                                  + "; give a number in [0, 1)");
  }

  void update(const RoundElements& round) const override {
    alignas(64) std::array<float, elements_at_once> sums;
    const auto size = round.shared.size();
    round.add_up(std::span{sums}.first(size));
    const auto rate = settings_.outer_rate, momentum = settings_.outer_momentum;
    const auto share = 1 / static_cast<float>(round.contributions.size());
    const auto* s = round.shared.data();
    auto *v = round.state.data(), *out = round.after.data();
    for (std::size_t i = 0; i < size; ++i) {
      const auto gradient = s[i] - share * sums[i];
      v[i] = momentum * v[i] + gradient;
      out[i] = s[i] - rate * (gradient + momentum * v[i]);
    }
  }

private:
  OuterNesterovSettings settings_;
};

const RegisterUpdateRule outer_nesterov_kind{update_rule_kind<OuterNesterov, OuterNesterovSettings>(
  "outer_nesterov", {.keeps_state = true, .extrapolates = true})};

} // namespace

} // namespace troupe
