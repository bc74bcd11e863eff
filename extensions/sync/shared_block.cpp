#include "extensions/sync/shared_block.hpp"

#include "messages/parameters/parameters_in.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

SharedBlock::SharedBlock(const ParameterSyncOptions& options, Layout model)
  : options_(options),
    model_(std::move(model)) {}

Layout shared_layout(const Layout& model, const std::vector<std::string>& parts) {
  auto layout = model;
  for (const auto& part : parts)
    for (const auto& parameter : model.parameters())
      layout.add(parameter.name + "_" + part, parameter.shape, ParameterRole::statistic);
  return layout;
}

void SharedBlock::name_parts(const LoopEvent& event) {
  std::vector<std::string> slots;
  for (const auto& slot : event.optimizer_slots)
    slots.push_back(slot.name);
  parts_ = sharing_of(options_).parts(slots);
  steps_ = event.optimizer_steps;
}

Block SharedBlock::gather(const LoopEvent& event) {
  name_parts(event);
  const auto averages = shares_gradients(options_.rule);
  if (parts_.empty()
      || (averages && event.gradient.empty())) // the holder refuses a block without the gradient
    return event.parameters.values;
  const auto size = model_.size();
  auto block = Block::uninitialized(size * static_cast<Index>(1 + parts_.size()));
  auto out = block.edit().begin();
  out = std::copy_n(event.parameters.values.view().begin(), size, out);
  if (options_.optimizer_state)
    for (const auto& slot : event.optimizer_slots)
      out = std::copy_n(slot.values.view().begin(), size, out);
  if (averages)
    std::copy_n(event.gradient.view().begin(), size, out);
  return block;
}

GateAnswer SharedBlock::answer(Block shared) const {
  GateAnswer answer;
  const auto size = static_cast<std::size_t>(model_.size());
  if (shared.size() == model_.size()) {
    answer.parameters = std::move(shared);
    return answer;
  }
  answer.parameters = parameters_in(shared, model_.size());
  auto slots = parts_.size();
  if (shares_gradients(options_.rule))
    answer.gradient = Block::copy_of(shared.view().subspan(slots-- * size, size));
  for (std::size_t slot = 0; slot < slots; ++slot)
    answer.optimizer_slots.push_back(
      {parts_[slot], Block::copy_of(shared.view().subspan((slot + 1) * size, size))});
  answer.optimizer_steps = steps_;
  return answer;
}

} // namespace troupe
