// A problem of one's own: which doses of a drug have an effect.
#include <troupe/model/data/problem_kind.hpp>
#include <troupe/model/data/split.hpp>
#include <troupe/model/tensor/random.hpp>

#include <cmath>

namespace {

using namespace troupe;

struct TrialOptions {
  double median = 1.5; ///< the dose that is enough for half
  Index train = 8000;
  Index validation = 2000;
  Index test = 2000;
  TROUPE_FIELDS(median, train, validation, test);
};

/// Doses from 0 to 4. Row k of a section is a function of (section, k), so that each time it is
/// asked for it is the same.
class Trial final : public Problem {
public:
  explicit Trial(const TrialOptions& options) : options_(options) {}

  std::string name() const override { return "trial"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override {
    return section == Section::train        ? options_.train
           : section == Section::validation ? options_.validation
                                            : options_.test;
  }
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    resize(batch, spec_, static_cast<Index>(rows.size()));
    const auto key = RandomKey{1}.derive(to_string(section));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Random random{key, static_cast<std::uint64_t>(rows[i])};
      const auto x = random.uniform(0, 4);
      const auto enough = 1 / (1 + std::exp(-5 * (x - options_.median)));
      batch.inputs[0].values[i] = static_cast<float>(x);
      batch.targets[0].values[i] = random.uniform() < enough ? 1.0f : 0.0f;
    }
  }

private:
  TrialOptions options_;
  DataSpec spec_{.inputs = {{.name = "dose", .shape = {any_size, 1}}},
                 .targets = {{.name = "effect", .shape = {any_size, 1}}}};
};

const RegisterProblem trial_kind{problem_kind<Trial, TrialOptions>("trial")};

} // namespace
