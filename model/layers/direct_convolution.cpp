#include "troupe/model/layers/direct_convolution.hpp"

#include "troupe/model/layers/panels.hpp"

namespace troupe {

namespace {

/// Of slopes that are read again for each tile of weights: half of the nearest cache as floats.
constexpr Index slopes_at_once = 6144;

/// Some windows side by side in an image.
template <class Scalar>
struct WindowRow {
  const Scalar* numbers = nullptr; ///< under the first one
  Index step = 0;                  ///< to those under the next one
  std::span<const Index> runs;     ///< where they lie side by side
  Index run_length = 0;
};

/// y[window, o] = bias[o] + the window's numbers times a panel of the weights.
/// @param last how many of the channels lie in the panel's last register
template <int rows, int registers, class Scalar>
[[gnu::noinline]] void convolve(const WindowRow<Scalar>& x, const Scalar* weights,
                                const Scalar* biases, Scalar* y, Index y_step, Index last) {
  Tile<rows, registers, Scalar> tile;
  tile.load_from(biases, 0);
  const auto step = x.step, length = x.run_length;
  for (const auto run : x.runs) {
    const auto* from = x.numbers + run;
    for (Index t = 0; t < length; ++t, weights += registers * lane_count<Scalar>)
      tile.add_outer_product(from + t, step, weights);
  }
  tile.store_to(y, y_step, last);
}

/// Lines of windows in an image.
struct WindowLines {
  Index count = 0, across = 0;   ///< lines, windows in each
  Index line_step = 0, step = 0; ///< from line to line and from window to window
};

/// slopes[t, o] += sum over windows of x[window, t] dy[window, o], for `rows` numbers side by side
/// and the channels of a panel. The windows' dy are `dy_step` apart.
template <int rows, int registers, class Scalar>
[[gnu::noinline]] void correlate(const Scalar* x, const WindowLines& lines, const Scalar* dy,
                                 Index dy_step, Index last, Scalar* slopes) {
  constexpr auto width = registers * lane_count<Scalar>;
  Tile<rows, registers, Scalar> tile;
  tile.load_from(slopes, width);
  const auto [count, across, line_step, step] = lines;
  for (Index line = 0; line < count; ++line, x += line_step) {
    const auto* from = x;
    for (Index j = 0; j < across; ++j, from += step, dy += dy_step)
      tile.add_outer_product(from, 1, dy, last);
  }
  tile.store_to(slopes, width, lane_count<Scalar>);
}

/// dx[window, t] += sum over channels of dy[window, o] w[o, t], for windows side by side and the
/// numbers of a panel.
template <int rows, int registers, class Scalar>
[[gnu::noinline]] void spread(const Scalar* dy, Index dy_step, Index channels,
                              const Scalar* turned_weights, Scalar* dx, Index step) {
  Tile<rows, registers, Scalar> tile{};
  for (Index o = 0; o < channels; ++o, turned_weights += registers * lane_count<Scalar>)
    tile.add_outer_product(dy + o, dy_step, turned_weights);
  tile.add_to(dx, step);
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
}

template <class Scalar>
Index DirectConvolution<Scalar>::images(std::size_t numbers) const {
  return static_cast<Index>(numbers) / windows_.image_size();
}

/// @returns the image with padding around it, valid until the next call.
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

template <class Scalar>
void DirectConvolution<Scalar>::forward(const Scalar* w, const Scalar* b, std::span<const Scalar> x,
                                        Scalar* y) {
  const Panels<Scalar> panels{windows_.columns(), out_}, bias{1, out_};
  weights_.resize(static_cast<std::size_t>(panels.size()));
  biases_.resize(static_cast<std::size_t>(bias.size()));
  for (Index group = 0; group < windows_.groups; ++group) {
    panels.pack({w + group * out_, panels.rows, out_, outputs_}, weights_.data());
    bias.pack({b + group * out_, 1, out_, outputs_}, biases_.data());
    panels.each([&](const Panel& panel) {
      const auto last = panel.columns - (panel.registers - 1) * lane_count<Scalar>;
      for (Index i = 0; i < images(x.size()); ++i) {
        const auto* from = padded(x.data() + i * windows_.image_size()) + group * in_;
        auto* to = y + i * down_ * across_ * outputs_ + group * out_ + panel.first;
        each_part(across_, highest_tile, [&](Index column, Index count) {
          with_tile(count, panel.registers, [&](auto rows, auto registers) {
            for (Index line = 0; line < down_; ++line)
              convolve<rows, registers, Scalar>(
                {from + line * line_step_ + column * step_, step_, runs_, run_length_},
                weights_.data() + panel.offset, biases_.data() + panel.first,
                to + (line * across_ + column) * outputs_, outputs_, last);
          });
        });
      }
    });
  }
}

// The bias is the weight of a number that is always 1: its slopes are the last row.
template <class Scalar>
void DirectConvolution<Scalar>::backward_parameters(std::span<const Scalar> x, const Scalar* dy,
                                                    Scalar* dw, Scalar* db) {
  const Panels<Scalar> panels{windows_.columns() + 1, out_};
  slopes_.assign(static_cast<std::size_t>(panels.size() * windows_.groups), Scalar{0});
  for (Index i = 0; i < images(x.size()); ++i)
    add_slopes(padded(x.data() + i * windows_.image_size()), dy + i * down_ * across_ * outputs_);
  for (Index group = 0; group < windows_.groups; ++group)
    panels.each([&](const Panel& panel) {
      const auto* row = slopes_.data() + group * panels.size() + panel.offset;
      const auto column = group * out_ + panel.first;
      for (Index r = 0; r < windows_.columns(); ++r, row += panel.registers * lane_count<Scalar>)
        std::copy_n(row, panel.columns, dw + r * outputs_ + column);
      std::copy_n(row, panel.columns, db + column);
    });
}

/// Adds what one image says, as it lies padded, to the slopes.
template <class Scalar>
void DirectConvolution<Scalar>::add_slopes(const Scalar* image, const Scalar* dy) {
  const Panels<Scalar> panels{windows_.columns() + 1, out_};
  const auto most = std::max<Index>(1, slopes_at_once / (across_ * outputs_));
  const Scalar one = 1;
  for (Index group = 0; group < windows_.groups; ++group)
    panels.each([&](const Panel& panel) {
      const auto last = panel.columns - (panel.registers - 1) * lane_count<Scalar>;
      each_part(down_, most, [&](Index line, Index count) {
        const auto* from = image + line * line_step_ + group * in_;
        const auto* slopes = dy + line * across_ * outputs_ + group * out_ + panel.first;
        auto* sums = slopes_.data() + group * panels.size() + panel.offset;
        const auto add = [&](const Scalar* numbers, Index side_by_side, const WindowLines& lines) {
          with_tile(side_by_side, panel.registers, [&](auto rows, auto registers) {
            correlate<rows, registers>(numbers, lines, slopes, outputs_, last, sums);
            sums += rows * registers * lane_count<Scalar>;
          });
        };
        for (const auto run : runs_)
          each_part(run_length_, highest_tile, [&](Index t, Index length) {
            add(from + run + t, length, {count, across_, line_step_, step_});
          });
        add(&one, 1, {count, across_, 0, 0});
      });
    });
}

template <class Scalar>
void DirectConvolution<Scalar>::backward_input(const Scalar* w, const Scalar* dy,
                                               std::span<Scalar> dx) {
  turn_weights(w);
  const auto& [y, x, channels, groups] = windows_;
  // What the panels are padded with is added as well, at last behind the image.
  const auto behind = Panels<Scalar>{out_, run_length_}.registers() * lane_count<Scalar>;
  for (Index image = 0; image < images(dx.size()); ++image) {
    image_.assign(static_cast<std::size_t>(padded_size() + behind), Scalar{0});
    add_products(dy + image * down_ * across_ * outputs_, image_.data());
    for (Index i = 0; i < y.length; ++i)
      std::copy_n(image_.data() + (i + y.padding) * line_ + x.padding * channels,
                  x.length * channels,
                  dx.data() + image * windows_.image_size() + i * x.length * channels);
  }
}

/// Transposes the weights of each group and run, [out_, run_length_].
template <class Scalar>
void DirectConvolution<Scalar>::turn_weights(const Scalar* w) {
  const Panels<Scalar> panels{out_, run_length_};
  const auto runs = static_cast<Index>(runs_.size());
  turned_weights_.resize(static_cast<std::size_t>(windows_.groups * runs * panels.size()));
  auto* to = turned_weights_.data();
  for (Index group = 0; group < windows_.groups; ++group)
    for (Index run = 0; run < runs; ++run, to += panels.size())
      panels.pack(transposed(Factor<Scalar>{w + run * run_length_ * outputs_ + group * out_,
                                            run_length_, out_, outputs_}),
                  to);
}

/// Adds dy W' to the numbers under each window of an image that lies padded.
template <class Scalar>
void DirectConvolution<Scalar>::add_products(const Scalar* dy, Scalar* image) const {
  const Panels<Scalar> panels{out_, run_length_};
  const auto* w = turned_weights_.data();
  for (Index group = 0; group < windows_.groups; ++group)
    for (const auto run : runs_) {
      panels.each([&](const Panel& panel) {
        const auto* slopes = dy + group * out_;
        auto* to = image + group * in_ + run + panel.first;
        each_part(across_, highest_tile, [&](Index column, Index count) {
          with_tile(count, panel.registers, [&](auto rows, auto registers) {
            for (Index line = 0; line < down_; ++line)
              spread<rows, registers>(slopes + (line * across_ + column) * outputs_, outputs_, out_,
                                      w + panel.offset, to + line * line_step_ + column * step_,
                                      step_);
          });
        });
      });
      w += panels.size();
    }
}

template class DirectConvolution<float>;
template class DirectConvolution<double>;

} // namespace troupe
