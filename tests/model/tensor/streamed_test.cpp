#include "model/optimizers/adadelta.hpp"
#include "model/optimizers/adagrad.hpp"
#include "model/optimizers/adam.hpp"
#include "model/optimizers/rmsprop.hpp"
#include "model/optimizers/sgd.hpp"
#include "model/tensor/combine.hpp"
#include "model/tensor/random.hpp"
#include "model/tensor/streamed.hpp"
#include "model/update_rules/apply_rule.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

constexpr Index large = streamed_from + streamed_piece + 7; // whole pieces, and a remainder

Block uniform_block(std::uint64_t seed) {
  auto block = Block::uninitialized(large);
  Random random{RandomKey{seed}};
  for (auto& value : block.edit())
    value = static_cast<float>(random.uniform()) - 0.5f;
  return block;
}

/// True where steps to other memory give the same bits as steps in place.
template <class Optimizer>
bool equal_steps(Optimizer elsewhere, Optimizer in_place) {
  auto parameters = uniform_block(1), twin = Block::copy_of(parameters.view());
  for (std::uint64_t step = 0; step < 2; ++step) {
    const auto gradient = uniform_block(2 + step);
    auto next = Block::uninitialized(large);
    elsewhere.step_from(parameters.view(), next.edit(), gradient.view());
    parameters = next;
    in_place.step(twin.edit(), gradient.view());
  }
  return parameters == twin && elsewhere.slots()[0].values == in_place.slots()[0].values;
}

} // namespace

TEST_CASE("a large step to other memory gives the bits of a step in place", "[optimizers]") {
  const SgdOptions momentum{.learning_rate = 0.1, .momentum = 0.9},
    nesterov{.learning_rate = 0.1, .momentum = 0.9, .nesterov = true};
  CHECK(equal_steps(Sgd{momentum, large}, Sgd{momentum, large}));
  CHECK(equal_steps(Sgd{nesterov, large}, Sgd{nesterov, large}));
  CHECK(equal_steps(Adam{AdamOptions{}, large}, Adam{AdamOptions{}, large}));
  CHECK(equal_steps(RmsProp{RmsPropOptions{}, large}, RmsProp{RmsPropOptions{}, large}));
  CHECK(equal_steps(AdaGrad{AdaGradOptions{}, large}, AdaGrad{AdaGradOptions{}, large}));
  CHECK(equal_steps(AdaDelta{AdaDeltaOptions{}, large}, AdaDelta{AdaDeltaOptions{}, large}));
}

TEST_CASE("a large combination in other memory gives the bits of one in place", "[rules]") {
  const auto incoming = uniform_block(2);
  auto in_place = uniform_block(1), elsewhere = Block::uninitialized(large);
  const auto shared = Block::copy_of(in_place.view());
  combine_into(in_place.edit(), in_place.view(), 0.9f, incoming.view(), 0.1f);
  combine_into(elsewhere.edit(), shared.view(), 0.9f, incoming.view(), 0.1f);
  CHECK(elsewhere == in_place);
}

TEST_CASE("a large round gives the same bits whether or not the old parameters have readers",
          "[rules][L9]") {
  for (const std::string rule : {"average", "alpha_beta", "outer_nesterov"}) {
    UpdateRule update;
    update.name = rule;
    auto read = uniform_block(1), alone = Block::copy_of(read.view());
    const auto reader = read;
    Block velocity, velocity_alone;
    std::vector<Block> pushes{uniform_block(2), uniform_block(3)}, same = pushes;
    apply(update, read, velocity, pushes);
    apply(update, alone, velocity_alone, same);
    CHECK(read == alone);
    CHECK(velocity == velocity_alone);
    CHECK(reader == uniform_block(1));
  }
}

TEST_CASE("a result that is not aligned to a cache line is not streamed", "[rules]") {
  const auto block = Block::uninitialized(large + 1);
  auto copy = block;
  const auto memory = copy.overwrite();
  CHECK(streams(memory.first(large)));
  CHECK_FALSE(streams(memory.last(large)));
  CHECK_FALSE(streams(memory.first(streamed_from - 1)));
}
