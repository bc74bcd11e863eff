#include "troupe/model/layers/patches.hpp"

#include "troupe/model/layers/checks.hpp"
#include "troupe/model/layers/layer.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace troupe {

namespace {

/// Calls run(offset in the image, offset in the rows, count) for each run of numbers under the
/// windows, and gap(offset in the rows, count) for each one of padding.
template <class Run, class Gap>
void each_run(const Patches& patches, Index group, Run run, Gap gap) {
  const auto& [y, x, channels, groups] = patches;
  const auto part = channels / groups;
  const auto whole_rows = groups == 1 && x.dilation == 1;
  Index row = 0;
  for (Index py = 0; py < y.positions(); ++py)
    for (Index px = 0; px < x.positions(); ++px)
      for (Index ky = 0; ky < y.kernel; ++ky) {
        const auto line = y.place(py, ky);
        if (!y.inside(line)) {
          gap(row, x.kernel * part);
        } else if (whole_rows) {
          const auto first = x.place(px, 0);
          const auto begin = std::clamp<Index>(-first, 0, x.kernel);
          const auto end = std::clamp<Index>(x.length - first, begin, x.kernel);
          gap(row, begin * part);
          run((line * x.length + first + begin) * channels, row + begin * part,
              (end - begin) * part);
          gap(row + end * part, (x.kernel - end) * part);
        } else {
          for (Index kx = 0; kx < x.kernel; ++kx) {
            const auto place = x.place(px, kx);
            if (x.inside(place))
              run((line * x.length + place) * channels + group * part, row + kx * part, part);
            else
              gap(row + kx * part, part);
          }
        }
        row += x.kernel * part;
      }
}

/// A constant number of elements: a few instructions instead of a call.
template <Index Count, class Scalar>
void copy_few(const Scalar* from, Index, Scalar* to) {
  std::memcpy(to, from, Count * sizeof(Scalar));
}

template <class Scalar>
void copy_many(const Scalar* from, Index n, Scalar* to) {
  std::copy_n(from, n, to);
}

/// Windows that lie inside of the image, whose lines are whole: nothing to decide in between.
template <class Scalar, class Copy>
void gather_inside(const Patches& patches, const Scalar* image, Scalar* rows, Copy copy) {
  const auto& [y, x, channels, groups] = patches;
  const auto line = x.length * channels, run = x.kernel * channels;
  const auto down = y.positions(), across = x.positions();
  for (Index py = 0; py < down; ++py)
    for (Index px = 0; px < across; ++px) {
      const auto* from = image + py * y.stride * line + px * x.stride * channels;
      for (Index ky = 0; ky < y.kernel; ++ky, from += line, rows += run)
        copy(from, run, rows);
    }
}

/// Runs of images with one channel are as short as the kernel.
template <class Scalar>
void gather_inside(const Patches& patches, const Scalar* image, Scalar* rows) {
  switch (patches.x.kernel * patches.channels) {
  case 3: return gather_inside(patches, image, rows, copy_few<3, Scalar>);
  case 5: return gather_inside(patches, image, rows, copy_few<5, Scalar>);
  case 7: return gather_inside(patches, image, rows, copy_few<7, Scalar>);
  case 9: return gather_inside(patches, image, rows, copy_few<9, Scalar>);
  default: gather_inside(patches, image, rows, copy_many<Scalar>);
  }
}

bool all_inside(const Patches& patches) {
  return patches.groups == 1 && patches.y.padding == 0 && patches.x.padding == 0
         && patches.y.dilation == 1 && patches.x.dilation == 1;
}

} // namespace

void WindowAxis::check(const std::string& who) const {
  if (kernel < 1 || stride < 1 || dilation < 1 || padding < 0)
    throw std::invalid_argument(who + " has the kernel " + std::to_string(kernel) + ", stride "
                                + std::to_string(stride) + ", dilation " + std::to_string(dilation)
                                + " and padding " + std::to_string(padding)
                                + "; the padding must be 0 or more, the others 1 or more");
  if (reach() > length + 2 * padding)
    throw std::invalid_argument(who + ": a window of " + std::to_string(reach())
                                + " does not fit into " + std::to_string(length)
                                + " places with a padding of " + std::to_string(padding)
                                + "; make it smaller or pad more");
  if (padding >= reach())
    throw std::invalid_argument(who + ": with a padding of " + std::to_string(padding)
                                + " a window of " + std::to_string(reach())
                                + " lies on padding alone; pad less");
}

template <class Scalar>
void Patches::gather(const Scalar* image, Index group, Scalar* rows) const {
  if (all_inside(*this))
    return gather_inside(*this, image, rows);
  each_run(
    *this, group, [=](Index from, Index to, Index n) { std::copy_n(image + from, n, rows + to); },
    [=](Index to, Index n) { std::fill_n(rows + to, n, Scalar{0}); });
}

template <class Scalar>
void Patches::scatter_add(const Scalar* rows, Index group, Scalar* image) const {
  each_run(
    *this, group,
    [=](Index to, Index from, Index n) {
      for (Index i = 0; i < n; ++i)
        image[to + i] += rows[from + i];
    },
    [](Index, Index) {});
}

ImageShape image_shape(const Shape& shape, int dimensions, const std::string& who) {
  const auto plain = static_cast<std::size_t>(dimensions) + 1;
  if (shape.size() != plain && shape.size() != plain + 1) {
    const std::string places = dimensions == 1 ? "length" : "height, width";
    refuse_shape(who, shape,
                 "[any, " + places + ", channels], or [any, " + places + "] for one channel");
  }
  known_width(shape, who);
  const auto channels = shape.size() == plain ? 1 : shape.back();
  return {dimensions == 1 ? 1 : shape[1], shape[plain - 1], channels};
}

template void Patches::gather(const float*, Index, float*) const;
template void Patches::gather(const double*, Index, double*) const;
template void Patches::scatter_add(const float*, Index, float*) const;
template void Patches::scatter_add(const double*, Index, double*) const;

} // namespace troupe
