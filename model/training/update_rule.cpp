#include "model/training/update_rule.hpp"

#include "model/tensor/combine.hpp"
#include "model/tensor/streamed.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <thread>

namespace troupe {

namespace {

/// Elements that are summed at a time: their sums stay in the L1 cache.
constexpr std::size_t piece = 2048;

/// sum <- the sources' elements from `from` on, added in order.
void add_up(const std::vector<const float*>& sources, std::size_t from, std::span<float> sum) {
  std::copy_n(sources.front() + from, sum.size(), sum.begin());
  for (std::size_t c = 1; c < sources.size(); ++c) {
    const float* values = sources[c] + from;
    float* out = sum.data();
    for (std::size_t i = 0; i < sum.size(); ++i)
      out[i] += values[i];
  }
}

/// out <- b sum
void scale(float b, std::span<const float> sum, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = b * sum[i];
}

void nesterov(const UpdateRule& rule, float count, const float* s, const float* sum, float* v,
              float* out, std::size_t size) {
  const auto rate = rule.outer_rate, momentum = rule.outer_momentum, share = 1 / count;
  for (std::size_t i = 0; i < size; ++i) {
    const auto gradient = s[i] - share * sum[i];
    v[i] = momentum * v[i] + gradient;
    out[i] = s[i] - rate * (gradient + momentum * v[i]);
  }
}

/// Calls `work` for all elements, on two cores for a large block for whose round workers wait.
template <class Work>
void in_halves(std::size_t size, bool others_wait, const Work& work) {
  const auto middle = size / 2 / piece * piece;
  if (!others_wait || size < (std::size_t{1} << 18) || std::thread::hardware_concurrency() < 2)
    return work(0, size);
  std::thread second{[&] { work(middle, size); }};
  work(0, middle);
  second.join();
}

/// The factors a, b of S <- a S + b sum for a round of `count`; not for outer_nesterov.
std::pair<float, float> factors(const UpdateRule& rule, float count) {
  switch (rule.rule) {
  case Rule::alpha_beta: return {rule.alpha, rule.beta / count};
  case Rule::average:
  case Rule::gradient_average: return {0.0f, 1 / count};
  case Rule::easgd: return {1 - rule.elasticity * count, rule.elasticity};
  case Rule::downpour: return {1.0f, 1.0f};
  case Rule::outer_nesterov: break;
  }
  return {1.0f, 0.0f};
}

/// Elements up to `end` to which the same rule applies.
struct RuledElements {
  std::size_t end;
  UpdateRule rule;
};

/// Which rule applies to which of the `size` elements, in order: measured elements are only
/// averaged where the rule would extrapolate.
std::vector<RuledElements> ruled_elements(const UpdateRule& rule, const Layout& layout,
                                          std::size_t size) {
  std::vector<RuledElements> ruled;
  if (rule.rule == Rule::outer_nesterov)
    for (const auto& parameter : layout.parameters()) {
      auto own = rule;
      if (is_measured(parameter.role))
        own.rule = Rule::average;
      if (ruled.empty() || ruled.back().rule != own)
        ruled.push_back({0, own});
      ruled.back().end = static_cast<std::size_t>(parameter.offset + parameter.size());
    }
  if (ruled.empty())
    ruled.push_back({size, rule});
  return ruled;
}

/// The shortest decimal that reads back as the same float.
std::string shortest_float(float x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

} // namespace

std::string text_of(const UpdateRule& rule) {
  const auto text = to_string(rule.rule);
  switch (rule.rule) {
  case Rule::alpha_beta:
    return text + " (alpha " + shortest_float(rule.alpha) + ", beta " + shortest_float(rule.beta)
           + ")";
  case Rule::easgd: return text + " (elasticity " + shortest_float(rule.elasticity) + ")";
  case Rule::outer_nesterov:
    return text + " (outer_rate " + shortest_float(rule.outer_rate) + ", outer_momentum "
           + shortest_float(rule.outer_momentum) + ")";
  case Rule::average:
  case Rule::downpour:
  case Rule::gradient_average: break;
  }
  return text;
}

std::string defect_of(const UpdateRule& rule) {
  if (Rule known{}; !from_text(to_string(rule.rule), known))
    return "update rule number " + std::to_string(static_cast<int>(rule.rule)) + " is not known";
  if (!std::isfinite(rule.alpha) || !std::isfinite(rule.beta))
    return "alpha " + std::to_string(rule.alpha) + " and beta " + std::to_string(rule.beta)
           + " are the weights of the shared and the worker's parameters; give finite numbers, "
             "like 0.5";
  if (!(rule.elasticity > 0 && rule.elasticity <= 1))
    return "elasticity " + std::to_string(rule.elasticity)
           + " is the share by which parameters move towards each other; give a number in (0, 1]";
  if (!(rule.outer_rate > 0) || std::isinf(rule.outer_rate))
    return "outer_rate " + std::to_string(rule.outer_rate) + "; give a positive number, like 0.7";
  if (!(rule.outer_momentum >= 0 && rule.outer_momentum < 1))
    return "outer_momentum " + std::to_string(rule.outer_momentum) + "; give a number in [0, 1)";
  return "";
}

Block contribution(const UpdateRule& rule, const Block& own, const Block& base) {
  if (rule.rule != Rule::downpour || base.size() != own.size())
    return own;
  auto difference = Block::uninitialized(own.size());
  combine_into(difference.overwrite(), base.view(), -1, own.view(), 1);
  return difference;
}

Block apply(const UpdateRule& rule, Block& shared, Block& velocity,
            std::vector<Block>& contributions, const Layout& layout) {
  const auto count = static_cast<float>(contributions.size());
  const auto size = static_cast<std::size_t>(shared.size());
  const auto keeps_old = rule.rule == Rule::easgd;
  const auto in_place = !shared.shared() && !keeps_old;
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
  if (rule.rule == Rule::outer_nesterov && velocity.size() != shared.size())
    velocity = Block{shared.size()};

  const auto after = in_place ? shared.edit() : target.edit();
  const auto before = shared.view();
  const auto v = velocity.edit();
  const auto work = [&](const UpdateRule& own, std::size_t begin, std::size_t end) {
    const auto [a, b] = factors(own, count);
    const auto outer = own.rule == Rule::outer_nesterov;
    const auto part = after.subspan(begin, end - begin);
    const auto old = before.subspan(begin, part.size());
    if (sources.size() == 1 && !outer && a != 0)
      return combine_into(part, old, a, {sources.front() + begin, part.size()}, b);
    write_all(part, !in_place && !over, [&, a = a, b = b](Index from, Index count_here, float* to) {
      alignas(64) std::array<float, piece> sums;
      for (Index done = 0; done < count_here; done += static_cast<Index>(piece)) {
        const auto at = static_cast<std::size_t>(from + done);
        const auto length = std::min(piece, static_cast<std::size_t>(count_here - done));
        const auto sum = std::span{sums}.first(length);
        add_up(sources, begin + at, sum);
        const std::span<float> out{to + done, length};
        if (outer)
          nesterov(own, count, old.data() + at, sum.data(), v.data() + begin + at, out.data(),
                   length);
        else if (a == 0) // S must not count, even where it is not finite
          scale(b, sum, out);
        else
          combine_into(out, old.subspan(at, length), a, sum, b);
      }
    });
  };
  const auto ruled = ruled_elements(rule, layout, size);
  in_halves(size, contributions.size() > 1, [&](std::size_t begin, std::size_t end) {
    for (const auto& elements : ruled)
      if (const auto until = std::min(elements.end, end); begin < until) {
        work(elements.rule, begin, until);
        begin = until;
      }
  });
  if (in_place)
    return shared;
  std::swap(shared, target);
  return keeps_old ? target : shared;
}

Block adopted(const UpdateRule& rule, const Block& own, Block answer) {
  if (rule.rule != Rule::easgd || own.size() != answer.size())
    return answer;
  auto drawn = Block::uninitialized(own.size());
  combine_into(drawn.overwrite(), own.view(), 1 - rule.elasticity, answer.view(), rule.elasticity);
  return drawn;
}

} // namespace troupe
