#include "model/update_rules/apply_rule.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace troupe;
using Catch::Contains;

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

const std::vector<std::string> all_rules{"alpha_beta", "average",        "easgd",
                                         "downpour",   "outer_nesterov", "gradient_average"};

Floats floats_of(const Block& block) {
  const auto view = block.view();
  return {view.begin(), view.end()};
}

Floats random_floats(std::mt19937& random, std::size_t size) {
  std::uniform_real_distribution<float> in{-2, 2};
  Floats values(size);
  for (auto& x : values)
    x = in(random);
  return values;
}

UpdateRule rule_of(const std::string& rule) {
  if (rule == "alpha_beta")
    return {rule, {{"alpha", 0.625f}, {"beta", 0.3f}}};
  if (rule == "easgd")
    return {rule, {{"elasticity", 0.15f}}};
  if (rule == "outer_nesterov")
    return {rule, {{"outer_rate", 0.7f}, {"outer_momentum", 0.9f}}};
  return {rule};
}

/// The formulas of the rules in double precision, with the same letters.
struct Reference {
  Doubles S, v;

  /// @returns the answer
  Doubles apply(const UpdateRule& rule, const std::vector<Floats>& contributions) {
    const auto before = S;
    v.resize(S.size(), 0);
    for (std::size_t i = 0; i < S.size(); ++i) {
      double sum = 0, drawn = 0;
      for (const auto& W : contributions) {
        sum += W[i];
        drawn += W[i] - S[i];
      }
      const auto mean = sum / static_cast<double>(contributions.size());
      const auto g = S[i] - mean;
      const auto set = [&rule](const char* name) { return rule.settings.at(name); };
      if (rule.name == "alpha_beta")
        S[i] = set("alpha") * S[i] + set("beta") * mean;
      else if (rule.name == "average" || rule.name == "gradient_average")
        S[i] = mean;
      else if (rule.name == "easgd")
        S[i] += set("elasticity") * drawn;
      else if (rule.name == "downpour")
        S[i] += sum;
      else {
        v[i] = set("outer_momentum") * v[i] + g;
        S[i] -= set("outer_rate") * (g + set("outer_momentum") * v[i]);
      }
    }
    return rule.name == "easgd" ? before : S;
  }
};

double distance(const Block& block, const Doubles& reference) {
  double most = 0;
  for (std::size_t i = 0; i < reference.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(block.view()[i]) - reference[i]));
  return most;
}

std::vector<Block> blocks_of(const std::vector<Floats>& values) {
  std::vector<Block> blocks;
  for (const auto& one : values)
    blocks.push_back(Block::copy_of(one));
  return blocks;
}

/// S, v and a worker's answer after each round, with readers of the blocks in `sharing`.
struct Sharing {
  bool shared, velocity, contributions;
};

std::vector<Floats> played(const UpdateRule& rule, const std::vector<std::vector<Floats>>& rounds,
                           const Floats& initial, Sharing sharing) {
  auto shared = Block::copy_of(initial);
  Block velocity;
  std::vector<Floats> trace;
  std::vector<std::pair<Block, Floats>> readers; // their block, and its values when they took it
  const auto read
    = [&readers](const Block& block) { readers.emplace_back(block, floats_of(block)); };
  for (const auto& round : rounds) {
    auto contributions = blocks_of(round);
    if (sharing.contributions)
      for (const auto& contribution : contributions)
        read(contribution);
    if (sharing.shared)
      read(shared);
    if (sharing.velocity)
      read(velocity);
    const auto answer = apply(rule, shared, velocity, contributions);
    if (sharing.shared) // a worker holds it
      read(answer);
    for (const auto* block : std::vector<const Block*>{&answer, &shared, &velocity})
      trace.push_back(floats_of(*block));
  }
  for (const auto& [block, before] : readers)
    if (floats_of(block) != before)
      FAIL_CHECK("a block changed under its reader");
  return trace;
}

struct Held {
  Block shared, velocity;
  float answer = 0;

  explicit Held(float value) : shared(Block::copy_of(Floats{value})) {}
  float round(const UpdateRule& rule, const Floats& workers) {
    std::vector<Block> contributions;
    for (auto worker : workers)
      contributions.push_back(Block::copy_of(Floats{worker}));
    answer = apply(rule, shared, velocity, contributions).view()[0];
    return shared.view()[0];
  }
};

float adopted_value(const UpdateRule& rule, float own, float answer) {
  return adopted(rule, Block::copy_of(Floats{own}), Block::copy_of(Floats{answer})).view()[0];
}

} // namespace

TEST_CASE("every rule equals its formula, round after round", "[rules][L9]") {
  std::mt19937 random{3};
  for (auto rule : all_rules)
    for (std::size_t count = 1; count <= 5; ++count)
      for (std::size_t size : {1u, 17u, 2048u, 5003u}) {
        const auto initial = random_floats(random, size);
        Reference reference{{initial.begin(), initial.end()}, {}};
        auto shared = Block::copy_of(initial);
        Block velocity;
        for (int round = 0; round < 4; ++round) {
          std::vector<Floats> sent;
          for (std::size_t worker = 0; worker < count; ++worker)
            sent.push_back(random_floats(random, size));
          auto contributions = blocks_of(sent);
          const auto answer = apply(rule_of(rule), shared, velocity, contributions);
          const auto expected = reference.apply(rule_of(rule), sent);
          INFO(rule << ", " << count << " workers, " << size << " floats, round " << round);
          CHECK(distance(shared, reference.S) < 2e-5);
          CHECK(distance(answer, expected) < 2e-5);
          if (rule == "outer_nesterov")
            CHECK(distance(velocity, reference.v) < 2e-5);
          else
            CHECK(velocity.empty());
        }
      }
}

TEST_CASE("the bits are the same whatever the readers of the blocks, and no reader sees a change",
          "[rules][L9]") {
  std::mt19937 random{5};
  for (auto rule : all_rules)
    for (std::size_t count = 1; count <= 5; ++count)
      for (std::size_t size : {5u, 16u, 2051u}) {
        const auto initial = random_floats(random, size);
        std::vector<std::vector<Floats>> rounds(3);
        for (auto& round : rounds)
          for (std::size_t worker = 0; worker < count; ++worker)
            round.push_back(random_floats(random, size));
        const auto alone = played(rule_of(rule), rounds, initial, {});
        for (unsigned bits = 1; bits < 8; ++bits) {
          const Sharing sharing{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
          INFO(rule << ", " << count << " workers, " << size << " floats, sharing " << bits);
          CHECK(played(rule_of(rule), rounds, initial, sharing) == alone);
        }
      }
}

TEST_CASE("a worker may push the same block that it pulled", "[rules][L9]") {
  for (auto rule : all_rules) {
    auto shared = Block::copy_of(Floats{1, 2, 3});
    Block velocity;
    std::vector<Block> contributions{shared, shared};
    apply(rule_of(rule), shared, velocity, contributions);
    Reference reference{{1, 2, 3}, {}};
    reference.apply(rule_of(rule), {{1, 2, 3}, {1, 2, 3}});
    CHECK(distance(shared, reference.S) < 1e-6);
    CHECK(floats_of(contributions[1]) == Floats{1, 2, 3});
  }
}

TEST_CASE("elastic averaging is equations 5 and 6 of Zhang et al.", "[rules][L9]") {
  const UpdateRule rule{"easgd", {{"elasticity", 0.25f}}};
  Held held{8};
  CHECK(held.round(rule, {4, 16}) == 9); // 8 + ((4 - 8) + (16 - 8)) / 4
  CHECK(held.answer == 8);
  CHECK(adopted_value(rule, 4, held.answer) == 5);   // 4 - (4 - 8) / 4
  CHECK(adopted_value(rule, 16, held.answer) == 14); // 16 - (16 - 8) / 4; 4 + 16 + 8 = 5 + 14 + 9
  CHECK(held.round(rule, {5}) == 8);                 // a single worker: 9 + (5 - 9) / 4
  CHECK(adopted_value(rule, 5, held.answer) == 6);
}

TEST_CASE("downpour sends the difference since the last sync, and all differences are added",
          "[rules][L9]") {
  const auto rule = rule_of("downpour");
  const auto base = Block::copy_of(Floats{10, 20});
  const auto first = contribution(rule, Block::copy_of(Floats{9, 22}), base);
  const auto second = contribution(rule, Block::copy_of(Floats{6, 20}), base);
  CHECK(floats_of(first) == Floats{-1, 2});
  CHECK(floats_of(second) == Floats{-4, 0});
  auto shared = base;
  Block velocity;
  std::vector<Block> contributions{first, second};
  CHECK(floats_of(apply(rule, shared, velocity, contributions)) == Floats{5, 22});
  CHECK(floats_of(base) == Floats{10, 20});
}

TEST_CASE("the outer optimizer uses the workers' difference as a gradient", "[rules][L9]") {
  UpdateRule rule{"outer_nesterov", {{"outer_rate", 0.5f}, {"outer_momentum", 0.5f}}};
  Held held{8};
  CHECK(held.round(rule, {3, 5}) == 5);    // g = 4, v = 4: 8 - (4 + 2) / 2
  CHECK(held.round(rule, {1, 4, 4}) == 3); // g = 2, v = 4: 5 - (2 + 2) / 2
  CHECK(held.round(rule, {3}) == 2.5f);    // g = 0, v = 2: 3 - (0 + 1) / 2
  rule.settings = {{"outer_rate", 1.0f}, {"outer_momentum", 0.0f}};
  CHECK(Held{8}.round(rule, {3, 5}) == 4); // the average
}

TEST_CASE("the outer optimizer averages measured elements, so that no variance falls below 0",
          "[rules][L9]") {
  Layout layout;
  layout.add("w", {2});
  layout.add("w_variance", {2}, ParameterRole::statistic);
  layout.add("b", {1});
  auto rule = rule_of("outer_nesterov");
  rule.settings = {{"outer_rate", 0.5f}, {"outer_momentum", 0.5f}};
  auto shared = Block::copy_of(Floats{8, 8, 8, 1, 8});
  Block velocity;
  std::vector<Block> first = blocks_of({{3, 8, 3, 0, 3}, {5, 8, 5, 0, 5}});
  apply(rule, shared, velocity, first, layout);
  CHECK(floats_of(shared) == Floats{5, 8, 4, 0, 5}); // g = 4, v = 4: 8 - (4 + 2) / 2
  std::vector<Block> second = blocks_of({{3, 8, 4, 0, 3}});
  apply(rule, shared, velocity, second, layout);
  CHECK(floats_of(shared) == Floats{3, 8, 4, 0, 3}); // g = 2, v = 4: 5 - (2 + 2) / 2
  rule = {"downpour"};
  std::vector<Block> differences = blocks_of({{1, 0, -1, 0, 0}, {0, 0, -1, 0, 0}});
  apply(rule, shared, velocity, differences, layout);
  CHECK(floats_of(shared) == Floats{4, 8, 2, 0, 3}); // the sum of differences
}

TEST_CASE("the average of steps is the step of the average gradient", "[rules][L9]") {
  auto rule = rule_of("average");
  Held held{4};
  CHECK(held.round(rule, {4 - 0.5f * 1, 4 - 0.5f * 3, 4 - 0.5f * 2, 4 - 0.5f * 6}) == 4 - 0.5f * 3);
  rule = {}; // alpha_beta: the mean of a round has the weight of one worker
  CHECK(Held{4}.round(rule, {2, 10}) == 5);
  CHECK(Held{4}.round(rule, {2}) == 3);
}

TEST_CASE("what a worker sends and takes is its own block where the rule allows it", "[rules]") {
  const auto own = Block::copy_of(Floats{1, 2}), answer = Block::copy_of(Floats{5, 6});
  for (auto rule : all_rules) {
    if (rule != "downpour")
      CHECK(contribution(rule_of(rule), own, answer).same_buffer(own));
    if (rule != "easgd")
      CHECK(adopted(rule_of(rule), own, answer).same_buffer(answer));
  }
  CHECK(contribution(rule_of("downpour"), own, {}).same_buffer(own)); // without a base
  CHECK(adopted(rule_of("easgd"), {}, answer).same_buffer(answer));
}

TEST_CASE("an invalid rule is named with its value", "[rules]") {
  CHECK(defect_of({}).empty());
  for (auto rule : all_rules)
    CHECK(defect_of(rule_of(rule)).empty());
  const auto infinite = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const auto with = [](const std::string& rule, const std::string& setting, float value) {
    return defect_of({rule, {{setting, value}}});
  };
  CHECK_THAT(defect_of({"median"}),
             Contains("'median' is not known here") && Contains("known: alpha_beta"));
  CHECK_THAT(defect_of({"averge"}), Contains("did you mean 'average'?"));
  CHECK_THAT(with("average", "elasticity", 0.5f), Contains("average has no setting 'elasticity'"));
  CHECK(defect_of({std::string(100'000, 'x')}).size() < 400);
  for (auto bad : {infinite, -infinite, nan}) {
    CHECK_THAT(with("alpha_beta", "alpha", bad), Contains("finite numbers"));
    CHECK_THAT(with("alpha_beta", "beta", bad), Contains("finite numbers"));
  }
  for (auto bad : {0.0f, -0.5f, 1.5f, infinite, nan})
    CHECK_THAT(with("easgd", "elasticity", bad), Contains("elasticity"));
  for (auto bad : {0.0f, -1.0f, infinite, nan})
    CHECK_THAT(with("outer_nesterov", "outer_rate", bad), Contains("outer_rate"));
  for (auto bad : {-0.1f, 1.0f, infinite, nan})
    CHECK_THAT(with("outer_nesterov", "outer_momentum", bad), Contains("outer_momentum"));
  CHECK(with("easgd", "elasticity", 1).empty());
  CHECK(with("outer_nesterov", "outer_momentum", 0).empty());
}

TEST_CASE("an average keeps nothing of the shared parameters, even where they are not finite",
          "[rules]") {
  for (const std::string rule : {"average", "gradient_average"}) {
    auto shared = Block::copy_of(Floats{std::nanf(""), 1}), velocity = Block{};
    std::vector<Block> one{Block::copy_of(Floats{3, 4})};
    CHECK(floats_of(apply(rule_of(rule), shared, velocity, one)) == Floats{3, 4});
  }
}
