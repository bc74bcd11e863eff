#include "model/optimizers/optimizer.hpp"

#include "model/tensor/split_write.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace troupe {

namespace {

/// Where a stretch of a block lies before and after a step.
struct SlotPlace {
  const float* before = nullptr;
  float* after = nullptr;
};

/// @param w may be the memory of `to`
template <UpdateKind Kind>
void move_elements(const ElementUpdate& u, const float* w, const float* gradient, SlotPlace m,
                   SlotPlace v, std::span<float> to, bool fresh) {
  write_split(to, fresh, [=](Index begin, Index count, float* x) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
      const auto at = begin + i;
      float first = 0, second = 0;
      if constexpr (slots_of(Kind) > 0)
        first = m.before[at];
      if constexpr (slots_of(Kind) > 1)
        second = v.before[at];
      x[i] = moved<Kind>(u, w[at], gradient[at], first, second);
      if constexpr (slots_of(Kind) > 0)
        m.after[at] = first;
      if constexpr (slots_of(Kind) > 1)
        v.after[at] = second;
    }
  });
}

} // namespace

void Optimizer::move(const Stretch& stretch) {
  const auto formula = rule();
  assert(formula && static_cast<int>(slots_.size()) == slots_of(formula->kind));
  const auto u = element_update(*formula, stretch.learning_rate, stretch.weight_decay,
                                static_cast<double>(steps_));
  const auto place = [&](std::size_t slot) {
    return slot < slots_.size() ? SlotPlace{stretch.before(slot), stretch.after(slot)}
                                : SlotPlace{};
  };
  const auto move_all = [&]<UpdateKind Kind>() {
    move_elements<Kind>(u, stretch.from.data(), stretch.gradient.data(), place(0), place(1),
                        stretch.to, stretch.fresh());
  };
  switch (formula->kind) {
  case UpdateKind::sgd: return move_all.operator()<UpdateKind::sgd>();
  case UpdateKind::momentum: return move_all.operator()<UpdateKind::momentum>();
  case UpdateKind::nesterov: return move_all.operator()<UpdateKind::nesterov>();
  case UpdateKind::adam: return move_all.operator()<UpdateKind::adam>();
  case UpdateKind::rmsprop: return move_all.operator()<UpdateKind::rmsprop>();
  case UpdateKind::adagrad: return move_all.operator()<UpdateKind::adagrad>();
  case UpdateKind::adadelta: return move_all.operator()<UpdateKind::adadelta>();
  }
}

void Optimizer::step_from(std::span<const float> from, std::span<float> to,
                          std::span<const float> gradient) {
  assert(from.size() == gradient.size());
  StepInParts{*this, from, to}.move(0, gradient);
}

StepInParts::StepInParts(Optimizer& optimizer, std::span<const float> from, std::span<float> to)
  : optimizer_(optimizer),
    from_(from),
    to_(to) {
  assert(from.size() == to.size());
  ++optimizer.steps_;
  for (auto& slot : optimizer.slots_)
    optimizer.slot_steps_.emplace_back(slot.values);
}

void StepInParts::move(Index begin, std::span<const float> gradient) {
  const auto end = begin + static_cast<Index>(gradient.size());
  const auto move_alike = [&](Index from, Index to, double learning_rate, double weight_decay) {
    const auto at = static_cast<std::size_t>(from), count = static_cast<std::size_t>(to - from);
    optimizer_.move({from_.subspan(at, count), to_.subspan(at, count),
                     gradient.subspan(static_cast<std::size_t>(from - begin), count), learning_rate,
                     weight_decay, optimizer_.slot_steps_, from});
  };
  if (optimizer_.stretches_.empty())
    move_alike(begin, end, 1, 1);
  for (const auto& stretch : optimizer_.stretches_) {
    const auto from = std::max(begin, stretch.begin);
    const auto to = std::min(end, stretch.begin + stretch.size);
    if (from < to)
      move_alike(from, to, stretch.learning_rate, stretch.weight_decay);
  }
}

void Optimizer::scale(std::vector<ScaledStretch> stretches) {
  Index end = 0;
  for (const auto& stretch : stretches) {
    if (stretch.begin != end || stretch.size < 1)
      throw std::invalid_argument("the shares of " + name() + " leave out what lies between "
                                  + std::to_string(end) + " and " + std::to_string(stretch.begin)
                                  + "; give them for the whole block, in its order");
    end += stretch.size;
  }
  for (const auto& slot : slots_)
    if (!stretches.empty() && slot.values.size() != end)
      throw std::invalid_argument("the shares of " + name() + " are for " + std::to_string(end)
                                  + " parameters; it has " + std::to_string(slot.values.size()));
  stretches_ = std::move(stretches);
}

void Optimizer::restore(Step steps, std::vector<OptimizerSlot> slots) {
  if (slots.size() != slots_.size())
    throw std::invalid_argument(name() + " keeps " + std::to_string(slots_.size())
                                + " slots; the saved state has " + std::to_string(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto &mine = slots_[i], &saved = slots[i];
    if (mine.name != saved.name)
      throw std::invalid_argument(name() + " keeps '" + mine.name + "' where the saved state has '"
                                  + saved.name + "'");
    if (mine.values.size() != saved.values.size())
      throw std::invalid_argument(name() + " keeps " + std::to_string(mine.values.size())
                                  + " numbers of '" + mine.name + "'; the saved state has "
                                  + std::to_string(saved.values.size()));
  }
  steps_ = steps;
  slots_ = std::move(slots);
}

} // namespace troupe
