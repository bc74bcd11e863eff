// downpour: workers send their steps, W less the S they took last, and continue with the new S:
// S <- S + sum. Dean et al., "Large scale distributed deep networks", 2012.
#include "model/update_rules/update_rule_kind.hpp"

namespace troupe {

namespace {

class Downpour final : public UpdateFormula {
public:
  explicit Downpour(const NoSettings&) {}
  std::optional<RuleFactors> factors(float) const override { return RuleFactors{1, 1}; }
};

const RegisterUpdateRule downpour_kind{
  update_rule_kind<Downpour>("downpour", {.sends = Contribution::steps})};

} // namespace

} // namespace troupe
