#include "model/kernels/tile_product.hpp"
#include "model/layers/activations.hpp"
#include "model/layers/linear.hpp"
#include "model/optimizers/make_optimizer.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/gradient_check.hpp"

#include <catch2/catch.hpp>

#include <thread>

using namespace troupe;
using Catch::Contains;

namespace {

DataSpec images_and_classes() {
  return {{{"images", ElementType::float32, {any_size, 2, 3}, 0}},
          {{"labels", ElementType::class_index, {any_size}, 4}}};
}

DataSpec numbers_and_numbers(Shape target = {any_size, 2}) {
  return {{{"x", ElementType::float32, {any_size, 3}, 0}},
          {{"y", ElementType::float32, std::move(target), 0}}};
}

template <class Scalar>
BasicBatch<Scalar> random_batch(const DataSpec& data, Index size, std::uint64_t key = 9) {
  Random random{{key}};
  BasicBatch<Scalar> batch;
  batch.size = size;
  const auto fill = [&](const std::vector<FieldSpec>& fields, auto& into) {
    for (const auto& field : fields) {
      auto& target = into.emplace_back();
      for (Index i = 0; i < size * field.width(); ++i)
        if (field.type == ElementType::class_index)
          target.classes.push_back(static_cast<std::int32_t>(random.below(field.classes)));
        else
          target.values.push_back(static_cast<Scalar>(random.uniform(0, 1)));
    }
  };
  fill(data.inputs, batch.inputs);
  fill(data.targets, batch.targets);
  return batch;
}

template <class Scalar>
Buffer<Scalar> initial(const BasicModel<Scalar>& model, std::uint64_t key = 1) {
  Buffer<Scalar> parameters(static_cast<std::size_t>(model.layout().size()));
  model.initialize(parameters, {key});
  return parameters;
}

double worst_network_gradient(BasicNetwork<double>& network, const DataSpec& data) {
  auto parameters = initial(network);
  const auto batch = random_batch<double>(data, 5);
  Buffer<double> gradient(parameters.size(), 99.0), unused(parameters.size());
  network.loss_and_gradient(parameters, batch, gradient);
  return test::gradient_error(parameters, gradient,
                              [&] { return network.loss_and_gradient(parameters, batch, unused); });
}

} // namespace

TEST_CASE("a network takes all its sizes from the problem", "[network]") {
  const Network network{images_and_classes(), {.hidden = {5, 7}}};
  CHECK(network.name() == "mlp");
  CHECK(network.loss_name() == "softmax_cross_entropy");
  CHECK(network.target_kind() == TargetKind::class_index);
  CHECK(network.inputs() == images_and_classes().inputs);
  CHECK(network.prediction().shape == Shape{any_size, 4});
  const auto& parameters = network.layout().parameters();
  REQUIRE(parameters.size() == 6);
  CHECK(network.layout().find("linear0.weight")->shape == Shape{6, 5});
  CHECK(network.layout().find("linear1.weight")->shape == Shape{5, 7});
  CHECK(network.layout().find("linear2.weight")->shape == Shape{7, 4});
  CHECK(network.layout().find("linear2.bias")->shape == Shape{4});
}

TEST_CASE("a network without hidden layers is a linear model", "[network]") {
  const Network network{images_and_classes(), {.hidden = {}}};
  CHECK(network.layout().size() == 6 * 4 + 4);
}

TEST_CASE("a network predicts numbers in the shape of their target", "[network]") {
  CHECK(Network{numbers_and_numbers({any_size})}.prediction().shape == Shape{any_size});
  CHECK(Network{numbers_and_numbers({any_size, 1})}.prediction().shape == Shape{any_size, 1});
  const Network network{numbers_and_numbers({any_size, 2, 3})};
  CHECK(network.loss_name() == "mean_squared_error");
  CHECK(network.prediction().shape == Shape{any_size, 2, 3});
}

TEST_CASE("the gradients of whole networks equal finite differences", "[network][B50]") {
  for (const std::string activation : {"relu", "tanh", "sigmoid"}) {
    INFO(activation);
    const NetworkOptions options{
      .hidden = {5, 6}, .activation = activation, .initializer = "torch"};
    BasicNetwork<double> classes{images_and_classes(), options};
    CHECK(worst_network_gradient(classes, images_and_classes()) < 1e-6);
    BasicNetwork<double> numbers{numbers_and_numbers(), options};
    CHECK(worst_network_gradient(numbers, numbers_and_numbers()) < 1e-6);
    auto logits = options;
    logits.loss = "binary_cross_entropy";
    BasicNetwork<double> binary{numbers_and_numbers(), logits};
    CHECK(worst_network_gradient(binary, numbers_and_numbers()) < 1e-6);
  }
}

TEST_CASE("the gradient is right for classes in a sequence", "[network][B50]") {
  DataSpec data{{{"x", ElementType::float32, {any_size, 3, 2}, 0}},
                {{"tags", ElementType::class_index, {any_size, 3}, 4}}};
  BasicNetwork<double> flat{data, {.hidden = {5}}};
  CHECK(flat.prediction().shape == Shape{any_size, 3, 4});
  CHECK(worst_network_gradient(flat, data) < 1e-6);
  BasicNetwork<double>::Layers layers;
  layers.push_back(std::make_unique<LinearLayer<double>>(4));
  BasicNetwork<double> row_by_row{std::move(layers), data};
  CHECK(row_by_row.prediction().shape == Shape{any_size, 3, 4});
  CHECK(worst_network_gradient(row_by_row, data) < 1e-6);
}

TEST_CASE("custom layers may be in any order", "[network][B50]") {
  const auto data = numbers_and_numbers();
  BasicNetwork<double>::Layers layers;
  layers.push_back(make_activation<double>("tanh")); // must not write to the batch
  layers.push_back(std::make_unique<LinearLayer<double>>(4, "torch"));
  layers.push_back(make_activation<double>("tanh"));
  layers.push_back(make_activation<double>("sigmoid")); // must not overwrite tanh's output
  layers.push_back(std::make_unique<LinearLayer<double>>(5, "torch"));
  layers.push_back(std::make_unique<LinearLayer<double>>(2, "torch"));
  layers.push_back(make_activation<double>("sigmoid"));
  BasicNetwork<double> network{std::move(layers), data};
  CHECK(network.name() == "network");
  CHECK(worst_network_gradient(network, data) < 1e-6);

  const auto batch = random_batch<double>(data, 5);
  const auto before = batch.inputs[0].values;
  network.forward(initial(network), batch);
  CHECK(batch.inputs[0].values == before);
}

TEST_CASE("frozen layers at the front get no gradient, and those after them the same one",
          "[network]") {
  const auto data = images_and_classes();
  BasicNetwork<double> free{data, {.hidden = {5, 4}}},
    frozen{data, {.hidden = {5, 4}, .frozen = {"linear0.*", "linear1.weight"}}};
  const auto parameters = initial(free);
  const auto batch = random_batch<double>(data, 5);
  Buffer<double> all(parameters.size(), 99.0), some(parameters.size(), 99.0);
  CHECK(free.loss_and_gradient(parameters, batch, all)
        == frozen.loss_and_gradient(parameters, batch, some));
  const auto front = frozen.layout().find("linear1.weight")->offset;
  CHECK(std::count(some.begin(), some.begin() + front, 0.0) == front);
  CHECK(std::equal(some.begin() + front, some.end(), all.begin() + front));
  CHECK(frozen.clone()->layout().find("linear0.bias")->role == ParameterRole::frozen);
}

TEST_CASE("a fully frozen network has a gradient of zeros", "[network]") {
  const auto data = images_and_classes();
  BasicNetwork<double> frozen{data, {.hidden = {5}, .frozen = {"*"}}};
  const auto parameters = initial(frozen);
  Buffer<double> gradient(parameters.size(), 99.0);
  frozen.loss_and_gradient(parameters, random_batch<double>(data, 5), gradient);
  CHECK(std::count(gradient.begin(), gradient.end(), 0.0) == frozen.layout().size());
}

TEST_CASE("a network keeps its memory from batch to batch", "[network]") {
  Network network{images_and_classes()};
  const auto parameters = initial(network);
  const auto* first
    = network.forward(parameters, random_batch<float>(images_and_classes(), 8)).data();
  for (Index size : {8, 3, 8})
    CHECK(network.forward(parameters, random_batch<float>(images_and_classes(), size)).data()
          == first);
}

TEST_CASE("a smaller batch after a larger one gives what it gives alone", "[network]") {
  const auto data = images_and_classes();
  Network used{data}, fresh{data};
  const auto parameters = initial(used);
  Buffer<float> gradient(parameters.size()), expected(parameters.size());
  used.loss_and_gradient(parameters, random_batch<float>(data, 64), gradient);
  const auto batch = random_batch<float>(data, 3, 5);
  CHECK(used.loss_and_gradient(parameters, batch, gradient)
        == fresh.loss_and_gradient(parameters, batch, expected));
  CHECK(gradient == expected);
}

TEST_CASE("clones give the same numbers, each on its own thread", "[network]") {
  const auto data = images_and_classes();
  Network network{data};
  const auto parameters = initial(network);
  const auto batch = random_batch<float>(data, 16);
  Buffer<float> mine(parameters.size()), theirs(parameters.size());
  auto clone = network.clone();
  CHECK(clone->layout() == network.layout());
  double loss = 0;
  std::thread thread{[&] { loss = clone->loss_and_gradient(parameters, batch, theirs); }};
  const auto expected = network.loss_and_gradient(parameters, batch, mine);
  thread.join();
  CHECK(loss == expected);
  CHECK(mine == theirs);
}

TEST_CASE("one key gives the same initial parameters, another one others", "[network]") {
  const Network network{images_and_classes()};
  CHECK(initial(network, 1) == initial(network, 1));
  CHECK(initial(network, 1) != initial(network, 2));
}

TEST_CASE("an evaluation gives the loss of training and the accuracy", "[network]") {
  const auto data = images_and_classes();
  Network network{data};
  const auto parameters = initial(network);
  const auto batch = random_batch<float>(data, 10);
  Buffer<float> gradient(parameters.size());
  const auto loss = network.loss_and_gradient(parameters, batch, gradient);
  Metrics metrics;
  network.evaluate(parameters, batch, metrics);
  const auto values = metrics.values();
  REQUIRE(values.size() == 2);
  CHECK(values[0].second == Approx(loss));
  CHECK(values[1].first == "accuracy");
}

TEST_CASE("training fits a few examples", "[network]") {
  const auto data = images_and_classes();
  Network network{data, {.hidden = {32}}};
  auto parameters = initial(network);
  const auto batch = random_batch<float>(data, 12);
  Buffer<float> gradient(parameters.size());
  auto adam = make_optimizer(AdamOptions{.learning_rate = 0.02}, network.layout().size());
  double loss = 0;
  for (int i = 0; i < 300; ++i) {
    loss = network.loss_and_gradient(parameters, batch, gradient);
    adam->step(parameters, gradient);
  }
  CHECK(loss < 0.05);
}

TEST_CASE("an invalid network is refused with a sentence", "[network]") {
  const auto data = images_and_classes();
  CHECK_THROWS_WITH((Network{data, {.input = "image"}}), Contains("'image'") && Contains("images"));
  CHECK_THROWS_WITH((Network{data, {.activation = "step"}}), Contains("relu"));
  CHECK_THROWS_WITH((Network{data, {.loss = "mean_squared_error"}}),
                    Contains("labels class_index [any]"));
  CHECK_THROWS_WITH((Network{data, {.loss = "hinge"}}), Contains("hinge"));
  CHECK_THROWS_WITH((Network{numbers_and_numbers(), {.loss = "softmax_cross_entropy"}}),
                    Contains("y float32 [any, 2]"));
  CHECK_THROWS_AS((Network{data, {.hidden = {0}}}), std::invalid_argument);
  CHECK_THROWS_AS((Network{data, {.initializer = "he"}}), std::invalid_argument);
  CHECK_THROWS_AS((Network{Network::Layers{}, data}), std::invalid_argument);

  auto other = data;
  other.inputs[0].shape = {any_size, any_size, 3};
  CHECK_THROWS_WITH(Network{other}, Contains("[any, any, 3]"));
  other = data;
  other.inputs[0].type = ElementType::class_index;
  CHECK_THROWS_WITH(Network{other}, Contains("images class_index"));
  other = data;
  other.targets[0].classes = 0;
  CHECK_THROWS_WITH(Network{other}, Contains("labels"));
  other.targets.clear();
  CHECK_THROWS_AS(Network{other}, std::invalid_argument);
}

TEST_CASE("a batch of the wrong width is refused", "[network]") {
  Network network{images_and_classes()};
  auto batch = random_batch<float>(images_and_classes(), 4);
  batch.inputs[0].values.pop_back();
  CHECK_THROWS_WITH(network.forward(initial(network), batch), Contains("images"));
}

TEST_CASE("a network on tiles and its clones differ from the library's by rounding only",
          "[product]") {
  if (!tiles_available()) {
    WARN("skipped: this processor has no matrix tiles, or the build does not use them");
    return;
  }
  const DataSpec data{{{"x", ElementType::float32, {any_size, 256}, 0}},
                      {{"y", ElementType::class_index, {any_size}, 10}}};
  Network library{data, {.hidden = {128, 128}}};
  const auto parameters = initial(library);
  const auto batch = random_batch<float>(data, 64);
  Buffer<float> expected(parameters.size()), gradient(parameters.size());
  const auto loss = library.loss_and_gradient(parameters, batch, expected);

  Network tiles{data, {.hidden = {128, 128}}};
  tiles.use_products(Products::tiles);
  const auto clone = tiles.clone();
  CHECK(clone->loss_and_gradient(parameters, batch, gradient) == Approx(loss).epsilon(1e-6));
  CHECK(gradient != expected); // otherwise no product used tiles
  float worst = 0, largest = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    worst = std::max(worst, std::abs(gradient[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  CHECK(worst < 1e-6f * largest);

  Metrics measured, by_library;
  clone->evaluate(parameters, batch, measured);
  library.evaluate(parameters, batch, by_library);
  CHECK(measured.values().front().second
        == Approx(by_library.values().front().second).epsilon(1e-6));
  CHECK(ProductScope::chosen() == Products::library); // for later products on this thread
}
