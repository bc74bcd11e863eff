#include "model/training/split_model.hpp"

#include "model/tensor/compute_scope.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

constexpr std::size_t added_at_once = 4096; // floats; the sums stay in the L1 cache

/// The beginning of part `i` of `parts` in `size`; the first parts are the longer ones.
Index begin_of(Index i, Index parts, Index size) { return (size * i + parts - 1) / parts; }

template <class T>
void copy_rows(const Buffer<T>& from, Index examples, Index begin, Index end, Buffer<T>& to) {
  const auto width = static_cast<Index>(from.size()) / examples;
  to.resize(static_cast<std::size_t>((end - begin) * width));
  std::copy(from.begin() + begin * width, from.begin() + end * width, to.begin());
}

void copy_slice(const Batch& from, Index begin, Index end, Batch& to) {
  const auto copy_fields = [&](const auto& fields, auto& copies) {
    copies.resize(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      copy_rows(fields[i].values, from.size, begin, end, copies[i].values);
      copy_rows(fields[i].classes, from.size, begin, end, copies[i].classes);
    }
  };
  to.size = end - begin;
  copy_fields(from.inputs, to.inputs);
  copy_fields(from.targets, to.targets);
}

} // namespace

void check_splittable(const Model& model, Index threads) {
  if (threads > 1 && model.mixes_examples())
    throw std::invalid_argument(
      "model '" + model.name()
      + "' may look at the whole batch (batch_norm, a layer that carries its "
        "state, a TorchScript module), so that its batches cannot be "
        "split over "
      + std::to_string(threads) + " threads; set training.threads to 1, or take layer_norm");
}

SplitModel::SplitModel(std::unique_ptr<Model> model, Index threads)
  : pool_(threads),
    parts_(static_cast<std::size_t>(threads)) {
  check_splittable(*model, threads);
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    parts_[i].model = model->clone();
    parts_[i].gradient.resize(static_cast<std::size_t>(model->layout().size()));
  }
  parts_.front().model = std::move(model);
}

std::unique_ptr<Model> SplitModel::clone() const {
  return std::make_unique<SplitModel>(whole().clone(), pool_.size());
}

double SplitModel::loss_and_gradient(std::span<const float> parameters, const Batch& batch,
                                     std::span<float> gradient) {
  pool_.run([&](Index thread) {
    const ComputeScope scope;
    auto& part = parts_[static_cast<std::size_t>(thread)];
    const auto begin = begin_of(thread, pool_.size(), batch.size);
    const auto end = begin_of(thread + 1, pool_.size(), batch.size);
    part.weight = part.loss = 0;
    if (begin == end)
      return;
    copy_slice(batch, begin, end, part.batch);
    part.batch.noise = batch.noise.derive(static_cast<std::uint64_t>(thread));
    part.loss = part.model->loss_and_gradient(
      parameters, part.batch, thread == 0 ? gradient : std::span<float>{part.gradient});
    part.weight = part.model->weight(part.batch);
  });
  double weight = 0, loss = 0;
  for (const auto& part : parts_)
    weight += part.weight;
  for (const auto& part : parts_)
    loss += part.weight > 0 ? part.weight / weight * part.loss : 0;
  pool_.run([&](Index thread) {
    const ComputeScope scope;
    add(gradient, weight, thread);
  });
  return loss;
}

/// Adds up the thread's share of the elements, over all parts.
void SplitModel::add(std::span<float> gradient, double weight, Index thread) {
  const auto size = static_cast<Index>(gradient.size());
  const auto end = static_cast<std::size_t>(begin_of(thread + 1, pool_.size(), size));
  for (auto at = static_cast<std::size_t>(begin_of(thread, pool_.size(), size)); at < end;) {
    const auto n = std::min(end - at, added_at_once);
    auto* sum = gradient.data() + at;
    for (const auto& part : parts_) {
      if (!(part.weight > 0))
        continue; // its slice is empty or fully masked
      const auto share = static_cast<float>(part.weight / weight);
      if (&part == &parts_.front())
        std::transform(sum, sum + n, sum, [share](float g) { return share * g; });
      else
        std::transform(sum, sum + n, part.gradient.data() + at, sum,
                       [share](float s, float g) { return s + share * g; });
    }
    at += n;
  }
}

} // namespace troupe
