// average: S <- mean(W), and workers continue with S: local SGD.
#include "model/update_rules/update_rule_kind.hpp"

namespace troupe {

namespace {

class Average final : public UpdateFormula {
public:
  explicit Average(const NoSettings&) {}
  std::optional<RuleFactors> factors(float count) const override {
    return RuleFactors{0, 1 / count};
  }
};

const RegisterUpdateRule average_kind{update_rule_kind<Average>("average")};

} // namespace

} // namespace troupe
