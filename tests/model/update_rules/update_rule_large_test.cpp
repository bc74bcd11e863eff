#include "model/update_rules/apply_rule.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

using namespace troupe;

namespace {

Block random_block(std::mt19937& random, Index size) {
  auto block = Block::uninitialized(size);
  for (auto& x : block.overwrite())
    x = static_cast<float>(random() % 4001) / 1000 - 2;
  return block;
}

Block part_of(const Block& whole, std::size_t from, std::size_t size) {
  return whole.empty() ? Block{} : Block::copy_of(whole.view().subspan(from, size));
}

} // namespace

TEST_CASE("every element of a large block equals that of a small one", "[rules][L9]") {
  std::mt19937 random{9};
  constexpr Index size = (1 << 18) + 77; // large enough for several cores
  constexpr std::size_t small = 4099;
  for (const std::string rule : {"alpha_beta", "average", "easgd", "downpour", "outer_nesterov"})
    for (std::size_t workers : {1u, 3u})
      for (auto read : {false, true}) {
        UpdateRule with;
        with.name = rule;
        if (rule == "easgd")
          with.settings["elasticity"] = 0.2f;
        auto shared = random_block(random, size);
        auto velocity = rule == "outer_nesterov" ? random_block(random, size) : Block{};
        std::vector<Block> sent;
        for (std::size_t worker = 0; worker < workers; ++worker)
          sent.push_back(random_block(random, size));
        const auto before = part_of(shared, 0, size), speed = part_of(velocity, 0, size);
        std::vector<Block> originals;
        for (const auto& one : sent)
          originals.push_back(part_of(one, 0, size));
        const auto reader = read ? shared : Block{};
        const auto answer = apply(with, shared, velocity, sent);
        INFO(rule << ", " << workers << " workers" << (read ? ", read" : ""));
        bool same = !read || reader == before;
        for (std::size_t from = 0; from < size; from += small) {
          const auto length = std::min(small, static_cast<std::size_t>(size) - from);
          auto part = part_of(before, from, length), slow = part_of(speed, from, length);
          std::vector<Block> parts;
          for (const auto& one : originals)
            parts.push_back(part_of(one, from, length));
          const auto expected = apply(with, part, slow, parts);
          same = same && part_of(shared, from, length) == part
                 && part_of(answer, from, length) == expected
                 && part_of(velocity, from, length) == slow;
        }
        CHECK(same);
      }
}

TEST_CASE("in a large block each part is changed by its own rule", "[rules][L9]") {
  std::mt19937 random{11};
  constexpr Index size = (1 << 18) + 77, part = size / 3;
  Layout layout;
  layout.add("w", {part});
  layout.add("w_variance", {part}, ParameterRole::statistic);
  layout.add("b", {size - 2 * part});
  auto shared = random_block(random, size), velocity = random_block(random, size);
  const auto before = part_of(shared, 0, size), speed = part_of(velocity, 0, size);
  std::vector<Block> sent{random_block(random, size), random_block(random, size)};
  const auto originals = sent;
  UpdateRule outer;
  outer.name = "outer_nesterov";
  apply(outer, shared, velocity, sent, layout);
  for (const auto& parameter : layout.parameters()) {
    auto with = outer;
    if (parameter.role == ParameterRole::statistic)
      with = {"average"};
    const auto from = static_cast<std::size_t>(parameter.offset);
    const auto length = static_cast<std::size_t>(parameter.size());
    auto own = part_of(before, from, length), slow = part_of(speed, from, length);
    std::vector<Block> parts;
    for (const auto& one : originals)
      parts.push_back(part_of(one, from, length));
    apply(with, own, slow, parts);
    INFO(parameter.name);
    CHECK((part_of(shared, from, length) == own));
    CHECK((part_of(velocity, from, length) == slow));
  }
}
