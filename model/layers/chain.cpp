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
  auto widest = input_width_;
  for (auto& stage : stages_) {
    widest = std::max(widest, stage.width);
    if (!stage.in_place)
      stage.output = Buffer<Scalar>(batch_size * stage.width);
  }
  for (auto& gradient : between_)
    gradient = Buffer<Scalar>(batch_size * widest);
  reserved_ = batch_size;
}

template <class Scalar>
std::span<const Scalar> Chain<Scalar>::forward(std::span<const Scalar> parameters,
                                               std::span<const Scalar> x) {
  batch_size_ = static_cast<Index>(x.size()) / input_width_;
  reserve(batch_size_);
  Scalar* memory = nullptr;
  for (auto& stage : stages_) {
    memory = stage.in_place ? memory : stage.output.data();
    const std::span<Scalar> y{memory, static_cast<std::size_t>(batch_size_ * stage.width)};
    if (!stage.done_before)
      stage.layer->forward(parameters, x, y);
    x = y;
  }
  return x;
}

template <class Scalar>
std::span<Scalar> Chain<Scalar>::output_gradient() {
  const auto width = stages_.empty() ? input_width_ : stages_.back().width;
  return {between_[0].data(), static_cast<std::size_t>(batch_size_ * width)};
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
std::span<Scalar> Chain<Scalar>::between(std::size_t number, std::size_t size) {
  if (number >= between_.size())
    between_.resize(number + 1);
  if (between_[number].size() < size)
    between_[number] = Buffer<Scalar>(size);
  return {between_[number].data(), size};
}

template <class Scalar>
std::span<const Scalar> Chain<Scalar>::backward(std::span<const Scalar> parameters,
                                                std::span<const Scalar> x,
                                                std::span<Scalar> gradient, bool passes_on,
                                                GradientProducts<Scalar>* deferred) {
  std::span<const Scalar> dy = output_gradient();
  std::size_t here = 0, before = 1, fresh = 2; // indices of buffers between stages
  const auto first = passes_on ? 0 : first_;
  for (auto i = stages_.size(); i-- > first;) {
    auto& stage = stages_[i];
    if (stage.done_before)
      continue;
    const auto from = i == 0 ? x : output_of(i - 1);
    const auto wanted = passes_on || i > first;
    if (!stage.in_place)
      std::swap(here, before);
    const auto dx = between(here, wanted ? from.size() : 0);
    const auto known = deferred ? deferred->size() : 0;
    stage.layer->backward({.parameters = parameters,
                           .x = from,
                           .y = output_of(i),
                           .dy = dy,
                           .dx = dx,
                           .gradient = gradient,
                           .deferred = deferred});
    if (deferred && deferred->size() > known)
      before = fresh++; // the buffer of dy must stay unchanged from here on
    dy = dx;
  }
  return passes_on ? dy : std::span<const Scalar>{};
}

template class Chain<float>;
template class Chain<double>;

} // namespace troupe
