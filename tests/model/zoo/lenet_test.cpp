#include "model/zoo/lenet.hpp"
#include "tests/support/gradient_check.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

DataSpec square_images(Index size) {
  return {{{"images", ElementType::float32, {any_size, size, size}, 0}},
          {{"label", ElementType::class_index, {any_size}, 10}}};
}

BasicBatch<double> random_images(Index count, Index size) {
  Random random{{3}};
  BasicBatch<double> batch;
  batch.size = count;
  batch.inputs.resize(1);
  batch.targets.resize(1);
  for (Index i = 0; i < count * size * size; ++i)
    batch.inputs[0].values.push_back(random.uniform());
  for (Index i = 0; i < count; ++i)
    batch.targets[0].classes.push_back(static_cast<std::int32_t>(random.below(10)));
  return batch;
}

} // namespace

TEST_CASE("lenet on images of 28 x 28 has 61706 parameters", "[lenet]") {
  const auto lenet = make_lenet<float>(square_images(28));
  CHECK(lenet->layout().size() == 61'706);
  CHECK(lenet->layout().find("linear0.weight")->shape == Shape{400, 120});
  CHECK(lenet->prediction().shape == Shape{any_size, 10});
}

TEST_CASE("the gradient of lenet equals finite differences", "[lenet][B50]") {
  // tanh, because differences across the corner of a rectifier are not its gradient
  const auto lenet = make_lenet<double>(square_images(12), {.activation = "tanh"});
  Buffer<double> parameters(static_cast<std::size_t>(lenet->layout().size()));
  lenet->initialize(parameters, {1});
  const auto batch = random_images(2, 12);
  Buffer<double> gradient(parameters.size(), 99.0), unused(parameters.size());
  lenet->loss_and_gradient(parameters, batch, gradient);
  const auto loss = [&] { return lenet->loss_and_gradient(parameters, batch, unused); };
  for (const auto* name : {"conv2d0.weight", "conv2d0.bias", "conv2d1.bias", "linear2.bias"}) {
    INFO(name);
    const auto& parameter = *lenet->layout().find(name);
    const auto offset = static_cast<std::size_t>(parameter.offset);
    const auto size = static_cast<std::size_t>(parameter.size());
    CHECK(test::gradient_error(std::span{parameters}.subspan(offset, size),
                               std::span{gradient}.subspan(offset, size), loss)
          < 1e-6);
  }
}

TEST_CASE("lenet keeps its memory from batch to batch", "[lenet]") {
  const auto lenet = make_lenet<double>(square_images(28));
  Buffer<double> parameters(static_cast<std::size_t>(lenet->layout().size()));
  lenet->initialize(parameters, {1});
  const auto few = random_images(3, 28), many = random_images(5, 28);
  const auto* memory = lenet->forward(parameters, many).data();
  CHECK(lenet->forward(parameters, few).data() == memory);
  CHECK(lenet->forward(parameters, many).data() == memory);
}

TEST_CASE("images too small for lenet are refused with a sentence", "[lenet]") {
  CHECK_THROWS_WITH(make_lenet<float>(square_images(6)),
                    Contains("'conv2d1'") && Contains("window of 5"));
}
