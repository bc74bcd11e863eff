#include "model/layers/convolution/direct_convolution.hpp"

#include "model/kernels/panels.hpp"
#include "model/layers/convolution/window_kernels.hpp"

namespace troupe {

namespace {

/// Weight gradients that are read again for each tile of weights: half of the L1 cache as floats.
constexpr Index gradients_at_once = 6144;

/// How many of a group's output channels, those that leave the last register almost empty, are
/// faster with the numbers of a run in the lanes.
template <class Scalar>
Index narrow_channels(Index channels, Index run_length) {
  constexpr auto lanes = lane_count<Scalar>;
  const auto rest = channels % lanes;
  const auto registers = (run_length + lanes - 1) / lanes;
  // Twice, to pay for summing the lanes and for the unused lanes at the end of runs.
  return rest <= widest_tile && 2 * rest * registers <= run_length ? rest : 0;
}

} // namespace

template <class Scalar>
DirectConvolution<Scalar>::DirectConvolution(const Windows& windows, Index outputs)
  : windows_(windows),
    outputs_(outputs),
    in_(windows.channels / windows.groups),
    out_(outputs / windows.groups),
    down_(windows.y.positions()),
    across_(windows.x.positions()),
    line_((windows.x.length + 2 * windows.x.padding) * windows.channels),
    line_step_(windows.y.stride * line_),
    step_(windows.x.stride * windows.channels) {
  const auto& [y, x, channels, groups] = windows_;
  const auto whole_lines = groups == 1 && x.dilation == 1;
  run_length_ = whole_lines ? x.kernel * channels : in_;
  for (Index ky = 0; ky < y.kernel; ++ky)
    for (Index kx = 0; kx < (whole_lines ? 1 : x.kernel); ++kx)
      runs_.push_back(ky * y.dilation * line_ + kx * x.dilation * channels);
  narrow_ = narrow_channels<Scalar>(out_, run_length_);
  wide_ = out_ - narrow_;
}

template <class Scalar>
Index DirectConvolution<Scalar>::images(std::size_t numbers) const {
  return static_cast<Index>(numbers) / windows_.image_size();
}

/// @returns the image with padding around it, valid until the next call
template <class Scalar>
const Scalar* DirectConvolution<Scalar>::padded(const Scalar* image) {
  const auto& [y, x, channels, groups] = windows_;
  if (y.padding == 0 && x.padding == 0)
    return image;
  image_.assign(static_cast<std::size_t>(padded_size()), Scalar{0});
  for (Index i = 0; i < y.length; ++i)
    std::copy_n(image + i * x.length * channels, x.length * channels,
                image_.data() + (i + y.padding) * line_ + x.padding * channels);
  return image_.data();
}

/// Calls function(windows, count, first) for the windows of each line of an image, as many adjacent
/// ones as a tile is high; `first` is the index of the first one in its line.
template <class Scalar>
template <class Function>
void DirectConvolution<Scalar>::each_strip(const Scalar* image, Function function) const {
  each_part(across_, highest_tile, [&](Index first, Index count) {
    function(WindowRow<Scalar>{image + first * step_, step_, runs_, run_length_}, count, first);
  });
}

// Image by image, so that the image and its output stay in the L2 cache for all panels and groups.
template <class Scalar>
void DirectConvolution<Scalar>::forward(const Scalar* w, const Scalar* b, std::span<const Scalar> x,
                                        Scalar* y) {
  pack_weights(w, b);
  for (Index i = 0; i < images(x.size()); ++i) {
    const auto* image = padded(x.data() + i * windows_.image_size());
    for (Index group = 0; group < windows_.groups; ++group) {
      auto* to = y + i * down_ * across_ * outputs_ + group * out_;
      if (wide_ > 0)
        forward_wide(image + group * in_, group, to);
      if (narrow_ > 0)
        forward_narrow(image + group * in_, b + group * out_ + wide_, group, to + wide_);
    }
  }
}

/// Packs the weights of all groups.
template <class Scalar>
void DirectConvolution<Scalar>::pack_weights(const Scalar* w, const Scalar* b) {
  const Panels<Scalar> panels{windows_.columns(), wide_}, bias{1, wide_};
  weights_.resize(static_cast<std::size_t>(windows_.groups * panels.size()));
  biases_.resize(static_cast<std::size_t>(windows_.groups * bias.size()));
  narrow_weights_.resize(narrow_ > 0 ? static_cast<std::size_t>(windows_.groups) : 0);
  for (Index group = 0; group < windows_.groups; ++group) {
    const auto wide = group * out_;
    panels.pack({w + wide, panels.rows, wide_, outputs_}, weights_.data() + group * panels.size());
    bias.pack({b + wide, 1, wide_, outputs_}, biases_.data() + group * bias.size());
    if (narrow_ > 0)
      transpose_weights(w + wide + wide_, narrow_, 1,
                        narrow_weights_[static_cast<std::size_t>(group)]);
  }
}

template <class Scalar>
void DirectConvolution<Scalar>::forward_wide(const Scalar* image, Index group, Scalar* y) const {
  const Panels<Scalar> panels{windows_.columns(), wide_}, bias{1, wide_};
  const auto* weights = weights_.data() + group * panels.size();
  const auto* biases = biases_.data() + group * bias.size();
  panels.each([&](const ColumnPanel& panel) {
    const auto last = panel.columns - (panel.registers - 1) * lane_count<Scalar>;
    each_strip(image, [&](WindowRow<Scalar> windows, Index count, Index first) {
      with_tile(count, panel.registers, [&](auto rows, auto registers) {
        auto* to = y + first * outputs_ + panel.first;
        for (Index line = 0; line < down_; ++line, to += across_ * outputs_) {
          convolve<rows, registers>(windows, weights + panel.offset, biases + panel.first, to,
                                    outputs_, last);
          windows.numbers += line_step_;
        }
      });
    });
  });
}

template <class Scalar>
void DirectConvolution<Scalar>::forward_narrow(const Scalar* image, const Scalar* b, Index group,
                                               Scalar* y) const {
  const auto* weights = narrow_weights_[static_cast<std::size_t>(group)].data();
  each_strip(image, [&](WindowRow<Scalar> windows, Index count, Index first) {
    with_tile(count, narrow_, [&](auto rows, auto channels) {
      auto* to = y + first * outputs_;
      for (Index line = 0; line < down_; ++line, to += across_ * outputs_) {
        convolve_narrow<rows, channels>(windows, weights, b, to, outputs_);
        windows.numbers += line_step_;
      }
    });
  });
}

/// Packs the weights of some channels of one group, transposed: [channels, run_length_] for each
/// run.
template <class Scalar>
void DirectConvolution<Scalar>::transpose_weights(const Scalar* w, Index channels, Index widest,
                                                  Buffer<Scalar>& packed) const {
  const Panels<Scalar> panels{channels, run_length_, widest};
  const auto runs = static_cast<Index>(runs_.size());
  packed.resize(static_cast<std::size_t>(runs * panels.size()));
  for (Index run = 0; run < runs; ++run)
    panels.pack(
      transposed(Factor<Scalar>{w + run * run_length_ * outputs_, run_length_, channels, outputs_}),
      packed.data() + run * panels.size());
}

/// For each group the sums of the wide channels, [columns + 1, wide_], with the bias gradient in
/// the last row; then those of the narrow ones, [narrow_, run_length_] for each run.
template <class Scalar>
Index DirectConvolution<Scalar>::gradients_size() const {
  return Panels<Scalar>{windows_.columns() + 1, wide_}.size()
         + static_cast<Index>(runs_.size()) * Panels<Scalar>{narrow_, run_length_}.size();
}

template <class Scalar>
void DirectConvolution<Scalar>::backward_parameters(std::span<const Scalar> x, const Scalar* dy,
                                                    Scalar* dw, Scalar* db) {
  gradients_.assign(static_cast<std::size_t>(windows_.groups * gradients_size()), Scalar{0});
  std::fill_n(db, outputs_, Scalar{0});
  for (Index i = 0; i < images(x.size()); ++i) {
    const auto* image = padded(x.data() + i * windows_.image_size());
    for (Index group = 0; group < windows_.groups; ++group) {
      const auto* wide = dy + i * down_ * across_ * outputs_ + group * out_;
      auto* gradients = gradients_.data() + group * gradients_size();
      add_wide_gradients(image + group * in_, wide, gradients);
      if (narrow_ > 0)
        add_narrow_gradients(image + group * in_, wide + wide_, gradients,
                             db + group * out_ + wide_);
    }
  }
  for (Index group = 0; group < windows_.groups; ++group)
    write_gradients(gradients_.data() + group * gradients_size(), dw + group * out_,
                    db + group * out_);
}

/// Adds the contribution of one image.
template <class Scalar>
void DirectConvolution<Scalar>::add_wide_gradients(const Scalar* image, const Scalar* dy,
                                                   Scalar* gradients) const {
  const auto most = std::max<Index>(1, gradients_at_once / (across_ * outputs_));
  const Scalar one = 1; // the input of the bias
  Panels<Scalar>{windows_.columns() + 1, wide_}.each([&](const ColumnPanel& panel) {
    const auto last = panel.columns - (panel.registers - 1) * lane_count<Scalar>;
    each_part(down_, most, [&](Index line, Index lines) {
      const AtWindows<Scalar> at{dy + line * across_ * outputs_ + panel.first, across_ * outputs_,
                                 outputs_};
      const auto* from = image + line * line_step_;
      auto* sums = gradients + panel.offset;
      const auto add = [&](const AtWindows<Scalar>& numbers, Index side_by_side) {
        with_tile(side_by_side, panel.registers, [&](auto rows, auto registers) {
          correlate<rows, registers>(numbers, at, lines, across_, last, sums);
          sums += rows * registers * lane_count<Scalar>;
        });
      };
      for (const auto run : runs_)
        each_part(run_length_, highest_tile, [&](Index t, Index length) {
          add({from + run + t, line_step_, step_}, length);
        });
      add({&one, 0, 0}, 1);
    });
  });
}

/// The same for the narrow channels, and their biases.
template <class Scalar>
void DirectConvolution<Scalar>::add_narrow_gradients(const Scalar* image, const Scalar* dy,
                                                     Scalar* gradients, Scalar* db) const {
  const Panels<Scalar> panels{narrow_, run_length_};
  auto* sums = gradients + Panels<Scalar>{windows_.columns() + 1, wide_}.size();
  for (const auto run : runs_) {
    panels.each([&](const ColumnPanel& panel) {
      const auto last = panel.columns - (panel.registers - 1) * lane_count<Scalar>;
      with_tile(narrow_, panel.registers, [&](auto channels, auto registers) {
        correlate<channels, registers, Scalar>({dy, across_ * outputs_, outputs_},
                                               {image + run + panel.first, line_step_, step_},
                                               down_, across_, last, sums + panel.offset);
      });
    });
    sums += panels.size();
  }
  for (Index window = 0; window < down_ * across_; ++window)
    for (Index o = 0; o < narrow_; ++o)
      db[o] += dy[window * outputs_ + o];
}

/// Copies one group's sums to their places in the gradient.
template <class Scalar>
void DirectConvolution<Scalar>::write_gradients(const Scalar* gradients, Scalar* dw,
                                                Scalar* db) const {
  const auto columns = windows_.columns();
  const Panels<Scalar> wide{columns + 1, wide_}, narrow{narrow_, run_length_};
  wide.each([&](const ColumnPanel& panel) {
    const auto* row = gradients + panel.offset;
    for (Index r = 0; r < columns; ++r, row += panel.registers * lane_count<Scalar>)
      std::copy_n(row, panel.columns, dw + r * outputs_ + panel.first);
    std::copy_n(row, panel.columns, db + panel.first);
  });
  gradients += wide.size();
  for (Index first = 0; first < columns; first += run_length_, gradients += narrow.size())
    narrow.each([&](const ColumnPanel& panel) {
      const auto* row = gradients + panel.offset;
      for (Index o = 0; o < narrow_; ++o, row += panel.registers * lane_count<Scalar>)
        for (Index c = 0; c < panel.columns; ++c)
          dw[(first + panel.first + c) * outputs_ + wide_ + o] = row[c];
    });
}

template <class Scalar>
void DirectConvolution<Scalar>::backward_input(const Scalar* w, const Scalar* dy,
                                               std::span<Scalar> dx) {
  const auto& [y, x, channels, groups] = windows_;
  // The padding of the panels is added as well, in the end after the image.
  const auto behind = Panels<Scalar>{out_, run_length_}.registers() * lane_count<Scalar>;
  transposed_weights_.resize(static_cast<std::size_t>(groups));
  for (Index group = 0; group < groups; ++group)
    transpose_weights(w + group * out_, out_, widest_tile,
                      transposed_weights_[static_cast<std::size_t>(group)]);
  for (Index image = 0; image < images(dx.size()); ++image) {
    image_.assign(static_cast<std::size_t>(padded_size() + behind), Scalar{0});
    for (Index group = 0; group < groups; ++group)
      add_products(dy + image * down_ * across_ * outputs_ + group * out_,
                   transposed_weights_[static_cast<std::size_t>(group)].data(),
                   image_.data() + group * in_);
    for (Index i = 0; i < y.length; ++i)
      std::copy_n(image_.data() + (i + y.padding) * line_ + x.padding * channels,
                  x.length * channels,
                  dx.data() + image * windows_.image_size() + i * x.length * channels);
  }
}

/// Adds one group's dy W' to the numbers under each window of a padded image.
template <class Scalar>
void DirectConvolution<Scalar>::add_products(const Scalar* dy, const Scalar* transposed_weights,
                                             Scalar* image) const {
  const Panels<Scalar> panels{out_, run_length_};
  for (const auto run : runs_) {
    panels.each([&](const ColumnPanel& panel) {
      each_part(across_, highest_tile, [&](Index first, Index count) {
        with_tile(count, panel.registers, [&](auto rows, auto registers) {
          const auto* gradients = dy + first * outputs_;
          auto* to = image + run + panel.first + first * step_;
          for (Index line = 0; line < down_; ++line) {
            spread<rows, registers>(gradients, outputs_, out_, transposed_weights + panel.offset,
                                    to, step_);
            gradients += across_ * outputs_;
            to += line_step_;
          }
        });
      });
    });
    transposed_weights += panels.size();
  }
}

template class DirectConvolution<float>;
template class DirectConvolution<double>;

} // namespace troupe
