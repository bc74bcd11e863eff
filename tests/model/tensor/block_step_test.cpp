#include "model/optimizers/adam.hpp"
#include "model/tensor/block_step.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace troupe;

TEST_CASE("a step of an unshared block stays in its memory", "[block]") {
  auto block = Block::copy_of(std::vector<float>{1, 2, 3});
  const auto* memory = block.view().data();
  const BlockStep step{block};
  CHECK(step.before() == memory);
  CHECK(step.after() == memory);
  CHECK(step.before()[2] == 3);
}

TEST_CASE("a step of a shared block reads the old memory, and writes new memory", "[block]") {
  auto block = Block::copy_of(std::vector<float>{1, 2, 3});
  const auto others = block;
  const BlockStep step{block};
  for (int i = 0; i < 3; ++i)
    step.after()[i] = 10 * step.before()[i];
  CHECK(others == Block::copy_of(std::vector<float>{1, 2, 3}));
  CHECK(block == Block::copy_of(std::vector<float>{10, 20, 30}));
}

TEST_CASE("a step outlives the other owners of its block", "[block]") {
  auto block = Block::copy_of(std::vector<float>{1, 2});
  auto others = block;
  const BlockStep step{block};
  others = {};
  CHECK(step.before()[1] == 2);
}

TEST_CASE("an optimizer's step does not change a copy of its slots", "[optimizers]") {
  constexpr Index size = 5;
  Adam shared{AdamOptions{}, size}, alone{AdamOptions{}, size};
  Block parameters{size}, twin{size};
  const std::vector<float> gradient{1, -2, 3, -4, 5};
  for (int i = 0; i < 3; ++i) {
    const auto copies = shared.slots();
    const auto mean = Block::copy_of(copies[0].values.view());
    shared.step(parameters.edit(), gradient);
    alone.step(twin.edit(), gradient);
    CHECK(copies[0].values == mean);
  }
  CHECK(shared.slots()[0].values == alone.slots()[0].values);
  CHECK(shared.slots()[1].values == alone.slots()[1].values);
  CHECK(parameters == twin);
}
