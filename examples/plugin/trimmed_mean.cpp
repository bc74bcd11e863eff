// An update rule of one's own: the mean of what the workers have sent, without the largest and the
// smallest values of each element, so that a worker that has gone astray does not move the others.
// Yin et al., "Byzantine-robust distributed learning", 2018.
#include <troupe/model/update_rules/update_rule_kind.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace troupe;

struct TrimmedMeanSettings {
  float trim = 0.4f; ///< the share of the workers left out at each end; of 3 workers 0.4 is one
  TROUPE_FIELDS(trim);
};

class TrimmedMean final : public UpdateFormula {
public:
  explicit TrimmedMean(const TrimmedMeanSettings& settings) : trim_(settings.trim) {
    if (!(trim_ >= 0 && trim_ < 0.5f))
      throw std::invalid_argument("trim " + std::to_string(trim_)
                                  + " is the share of the workers that is left out at each end; "
                                    "give a number in [0, 0.5)");
  }

  void update(const RoundElements& round) const override {
    std::vector<float> sent(round.contributions.size());
    const auto out = static_cast<std::size_t>(trim_ * static_cast<float>(sent.size()));
    for (std::size_t i = 0; i < round.after.size(); ++i) {
      for (std::size_t worker = 0; worker < sent.size(); ++worker)
        sent[worker] = round.contributions[worker][i];
      std::sort(sent.begin(), sent.end());
      float sum = 0;
      for (auto k = out; k < sent.size() - out; ++k)
        sum += sent[k];
      round.after[i] = sum / static_cast<float>(sent.size() - 2 * out);
    }
  }

private:
  float trim_;
};

const RegisterUpdateRule trimmed_mean_kind{
  update_rule_kind<TrimmedMean, TrimmedMeanSettings>("trimmed_mean")};

} // namespace
