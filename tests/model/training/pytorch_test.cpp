// Compares layers, losses and optimizers with results of PyTorch: tests/fixtures/*.py.
#include "model/layers/activations.hpp"
#include "model/layers/batch_norm.hpp"
#include "model/layers/convolution/convolution.hpp"
#include "model/layers/convolution/pooling.hpp"
#include "model/layers/global_pooling.hpp"
#include "model/layers/linear.hpp"
#include "model/layers/softmax.hpp"
#include "model/losses/loss.hpp"
#include "model/losses/make_loss.hpp"
#include "model/optimizers/make_optimizer.hpp"
#include "tests/support/layer_fixture.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

/// The largest difference of two arrays, relative to the second one's number where that exceeds 1.
template <class Is, class Should>
double largest_share(const Is& is, const Should& should) {
  double worst = is.size() == should.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(is.size(), should.size()); ++i)
    worst = std::max(worst, std::abs(double{is[i]} - double{should[i]})
                              / std::max(1.0, std::abs(double{should[i]})));
  return worst;
}

/// Checks forward and backward pass of a layer in both precisions.
/// @param make the layer for a type: make(double{})
template <class Make>
void check_layer(Make make, const Shape& input, const std::string& part,
                 const PassContext& context = {}) {
  INFO(part);
  auto exact = make(double{});
  CHECK(test::fixture_error(*exact, input, "layers:" + part, context) < 1e-7);
  auto layer = make(float{});
  CHECK(test::fixture_error(*layer, input, "layers:" + part, context) < 1e-5);
}

void check_convolution(const std::string& variant, ConvolutionOptions options) {
  options.channels = 4;
  for (const int dimensions : {1, 2})
    check_layer(
      [&](auto scalar) {
        return std::make_unique<ConvolutionLayer<decltype(scalar)>>(dimensions, options);
      },
      dimensions == 1 ? Shape{any_size, 5, 2} : Shape{any_size, 5, 5, 2},
      "conv" + std::to_string(dimensions) + "d_" + variant);
}

template <class Scalar>
double loss_error(const LossOptions& options, const std::string& part) {
  auto f = test::read_fixture<Scalar>("losses:" + part);
  const auto loss = make_loss<Scalar>(options);
  BasicBatchField<Scalar> target;
  if (loss->target_kind() == TargetKind::class_index)
    target.classes.assign(f["target"].begin(), f["target"].end());
  else
    target.values.assign(f["target"].begin(), f["target"].end());
  std::vector<Scalar> gradient(f["prediction"].size());
  const auto value = loss->loss_and_gradient({f["prediction"], 5, target}, gradient);
  return std::max(largest_share(std::vector<double>{value}, f["loss"]),
                  largest_share(gradient, f["gradient"]));
}

double steps_error(std::unique_ptr<Optimizer> optimizer, const std::string& part) {
  auto f = test::read_fixture<float>("optimizers:" + part);
  auto parameters = f["parameters"];
  const auto n = parameters.size();
  std::vector<float> after;
  for (std::size_t at = 0; at < f["gradients"].size(); at += n) {
    optimizer->step(parameters, std::span<const float>{f["gradients"]}.subspan(at, n));
    after.insert(after.end(), parameters.begin(), parameters.end());
  }
  return largest_share(after, f["after"]);
}

} // namespace

TEST_CASE("convolutions of sequences and images equal PyTorch's, with any stride, padding, "
          "dilation and groups",
          "[layers][pytorch]") {
  check_convolution("plain", {});
  check_convolution("stride", {.stride = 2});
  check_convolution("padding", {.padding = 1});
  check_convolution("dilation", {.dilation = 2});
  check_convolution("groups", {.groups = 2});
  check_convolution("all", {.stride = 2, .padding = 2, .dilation = 2, .groups = 2});
}

TEST_CASE("pooling equals PyTorch's", "[layers][pytorch]") {
  const Shape image{any_size, 5, 5, 2};
  const PoolingOptions padded{.size = 3, .stride = 2, .padding = 1};
  const auto check_pooling = [&](const PoolingOptions& options, const std::string& part) {
    check_layer([&](auto s) { return std::make_unique<MaxPoolingLayer<decltype(s)>>(options); },
                image, "max_pooling" + part);
    check_layer([&](auto s) { return std::make_unique<AveragePoolingLayer<decltype(s)>>(options); },
                image, "average_pooling" + part);
  };
  check_pooling({}, "");
  check_pooling(padded, "_padding");
  check_layer([](auto s) { return std::make_unique<GlobalPoolingLayer<decltype(s)>>(); }, image,
              "global_pooling");
}

TEST_CASE("batch normalization equals PyTorch's, in training and after it", "[layers][pytorch]") {
  check_layer([](auto s) { return std::make_unique<BatchNormLayer<decltype(s)>>(); },
              {any_size, 5, 5, 2}, "batch_norm", {.training = true});
  auto f = test::read_fixture<float>("layers:batch_norm_fixed");
  BatchNormLayer<float> layer;
  Layout layout;
  layer.connect({any_size, 5, 5, 2}, "layer", layout);
  std::vector<float> y(f["y"].size());
  layer.forward(f["parameters"], f["x"], y);
  CHECK(largest_share(y, f["y"]) < 1e-5);
}

TEST_CASE("linear, softmax and every activation equal PyTorch's", "[layers][pytorch]") {
  const Shape input{any_size, 3, 4};
  check_layer([](auto s) { return std::make_unique<LinearLayer<decltype(s)>>(3); }, input,
              "linear");
  check_layer([](auto s) { return std::make_unique<SoftmaxLayer<decltype(s)>>(); }, input,
              "softmax");
  for (const auto& name : activation_names())
    check_layer([&](auto s) { return make_activation<decltype(s)>(name); }, input, name);
}

TEST_CASE("every loss and its gradient equal PyTorch's", "[losses][pytorch]") {
  for (const auto& name : loss_names()) {
    INFO(name);
    CHECK(loss_error<double>({name}, name) < 1e-7);
    CHECK(loss_error<float>({name}, name) < 1e-5);
  }
  CHECK(loss_error<double>({"softmax_cross_entropy", 0.2}, "label_smoothing") < 1e-7);
}

TEST_CASE("five steps of every optimizer equal PyTorch's", "[optimizers][pytorch]") {
  const SgdOptions sgd{.learning_rate = 0.1, .weight_decay = 0.1};
  auto momentum = sgd;
  momentum.momentum = 0.9;
  auto nesterov = momentum;
  nesterov.nesterov = true;
  CHECK(steps_error(make_optimizer(sgd, 4), "sgd") < 1e-5);
  CHECK(steps_error(make_optimizer(momentum, 4), "momentum") < 1e-5);
  CHECK(steps_error(make_optimizer(nesterov, 4), "nesterov") < 1e-5);
  const auto rate = [](auto options, double learning_rate) {
    options.learning_rate = learning_rate;
    options.weight_decay = 0.1;
    return make_optimizer(options, 4);
  };
  CHECK(steps_error(rate(AdamOptions{}, 0.1), "adam") < 1e-5);
  CHECK(steps_error(rate(AdamWOptions{}, 0.1), "adamw") < 1e-5);
  CHECK(steps_error(rate(RmsPropOptions{}, 0.1), "rmsprop") < 1e-5);
  CHECK(steps_error(rate(AdaGradOptions{}, 0.1), "adagrad") < 1e-5);
  CHECK(steps_error(rate(AdaDeltaOptions{}, 1), "adadelta") < 1e-5);
}
