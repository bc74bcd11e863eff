#include "base/config/decode.hpp"
#include "model/update_rules/apply_rule.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;
using config::Node;

namespace {

/// S becomes the largest of the contributions plus `offset`, which no factors can say.
struct LargestSettings {
  float offset = 0.25f;
  TROUPE_FIELDS(offset);
};

class Largest final : public UpdateFormula {
public:
  explicit Largest(const LargestSettings& settings) : offset_(settings.offset) {}
  void update(const RoundElements& round) const override {
    for (std::size_t i = 0; i < round.after.size(); ++i) {
      auto most = round.contributions.front()[i];
      for (const auto* one : round.contributions)
        most = std::max(most, one[i]);
      round.after[i] = most + offset_;
    }
  }

private:
  float offset_;
};

const RegisterUpdateRule largest_kind{update_rule_kind<Largest, LargestSettings>("test_largest")};

/// As far from S as the settings say towards the mean of the contributions.
const RegisterUpdateRule towards_kind{update_rule_kind(
  "test_towards", LargestSettings{0.5f},
  [](const LargestSettings& settings, const RoundElements& round) {
    for (std::size_t i = 0; i < round.after.size(); ++i)
      round.after[i] = round.shared[i] + settings.offset * (round.mean(i) - round.shared[i]);
  })};

struct SyncSection {
  UpdateRule rule;
  double deadline = 60;
  TROUPE_FIELDS(rule, deadline);
};

SyncSection sync_section_of(std::initializer_list<std::pair<const char*, const char*>> given) {
  auto section = Node::map();
  for (const auto& [key, value] : given)
    section.put(key, Node::scalar(value, "run.yaml:1:1"));
  return config::options_from(section, "sync", SyncSection{});
}

} // namespace

TEST_CASE("a rule that registers itself is applied as the rules of Troupe are", "[rules]") {
  for (const auto size : {std::size_t{3}, 2 * elements_at_once + 5}) {
    auto shared = Block::copy_of(std::vector<float>(size, 9)), state = Block{};
    std::vector<Block> sent{Block::copy_of(std::vector<float>(size, 1)),
                            Block::copy_of(std::vector<float>(size, 2))};
    apply({"test_largest", {{"offset", 0.5f}}}, shared, state, sent);
    CHECK(shared == Block::copy_of(std::vector<float>(size, 2.5f)));
    CHECK(state.empty());
  }
}

TEST_CASE("a rule of one function is applied with its settings", "[rules]") {
  const auto after = [](const RuleSettings& settings) {
    auto shared = Block::copy_of(std::vector<float>{9, -1}), state = Block{};
    std::vector<Block> sent{Block::copy_of(std::vector<float>{1, 2}),
                            Block::copy_of(std::vector<float>{4, 4})};
    apply({"test_towards", settings}, shared, state, sent);
    return shared;
  };
  CHECK(after({}) == Block::copy_of(std::vector<float>{5.75f, 1}));
  CHECK(after({{"offset", 0.25f}}) == Block::copy_of(std::vector<float>{7.375f, 0}));
  CHECK(kind_of({"test_towards", {}}).settings == RuleSettings{{"offset", 0.5f}});
}

TEST_CASE("a setting that a rule does not have is a defect, and names the nearest", "[rules]") {
  CHECK_THAT(defect_of({"easgd", {{"elastcity", 0.25f}}}),
             Contains("the update rule easgd has no setting 'elastcity'")
               && Contains("did you mean 'elasticity'?")
               && Contains("give all processes the same build of the rule"));
  // cure: give all processes the same build of the rule
  CHECK(defect_of({"easgd", {{"elasticity", 0.25f}}}).empty());
}

TEST_CASE("names of update rules are unique", "[rules]") {
  CHECK(update_rule_kinds().repeated().empty());
}

TEST_CASE("a section names a rule, with its settings beside it", "[rules][decode]") {
  CHECK(sync_section_of({}).rule.name == "alpha_beta");
  const auto read = sync_section_of({{"rule", "test_largest"}, {"offset", "2"}, {"deadline", "5"}});
  CHECK(read.rule == UpdateRule{"test_largest", {{"offset", 2.0f}}});
  CHECK(read.deadline == 5);
  CHECK(sync_section_of({{"alpha", "0.25"}}).rule == UpdateRule{"alpha_beta", {{"alpha", 0.25f}}});
  CHECK(sync_section_of({{"elasticity", "0.25"}}).rule.settings.empty()); // easgd's
  const auto written = config::encode(read);
  CHECK(written.find("rule")->text() == "test_largest");
  CHECK(written.find("offset")->text() == "2");
  CHECK(written.find("elasticity")->text() == "0.5");
  CHECK(config::options_from(written, "sync", SyncSection{}).rule == read.rule);
}

TEST_CASE("a section with an unknown rule or setting is refused with the nearest",
          "[rules][decode]") {
  CHECK_THROWS_WITH(
    sync_section_of({{"rule", "averge"}}),
    Contains(
      "sync.rule = 'averge' (run.yaml:1:1) is not known; did you mean 'average'? Give one of "
      "alpha_beta, average"));
  CHECK_THROWS_WITH(sync_section_of({{"elastcity", "0.5"}}),
                    Contains("did you mean 'elasticity'?"));
  CHECK_THROWS_WITH(sync_section_of({{"outer_rate", "0"}}), Contains("give a positive number"));
  CHECK_THROWS_WITH(sync_section_of({{"offset", "much"}}),
                    Contains("sync.offset") && Contains("not a number"));
}
