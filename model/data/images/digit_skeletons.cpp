#include "model/data/images/digit_skeletons.hpp"

#include <array>
#include <initializer_list>

namespace troupe {

namespace {

using Skeletons = std::vector<Skeleton>;

/// From x, y, x, y, ... in hundredths.
SkeletonStroke stroke(std::initializer_list<int> xy) {
  SkeletonStroke points;
  for (const auto* at = xy.begin(); at != xy.end(); at += 2)
    points.push_back({static_cast<float>(at[0]) / 100, static_cast<float>(at[1]) / 100});
  return points;
}

// Pairs of coordinates are easiest to read with one or two lines per stroke.
// clang-format off
std::array<Skeletons, 10> make_skeletons() {
  return {
    Skeletons{ // 0
      // closed oval
      {{stroke({4,-50, -18,-37, -29,-2, -22,33, 0,50, 22,34, 29,0, 20,-36, 0,-50, -10,-45})}},
      // narrow, started at the right
      {{stroke({12,-43, -3,-50, -17,-30, -22,4, -16,36, 1,50, 17,34, 22,0, 16,-34, 3,-49})}},
      // tail inside
      {{stroke({6,-50, -15,-40, -28,-6, -22,32, 0,50, 21,35, 28,2, 22,-30, 6,-48, -5,-38})}},
    },
    Skeletons{ // 1
      // a stroke
      {{stroke({1,-50, 0,0, -1,50})}},
      // with a flag
      {{stroke({-20,-27, -6,-38, 6,-50, 6,-50, 6,0, 5,50})}},
      // with flag and foot
      {{stroke({-18,-30, -6,-40, 3,-50, 3,-50, 3,0, 2,49}),
        stroke({-20,50, 2,49, 24,49})}},
    },
    Skeletons{ // 2
      // plain
      {{stroke({-28,-28, -15,-46, 10,-48, 24,-28, 14,0, -10,26, -30,48, -30,48, 0,47,
                30,46})}},
      // with a loop
      {{stroke({-26,-30, -10,-49, 14,-44, 22,-22, 6,10, -16,38, -30,42, -28,28, -10,30,
                12,46, 34,40})}},
      // swan's neck and a wave
      {{stroke({-24,-36, -2,-50, 20,-36, 14,-6, -10,24, -28,44, -28,44, -12,38, 10,48,
                32,40})}},
    },
    Skeletons{ // 3
      // two bows
      {{stroke({-25,-38, -4,-50, 20,-38, 16,-14, -6,-2, -6,-2, 18,6, 26,26, 8,48, -14,48,
                -28,36})}},
      // flat top
      {{stroke({-24,-47, 0,-47, 22,-48, 22,-48, 8,-26, -6,-8, -6,-8, 18,2, 25,26, 8,48,
                -26,40})}},
      // with a loop between the bows
      {{stroke({-24,-36, -2,-50, 20,-36, 10,-10, -10,-2, -10,-10, 10,0, 24,22, 10,46,
                -14,48, -28,34})}},
    },
    Skeletons{ // 4
      // open
      {{stroke({-20,-48, -24,-20, -30,8, -30,8, 0,8, 30,6}),
        stroke({14,-36, 12,10, 10,50})}},
      // closed
      {{stroke({12,50, 12,0, 13,-50, 13,-50, -10,-18, -32,14, -32,14, 0,15, 32,14})}},
      // open, round
      {{stroke({-24,-46, -28,-12, -16,4, 6,2, 22,-10}),
        stroke({24,-48, 20,0, 16,50})}},
    },
    Skeletons{ // 5
      // body, then the bar
      {{stroke({-18,-46, -20,-28, -22,-8, -22,-8, 0,-14, 22,0, 24,26, 6,48, -26,42}),
        stroke({-18,-46, 4,-47, 27,-48})}},
      // in one go
      {{stroke({27,-46, 4,-46, -14,-45, -14,-45, -18,-28, -20,-10, -20,-10, 4,-10, 24,10,
                18,38, -4,50, -26,40})}},
      // an S
      {{stroke({24,-48, 0,-46, -18,-34, -14,-14, 6,-4, 22,14, 14,40, -6,50, -26,42})}},
    },
    Skeletons{ // 6
      // bow
      {{stroke({20,-48, -4,-34, -22,-4, -24,28, -6,49, 18,42, 24,20, 8,4, -12,10, -22,28})}},
      // straight stem
      {{stroke({6,-50, -10,-24, -22,6, -24,32, -8,49, 14,46, 24,28, 14,10, -6,12, -20,30})}},
      // wide, large loop
      {{stroke({24,-42, 4,-50, -18,-28, -27,8, -20,40, 2,50, 24,36, 24,8, 6,-4, -14,4,
                -24,20})}},
    },
    Skeletons{ // 7
      // plain
      {{stroke({-27,-45, 0,-46, 26,-47, 26,-47, 8,-8, -6,50})}},
      // with a bar
      {{stroke({-26,-45, 0,-46, 26,-47, 26,-47, 10,-6, -2,50}),
        stroke({-14,0, 6,-1, 26,-2})}},
      // with a serif, curved
      {{stroke({-28,-28, -25,-44, -25,-44, 0,-40, 26,-46, 26,-46, 14,-14, 4,12, 0,50})}},
    },
    Skeletons{ // 8
      // in one go, an S and back
      {{stroke({20,-38, 2,-50, -20,-36, -12,-12, 14,8, 24,30, 2,50, -22,32, -12,8, 12,-12,
                21,-32, 14,-46})}},
      // two rings
      {{stroke({4,-3, -13,-10, -19,-27, -11,-43, 4,-50, 17,-42, 21,-26, 14,-10, 1,-2}),
        stroke({2,-2, -16,6, -24,24, -15,43, 0,50, 17,43, 24,24, 16,6, 0,-3})}},
      // started in the middle, slim
      {{stroke({-2,-4, -18,-22, -12,-44, 8,-50, 18,-30, 4,-6, -14,14, -20,36, -2,50,
                18,36, 12,12, -4,-4})}},
    },
    Skeletons{ // 9
      // ring and stick
      {{stroke({20,-34, 2,-50, -20,-38, -22,-16, -4,-3, 16,-14, 21,-36, 21,-36, 19,6,
                14,50})}},
      // with a curved tail
      {{stroke({20,-32, 4,-50, -19,-40, -22,-16, -4,-2, 15,-14, 21,-34, 21,-34, 23,10,
                10,44, -10,50, -24,38})}},
      // leaning stem
      {{stroke({24,-44, 2,-50, -20,-32, -16,-8, 6,-8, 24,-42, 24,-42, 14,0, -4,50})}},
    },
  };
}
// clang-format on

} // namespace

std::span<const Skeleton> digit_skeletons(int digit) {
  static const auto skeletons = make_skeletons();
  return skeletons.at(static_cast<std::size_t>(digit));
}

} // namespace troupe
