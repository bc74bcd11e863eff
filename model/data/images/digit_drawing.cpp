#include "model/data/images/digit_drawing.hpp"

#include "model/data/images/digit_skeletons.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

namespace troupe {

namespace {

using Canvas = std::array<float, digit_size * digit_size>;

struct Dot {
  float x, y;   // pixels
  float radius; // of the pen, pixels
};

/// Maps points of the skeleton to the picture.
class Placement {
public:
  Placement(Random& random, const DigitStyle& style) {
    const auto height = random.uniform(style.height_min, style.height_max);
    const auto width = height * std::exp(style.aspect * random.normal());
    const auto angle = style.rotation * random.normal();
    const auto shear = style.slant_mean + style.slant * random.normal();
    const auto c = std::cos(angle), s = std::sin(angle);
    // Scale, then shear, then rotation; y points down, so a slant to the right is x - shear y.
    xx_ = static_cast<float>(c * width);
    xy_ = static_cast<float>(-height * (c * shear + s));
    yx_ = static_cast<float>(s * width);
    yy_ = static_cast<float>(height * (c - s * shear));
    x0_ = static_cast<float>((digit_size - 1) / 2. + random.uniform(-style.shift, style.shift));
    y0_ = static_cast<float>((digit_size - 1) / 2. + random.uniform(-style.shift, style.shift));
    for (auto& wave : waves_) {
      const auto period = random.uniform(12, 30);
      const auto direction = random.uniform(0, 2 * std::numbers::pi);
      const auto push = random.uniform(0, 2 * std::numbers::pi);
      const auto frequency = 2 * std::numbers::pi / period;
      wave = {static_cast<float>(frequency * std::cos(direction)),
              static_cast<float>(frequency * std::sin(direction)),
              static_cast<float>(random.uniform(0, 2 * std::numbers::pi)),
              static_cast<float>(style.elastic * std::cos(push)),
              static_cast<float>(style.elastic * std::sin(push))};
    }
  }

  Dot operator()(SkeletonPoint p, float radius) const {
    auto x = x0_ + xx_ * p.x + xy_ * p.y;
    auto y = y0_ + yx_ * p.x + yy_ * p.y;
    auto dx = 0.f, dy = 0.f;
    for (const auto& wave : waves_) {
      const auto height = std::sin(wave.kx * x + wave.ky * y + wave.phase);
      dx += wave.dx * height;
      dy += wave.dy * height;
    }
    return {x + dx, y + dy, radius};
  }

private:
  struct Wave {
    float kx = 0, ky = 0, phase = 0; // radians per pixel, radians
    float dx = 0, dy = 0;            // pixels
  };
  float xx_, xy_, yx_, yy_, x0_, y0_;
  std::array<Wave, 2> waves_;
};

/// The point at t in 0 .. 1 between b and c of the Catmull-Rom spline through a, b, c, d.
SkeletonPoint spline(SkeletonPoint a, SkeletonPoint b, SkeletonPoint c, SkeletonPoint d, float t) {
  const auto along = [t](float a, float b, float c, float d) {
    return b + .5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
  };
  return {along(a.x, b.x, c.x, d.x), along(a.y, b.y, c.y, d.y)};
}

/// Draws the line between two dots: full ink up to the pen's radius, fading over one pixel at its
/// edge.
void draw_line(const Dot& from, const Dot& to, Canvas& canvas) {
  const auto reach = std::max(from.radius, to.radius) + .5f;
  const auto first = [](float x) { return std::clamp<int>(int(std::ceil(x)), 0, digit_size); };
  const auto last = [](float x) { return std::clamp<int>(int(std::floor(x)), -1, digit_size - 1); };
  const auto x_first = first(std::min(from.x, to.x) - reach);
  const auto x_last = last(std::max(from.x, to.x) + reach);
  const auto y_first = first(std::min(from.y, to.y) - reach);
  const auto y_last = last(std::max(from.y, to.y) + reach);
  const auto dx = to.x - from.x, dy = to.y - from.y;
  const auto scale = 1 / std::max(dx * dx + dy * dy, 1e-6f);
  for (int y = y_first; y <= y_last; ++y) {
    auto* row = canvas.data() + y * digit_size;
    const auto py = static_cast<float>(y) - from.y;
    for (int x = x_first; x <= x_last; ++x) {
      const auto px = static_cast<float>(x) - from.x;
      auto t = (px * dx + py * dy) * scale;
      t = t < 0 ? 0 : t > 1 ? 1 : t;
      const auto ex = px - t * dx, ey = py - t * dy;
      const auto radius = from.radius + t * (to.radius - from.radius);
      const auto ink = radius + .5f - std::sqrt(ex * ex + ey * ey);
      row[x] = ink > row[x] ? ink : row[x];
    }
  }
}

void draw_stroke(const SkeletonStroke& stroke, float pen, Random& random, const DigitStyle& style,
                 const Placement& place, Canvas& canvas) {
  constexpr std::size_t max_points = 16;
  assert(stroke.size() >= 2 && stroke.size() <= max_points);
  const auto n = std::min(stroke.size(), max_points);
  std::array<SkeletonPoint, max_points> p;
  for (std::size_t i = 0; i < n; ++i) {
    const auto corner = i > 0 && stroke[i].x == stroke[i - 1].x && stroke[i].y == stroke[i - 1].y;
    if (corner) {
      p[i] = p[i - 1];
      continue;
    }
    p[i].x = stroke[i].x + static_cast<float>(style.wobble * random.normal());
    p[i].y = stroke[i].y + static_cast<float>(style.wobble * random.normal());
  }
  const auto phase = static_cast<float>(random.uniform(0, 2 * std::numbers::pi));
  const auto pressure = static_cast<float>(style.pressure);
  const auto dot = [&](SkeletonPoint at, float along) {
    return place(at, pen * (1 + pressure * std::sin(phase + 1.2f * along)));
  };
  constexpr int pieces = 4;
  auto from = dot(p[0], 0);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (p[i].x == p[i + 1].x && p[i].y == p[i + 1].y)
      continue;
    const auto& before = p[i == 0 ? 0 : i - 1];
    const auto& after = p[i + 2 < n ? i + 2 : n - 1];
    for (int piece = 1; piece <= pieces; ++piece) {
      const auto t = static_cast<float>(piece) / pieces;
      const auto to = dot(spline(before, p[i], p[i + 1], after, t), static_cast<float>(i) + t);
      draw_line(from, to, canvas);
      from = to;
    }
  }
}

} // namespace

void draw_digit(int digit, Random& random, const DigitStyle& style, std::span<std::uint8_t> image) {
  assert(image.size() == std::size_t(digit_size * digit_size));
  const auto skeletons = digit_skeletons(digit);
  const auto& skeleton = skeletons[static_cast<std::size_t>(random.below(Index(skeletons.size())))];
  const Placement place{random, style};
  const auto pen = static_cast<float>(random.uniform(style.pen_min, style.pen_max));
  const auto ink = static_cast<float>(255 * random.uniform(style.ink_min, 1));
  const auto noise = static_cast<float>(255 * random.uniform(0, style.noise));
  Canvas canvas{};
  for (const auto& stroke : skeleton.strokes)
    draw_stroke(stroke, pen, random, style, place, canvas);
  // The sum of two bytes minus its mean serves as noise at a third of the cost of a normal; its
  // deviation is 104.5.
  const auto per_step = noise / 104.5f;
  for (std::size_t i = 0; i < image.size(); i += 2) {
    const auto bits = random.bits();
    for (std::size_t k = 0; k < 2; ++k) {
      const auto bytes = bits >> (16 * k);
      const auto step = static_cast<int>(bytes & 0xFF) + static_cast<int>(bytes >> 8 & 0xFF) - 255;
      const auto value = ink * std::min(canvas[i + k], 1.f) + per_step * static_cast<float>(step);
      image[i + k] = static_cast<std::uint8_t>(std::clamp(value, 0.f, 255.f) + .5f);
    }
  }
}

} // namespace troupe
