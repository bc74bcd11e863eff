#include "model/training/batch_gradient.hpp"

#include "model/kernels/packed_product.hpp"
#include "model/tensor/finite_numbers.hpp"
#include "model/tensor/streamed.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Computes some rows of a product, written to `to` without gaps.
void make_rows(const GradientProduct<float>& whole, Index row, Index rows, float* to) {
  const ProductScope scope{whole.products};
  auto left = whole.left;
  const auto stride = left.row_stride();
  left.data += left.transposed ? row : row * stride;
  (left.transposed ? left.columns : left.rows) = rows;
  left.stride = stride;
  product(left, whole.right, {to, rows, whole.columns()});
}

/// As many rows as stay in a core's caches.
Index rows_of_part(const GradientProduct<float>& product) {
  const auto most = std::clamp(streamed_from / product.columns(), Index{1}, packed_rows_at_once);
  return std::min(most, product.rows());
}

/// Calls use(row, rows) for one part after the other.
template <class Use>
void each_part_of(const GradientProduct<float>& product, const Use& use) {
  const auto most = rows_of_part(product);
  for (Index row = 0; row < product.rows(); row += most)
    use(row, std::min(most, product.rows() - row));
}

bool is_finite(const Factor<float>& factor) {
  for (Index row = 0; row < factor.rows; ++row)
    if (!all_finite(std::span{factor.data + row * factor.row_stride(),
                              static_cast<std::size_t>(factor.columns)}))
      return false;
  return true;
}

} // namespace

std::span<float> BatchGradient::begin() {
  if (values_.empty()) {
    values_.resize(size_);
    release_pages(values_); // written by a former owner
  }
  deferred_.clear();
  lost_ = false;
  return values_;
}

std::span<float> BatchGradient::range(Index begin, Index end) {
  return std::span{values_}.subspan(static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(end - begin));
}

std::span<float> BatchGradient::whole() {
  if (values_.empty())
    values_.assign(size_, 0.0f);
  written_ = true;
  for (const auto& product : deferred_) {
    const auto to = range(product.begin, product.begin + product.size());
    if (lost_)
      std::fill(to.begin(), to.end(), 0.0f);
    else
      each_part_of(product, [&](Index row, Index rows) {
        make_rows(product, row, rows, to.data() + row * product.columns());
      });
  }
  deferred_.clear();
  return values_;
}

bool BatchGradient::looks_finite(const Layout& layout) const {
  const auto& parameters = layout.parameters();
  return std::all_of(parameters.begin(), parameters.end(), [&](const Parameter& parameter) {
    for (const auto& product : deferred_)
      if (product.begin == parameter.offset)
        return is_finite(product.left) && is_finite(product.right);
    return edges_finite(
      {values_.data() + parameter.offset, static_cast<std::size_t>(parameter.size())},
      parameter.shape.front());
  });
}

void BatchGradient::prepare_update() {
  if (std::exchange(written_, deferred_.empty()))
    for (const auto& product : deferred_)
      release_pages(range(product.begin, product.begin + product.size()));
  std::size_t largest = part_.size();
  for (const auto& product : deferred_)
    largest
      = std::max(largest, static_cast<std::size_t>(rows_of_part(product) * product.columns()));
  part_.resize(largest);
}

void BatchGradient::apply_to(StepInParts& step) {
  std::sort(deferred_.begin(), deferred_.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  Index done = 0;
  for (const auto& product : deferred_) {
    step.move(done, range(done, product.begin));
    each_part_of(product, [&](Index row, Index rows) {
      make_rows(product, row, rows, part_.data());
      step.move(product.begin + row * product.columns(),
                {part_.data(), static_cast<std::size_t>(rows * product.columns())});
    });
    done = product.begin + product.size();
  }
  step.move(done, range(done, static_cast<Index>(size_)));
}

std::uint64_t BatchGradient::unused_bytes() const {
  Index unused = 0;
  for (const auto& product : deferred_)
    unused += product.size();
  return static_cast<std::uint64_t>(unused) * sizeof(float);
}

} // namespace troupe
