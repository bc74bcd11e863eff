// easgd: S <- S + e sum(W - S), and workers continue with W - e (W - S), S before the round.
// Zhang, Choromanska, LeCun, "Deep learning with elastic averaging SGD", 2015, equations 5 and 6.
#include "model/tensor/combine.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

struct EasgdSettings {
  float elasticity = 0.5f; ///< e, in (0, 1]; times the number of workers at most 1
  TROUPE_FIELDS(elasticity);
};

class Easgd final : public UpdateFormula {
public:
  explicit Easgd(const EasgdSettings& settings) : elasticity_(settings.elasticity) {
    if (!(elasticity_ > 0 && elasticity_ <= 1))
      throw std::invalid_argument(
        "elasticity " + std::to_string(elasticity_)
        + " is the share by which parameters move towards each other; give a number in (0, 1]");
  }

  std::optional<RuleFactors> factors(float count) const override {
    return RuleFactors{1 - elasticity_ * count, elasticity_};
  }

  void adopt(std::span<const float> own, std::span<const float> answer,
             std::span<float> out) const override {
    combine_into(out, own, 1 - elasticity_, answer, elasticity_);
  }

  /// S becomes (1 - e n) S + e n mean(W): for e n > 1 it overshoots the workers' mean, and from 2
  /// on it diverges. Equation 6.
  std::string defect_with(std::uint64_t workers) const override {
    const auto moved = double{elasticity_} * static_cast<double>(workers);
    if (moved <= 1 + 1e-6) // a third times 3, in floats
      return "";
    const auto most = std::floor(1e4 / static_cast<double>(workers)) / 1e4;
    return fmt::format("an elasticity of {:g}, times {} workers more than 1: the shared parameters "
                       "overshoot and can diverge; give at most ",
                       elasticity_, workers)
           + fmt::format("{:g}", most);
  }

private:
  float elasticity_;
};

const RegisterUpdateRule easgd_kind{
  update_rule_kind<Easgd, EasgdSettings>("easgd", {.elastic = true})};

} // namespace

} // namespace troupe
