// alpha_beta: S <- alpha S + beta mean(W), and workers continue with S. Legion's rule.
#include "model/update_rules/update_rule_kind.hpp"

#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

struct AlphaBetaSettings {
  float alpha = 0.5f; ///< weight of S
  float beta = 0.5f;  ///< weight of the workers' mean
  TROUPE_FIELDS(alpha, beta);
};

class AlphaBeta final : public UpdateFormula {
public:
  explicit AlphaBeta(const AlphaBetaSettings& settings) : settings_(settings) {
    if (!std::isfinite(settings.alpha) || !std::isfinite(settings.beta))
      throw std::invalid_argument(
        "alpha " + std::to_string(settings.alpha) + " and beta " + std::to_string(settings.beta)
        + " are the weights of the shared and the worker's parameters; give finite numbers, "
          "like 0.5");
  }

  std::optional<RuleFactors> factors(float count) const override {
    return RuleFactors{settings_.alpha, settings_.beta / count};
  }

private:
  AlphaBetaSettings settings_;
};

const RegisterUpdateRule alpha_beta_kind{
  update_rule_kind<AlphaBeta, AlphaBetaSettings>("alpha_beta")};

} // namespace

} // namespace troupe
