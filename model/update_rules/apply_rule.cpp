#include "model/update_rules/apply_rule.hpp"

#include "base/allowed_cores.hpp"
#include "model/tensor/combine.hpp"
#include "model/tensor/streamed.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace troupe {

namespace {

/// out <- b sum
void scale(float b, std::span<const float> sum, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = b * sum[i];
}

/// Calls `work` for all elements, on two cores for a large block for whose round workers wait.
template <class Work>
void in_halves(std::size_t size, bool others_wait, const Work& work) {
  const auto middle = size / 2 / elements_at_once * elements_at_once;
  if (!others_wait || size < (std::size_t{1} << 18) || count_allowed_cores() < 2)
    return work(0, size);
  std::thread second{[&] { work(middle, size); }};
  work(0, middle);
  second.join();
}

/// Elements up to `end`: those to which the rule applies, or those that are averaged.
struct RuledElements {
  std::size_t end;
  bool averaged;
};

/// The `size` elements, in order: measured ones are averaged where the rule would extrapolate.
std::vector<RuledElements> ruled_elements(const RuleTraits& traits, const Layout& layout,
                                          std::size_t size) {
  std::vector<RuledElements> ruled;
  if (traits.extrapolates)
    for (const auto& parameter : layout.parameters()) {
      const auto averaged = is_measured(parameter.role);
      if (ruled.empty() || ruled.back().averaged != averaged)
        ruled.push_back({0, averaged});
      ruled.back().end = static_cast<std::size_t>(parameter.offset + parameter.size());
    }
  if (ruled.empty())
    ruled.push_back({size, false});
  return ruled;
}

} // namespace

Block contribution(const UpdateRule& rule, const Block& own, const Block& base) {
  if (kind_of(rule).traits.sends != Contribution::steps || base.size() != own.size())
    return own;
  auto difference = Block::uninitialized(own.size());
  combine_into(difference.overwrite(), base.view(), -1, own.view(), 1);
  return difference;
}

Block apply(const UpdateRule& rule, Block& shared, Block& state, std::vector<Block>& contributions,
            const Layout& layout) {
  const auto& traits = kind_of(rule).traits;
  const auto formula = formula_of(rule);
  const auto count = static_cast<float>(contributions.size());
  const auto size = static_cast<std::size_t>(shared.size());
  const auto in_place = !shared.shared() && !traits.elastic;
  std::vector<const float*> sources;
  for (const auto& contribution : contributions)
    sources.push_back(contribution.view().data());
  // Readers of the old S keep it: the new one is written over a contribution without other readers,
  // or into new memory.
  const auto over = !in_place && contributions.size() == 1 && !contributions.front().shared();
  Block target;
  if (over)
    target = std::move(contributions.front());
  else if (!in_place)
    target = Block::uninitialized(shared.size());
  if (traits.keeps_state && state.size() != shared.size())
    state = Block{shared.size()};

  const auto after = in_place ? shared.edit() : target.edit();
  const auto before = shared.view();
  const auto kept = traits.keeps_state ? state.edit() : std::span<float>{};
  const auto work = [&](bool averaged, std::size_t begin, std::size_t end) {
    const auto factors = averaged ? RuleFactors{0, 1 / count} : formula->factors(count);
    const auto part = after.subspan(begin, end - begin);
    const auto old = before.subspan(begin, part.size());
    if (sources.size() == 1 && factors && factors->a != 0)
      return combine_into(part, old, factors->a, {sources.front() + begin, part.size()},
                          factors->b);
    std::vector<const float*> sent(sources.size());
    write_all(part, !in_place && !over, [&, factors](Index from, Index count_here, float* to) {
      alignas(64) std::array<float, elements_at_once> sums;
      for (Index done = 0; done < count_here; done += static_cast<Index>(elements_at_once)) {
        const auto at = static_cast<std::size_t>(from + done);
        const auto length = std::min(elements_at_once, static_cast<std::size_t>(count_here - done));
        for (std::size_t i = 0; i < sent.size(); ++i)
          sent[i] = sources[i] + begin + at;
        const RoundElements round{old.subspan(at, length),
                                  sent,
                                  kept.empty() ? kept : kept.subspan(begin + at, length),
                                  {to + done, length}};
        if (!factors) {
          formula->update(round);
          continue;
        }
        const auto sum = std::span{sums}.first(length);
        round.add_up(sum);
        if (factors->a == 0) // S must not count, even where it is not finite
          scale(factors->b, sum, round.after);
        else
          combine_into(round.after, round.shared, factors->a, sum, factors->b);
      }
    });
  };
  const auto ruled = ruled_elements(traits, layout, size);
  in_halves(size, contributions.size() > 1, [&](std::size_t begin, std::size_t end) {
    for (const auto& elements : ruled)
      if (const auto until = std::min(elements.end, end); begin < until) {
        work(elements.averaged, begin, until);
        begin = until;
      }
  });
  if (in_place)
    return shared;
  std::swap(shared, target);
  return traits.elastic ? target : shared;
}

Block adopted(const UpdateRule& rule, const Block& own, Block answer) {
  if (!kind_of(rule).traits.elastic || own.size() != answer.size())
    return answer;
  auto moved = Block::uninitialized(own.size());
  formula_of(rule)->adopt(own.view(), answer.view(), moved.overwrite());
  return moved;
}

} // namespace troupe
