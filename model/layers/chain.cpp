#include "model/layers/chain.hpp"

#include "model/layers/relu.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace troupe {

template <class Scalar>
Chain<Scalar>::Chain(const Chain& other)
  : input_width_(other.input_width_),
    parameters_end_(other.parameters_end_),
    first_(other.first_) {
  for (const auto& stage : other.stages_)
    stages_.push_back({stage.layer->clone(),
                       stage.name,
                       stage.input,
                       stage.shape,
                       stage.width,
                       stage.parameters,
                       stage.in_place,
                       stage.done_before,
                       {}});
}

template <class Scalar>
Shape Chain<Scalar>::connect(const Shape& input, const std::string& prefix, Layers layers,
                             Layout& layout) {
  auto shape = input;
  input_width_ = known_width(shape, layers.empty() ? "a chain of layers"
                                                   : layers.front()->kind() + " layer '" + prefix
                                                       + layers.front()->kind() + "0'");
  std::map<std::string, int> seen;
  for (auto& layer : layers) {
    const auto parameters = layout.size();
    const auto kind = layer->kind();
    const auto name = prefix + kind + std::to_string(seen[kind]++);
    auto before = std::exchange(shape, layer->connect(shape, name, layout));
    // Neither the chain's input nor an output that the previous layer reads again may be
    // overwritten.
    const auto in_place
      = layer->in_place() && !stages_.empty() && !stages_.back().layer->needs_output();
    auto* const previous
      = stages_.empty() ? nullptr : dynamic_cast<Rectifying*>(stages_.back().layer.get());
    const auto done_before = previous != nullptr && kind == "relu";
    if (done_before)
      previous->rectify();
    stages_.push_back({std::move(layer),
                       name,
                       std::move(before),
                       shape,
                       known_width(shape, "what follows " + name),
                       parameters,
                       in_place || done_before,
                       done_before,
                       {}});
  }
  parameters_end_ = layout.size();
  train_from(stages_.empty() ? 0 : stages_.front().parameters);
  return shape;
}

template <class Scalar>
Index Chain<Scalar>::train_from(Index offset) {
  first_ = stages_.size();
  if (stages_.empty() || offset >= parameters_end_)
    return parameters_end_;
  // The parameter belongs to the last stage that begins at or before it: a stage without parameters
  // begins where the next one does.
  const auto begun = std::count_if(stages_.begin(), stages_.end(), [offset](const auto& stage) {
    return stage.parameters <= offset;
  });
  first_ = static_cast<std::size_t>(begun) - 1;
  return stages_[first_].parameters;
}

template <class Scalar>
std::string Chain<Scalar>::kind_without_padding_support() const {
  for (const auto& stage : stages_)
    if (!stage.layer->supports_padding())
      return stage.layer->kind();
  return "";
}

template <class Scalar>
std::string Chain<Scalar>::kind_mixing_tokens() const {
  for (const auto& stage : stages_) {
    if (stage.input.size() != 2)
      break;
    if (stage.layer->mixes_last_size())
      return stage.layer->kind();
  }
  return "";
}

template <class Scalar>
std::vector<typename Chain<Scalar>::Link> Chain<Scalar>::links() const {
  std::vector<Link> links;
  for (const auto& stage : stages_)
    links.push_back({*stage.layer, stage.name, stage.input, stage.shape});
  return links;
}

template <class Scalar>
void Chain<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  for (const auto& stage : stages_)
    stage.layer->initialize(parameters, key);
}

template <class Scalar>
void Chain<Scalar>::begin(const PassContext& context) {
  context_ = context;
  for (auto& stage : stages_)
    stage.layer->begin(context);
}

template <class Scalar>
bool Chain<Scalar>::mixes_last_size() const {
  return std::any_of(stages_.begin(), stages_.end(),
                     [](const auto& stage) { return stage.layer->mixes_last_size(); });
}

template <class Scalar>
bool Chain<Scalar>::mixes_examples() const {
  return std::any_of(stages_.begin(), stages_.end(),
                     [](const auto& stage) { return stage.layer->mixes_examples(); });
}

template <class Scalar>
std::vector<StageSummary> Chain<Scalar>::stages() const {
  std::vector<StageSummary> summaries;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const auto end = i + 1 < stages_.size() ? stages_[i + 1].parameters : parameters_end_;
    summaries.push_back({stages_[i].name, stages_[i].shape, stages_[i].parameters, end});
  }
  return summaries;
}

template <class Scalar>
void Chain<Scalar>::reserve(Index batch_size) {
  if (batch_size <= reserved_)
    return;
  for (auto& stage : stages_)
    if (!stage.in_place)
      stage.output = Buffer<Scalar>(batch_size * stage.width);
  reserved_ = batch_size;
}

template <class Scalar>
void Chain<Scalar>::take_between(Scratch* scratch) {
  std::array<Index, 2> widths{};
  std::size_t turn = 1;
  for (const auto& stage : stages_) {
    if (!stage.in_place)
      turn = 1 - turn;
    widths[turn] = std::max(widths[turn], stage.width);
  }
  if (context_.forward_scratch() == nullptr) // gradients, also of the input, are at any of them
    widths.fill(std::max({input_width_, widths[0], widths[1]}));
  for (std::size_t i = 0; i < between_.size(); ++i)
    between_[i].take(scratch, static_cast<std::size_t>(batch_size_ * widths[i]));
}

template <class Scalar>
std::span<const Scalar> Chain<Scalar>::forward(std::span<const Scalar> parameters,
                                               std::span<const Scalar> x) {
  batch_size_ = static_cast<Index>(x.size()) / input_width_;
  auto* const scratch = context_.scratch;
  const auto keeps = context_.forward_scratch() == nullptr;
  if (keeps)
    reserve(batch_size_);
  // In training, too: a later chain is rarely wider, so that the scratch grows no more in backward.
  const ScratchScope until_backward{keeps ? scratch : nullptr};
  if (scratch)
    take_between(scratch);
  std::size_t turn = 1;
  Scalar* memory = nullptr;
  for (auto& stage : stages_) {
    if (!stage.in_place)
      memory = keeps ? stage.output.data() : between_[turn = 1 - turn].data();
    const std::span<Scalar> y{memory, static_cast<std::size_t>(batch_size_ * stage.width)};
    const ScratchScope scope{scratch};
    if (!stage.done_before)
      stage.layer->forward(parameters, x, y);
    x = y;
  }
  return x;
}

template <class Scalar>
std::span<Scalar> Chain<Scalar>::output_gradient() {
  const auto width = stages_.empty() ? input_width_ : stages_.back().width;
  const auto size = static_cast<std::size_t>(batch_size_ * width);
  if (auto* const scratch = context_.forward_scratch())
    return scratch->take<Scalar>(size);
  take_between(context_.scratch);
  return between_[0].numbers().first(size);
}

template <class Scalar>
std::span<const Scalar> Chain<Scalar>::output_of(std::size_t stage) const {
  auto owner = stage;
  while (stages_[owner].in_place)
    --owner;
  return {stages_[owner].output.data(),
          static_cast<std::size_t>(batch_size_ * stages_[stage].width)};
}

template <class Scalar>
std::span<const Scalar> Chain<Scalar>::backward(std::span<const Scalar> parameters,
                                                std::span<const Scalar> x,
                                                std::span<Scalar> gradient, bool passes_on,
                                                GradientProducts<Scalar>* deferred) {
  auto here = between_[0].numbers(), before = between_[1].numbers();
  std::span<const Scalar> dy = here;
  if (!stages_.empty())
    dy = dy.first(output_of(stages_.size() - 1).size());
  std::size_t more = 0;
  const auto first = passes_on ? 0 : first_;
  for (auto i = stages_.size(); i-- > first;) {
    auto& stage = stages_[i];
    if (stage.done_before)
      continue;
    const auto from = i == 0 ? x : output_of(i - 1);
    const auto wanted = passes_on || i > first;
    if (!stage.in_place)
      std::swap(here, before);
    const auto size = wanted ? from.size() : 0;
    if (here.size() < size) {
      if (more == more_.size())
        more_.emplace_back();
      here = more_[more++].take(context_.scratch, size);
    }
    const auto dx = here.first(size);
    const auto known = deferred ? deferred->size() : 0;
    const ScratchScope scope{context_.scratch};
    stage.layer->backward({.parameters = parameters,
                           .x = from,
                           .y = output_of(i),
                           .dy = dy,
                           .dx = dx,
                           .gradient = gradient,
                           .deferred = deferred});
    if (deferred && deferred->size() > known)
      before = {}; // the memory of dy must stay unchanged from here on
    dy = dx;
  }
  return passes_on ? dy : std::span<const Scalar>{};
}

template class Chain<float>;
template class Chain<double>;

} // namespace troupe
