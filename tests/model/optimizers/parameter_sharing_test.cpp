#include "model/zoo/gpt_mini.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/gradient_check.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

DataSpec shared_tokens() {
  return {.inputs = {{"text", ElementType::float32, {any_size, 3}, 6}},
          .targets = {{"next", ElementType::class_index, {any_size, 3}, 5}}};
}

BasicBatch<double> shared_batch() {
  BasicBatch<double> batch;
  batch.size = 2;
  batch.inputs.push_back({.values = {0, 5, 2, 2, 1, 3}, .classes = {}});
  batch.targets.push_back({.values = {}, .classes = {4, 0, 2, 1, 1, 3}});
  return batch;
}

Layout two_weights() {
  Layout layout;
  layout.add("a.weight", {3, 2});
  layout.add("a.bias", {2});
  layout.add("b.weight", {2, 2});
  return layout;
}

/// The difference between a network's gradient and finite differences.
double shared_gradient_error(BasicModel<double>& network, const BasicBatch<double>& batch) {
  Buffer<double> parameters(static_cast<std::size_t>(network.layout().size()));
  network.initialize(parameters, {3});
  Random random{{5}};
  for (auto& p : parameters)
    p += random.uniform(-0.5, 0.5);
  Buffer<double> gradient(parameters.size(), 99.0), unused(parameters.size());
  network.loss_and_gradient(parameters, batch, gradient);
  return test::gradient_error(parameters, gradient,
                              [&] { return network.loss_and_gradient(parameters, batch, unused); });
}

DataSpec shared_numbers() {
  return {{{"x", ElementType::float32, {any_size, 3}, 0}},
          {{"y", ElementType::float32, {any_size, 3}, 0}}};
}

} // namespace

TEST_CASE("a shared parameter is in the block once, and its gradients add up", "[sharing]") {
  const ParameterSharing sharing{two_weights(), {{"b.weight", "a.weight^T"}}};
  CHECK(sharing.layout().size() == 8);
  CHECK(sharing.layout().find("b.weight") == nullptr);
  const std::vector<double> block{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> whole(12), gathered(8), gradient(8, 99);
  sharing.expand<double>(block, whole);
  CHECK(whole == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 1, 3, 2, 4});
  sharing.gather<double>(whole, gathered);
  CHECK(gathered == block);
  sharing.fold<double>(whole, gradient);
  CHECK(gradient == std::vector<double>{2, 4, 6, 8, 5, 6, 7, 8});
}

TEST_CASE("parameters that cannot be shared are refused with names, shapes and the cure",
          "[sharing]") {
  const auto refusal = [](const Shares& shares) {
    CHECK_THROWS_AS((ParameterSharing{two_weights(), shares}), std::invalid_argument);
    try {
      ParameterSharing{two_weights(), shares};
    } catch (const std::invalid_argument& e) {
      return std::string{e.what()};
    }
    return std::string{};
  };
  CHECK_THAT(refusal({{"c.weight", "a.weight"}}),
             Contains("'c.weight'") && Contains("a.weight, a.bias, b.weight"));
  CHECK_THAT(refusal({{"b.weight", "a.weight"}}), Contains("[2, 2]") && Contains("append ^T"));
  CHECK_THAT(refusal({{"a.bias", "a.weight^T"}}), Contains("widths"));
  CHECK_THAT(refusal({{"b.weight", "b.weight"}}), Contains("shares another one itself"));
  Layout statistics;
  statistics.add("n.mean", {2}, ParameterRole::statistic);
  statistics.add("m.mean", {2}, ParameterRole::statistic);
  CHECK_THROWS_WITH((ParameterSharing{statistics, {{"m.mean", "n.mean"}}}),
                    Contains("statistics") && Contains("share weights"));
}

TEST_CASE("gpt_mini may tie its last layer to its embedding, with the right gradient",
          "[sharing][zoo][B50]") {
  const GptMiniOptions options{.width = 4, .heads = 2, .blocks = 1, .tied = true};
  const auto tied = make_gpt_mini<double>(shared_tokens(), options);
  const auto free = make_gpt_mini<double>(shared_tokens(), {.width = 4, .heads = 2, .blocks = 1});
  CHECK(tied->layout().size() == free->layout().size() - 4 * 5);
  CHECK(tied->shares() == Shares{{"linear0.weight", "embedding0.weight^T"}});
  CHECK(shared_gradient_error(*tied, shared_batch()) < 1e-6);
  CHECK(shared_gradient_error(*tied->clone(), shared_batch()) < 1e-6);
}

TEST_CASE("layers that share a weight predict what layers of equal weights do", "[sharing]") {
  const NetworkOptions options{.hidden = {3, 3}, .activation = "tanh"};
  auto sharing = options;
  sharing.share = {{"linear1.weight", "linear0.weight"}, {"linear1.bias", "linear0.bias"}};
  BasicNetwork<double> shared{shared_numbers(), sharing}, own{shared_numbers(), options};
  BasicBatch<double> batch;
  batch.size = 2;
  batch.inputs.push_back({.values = {1, 2, 3, -1, 0.5, 0}, .classes = {}});
  batch.targets.push_back({.values = {0, 1, 0, 1, 1, 2}, .classes = {}});
  Buffer<double> parameters(static_cast<std::size_t>(shared.layout().size()));
  shared.initialize(parameters, {1});
  Buffer<double> all(parameters.begin(), parameters.begin() + 12);
  all.insert(all.end(), parameters.begin(), parameters.end());
  const auto y = shared.forward(parameters, batch), same = own.forward(all, batch);
  CHECK(std::vector<double>(y.begin(), y.end()) == std::vector<double>(same.begin(), same.end()));
  CHECK(shared_gradient_error(shared, batch) < 1e-6);
}

TEST_CASE("a layer has its own parameters in the block, and none where it shares them",
          "[sharing][M56]") {
  NetworkOptions options{.hidden = {3, 3}, .activation = "tanh"};
  options.share = {{"linear0.weight", "linear1.weight"}, {"linear0.bias", "linear1.bias"}};
  const BasicNetwork<double> network{shared_numbers(), options};
  std::map<std::string, std::pair<Index, Index>> pieces;
  for (const auto& stage : network.stages())
    pieces[stage.name] = {stage.begin, stage.end};
  CHECK(pieces.at("linear0").first == pieces.at("linear0").second);
  CHECK(pieces.at("linear1") == std::pair<Index, Index>{0, 12});
  CHECK(pieces.at("linear2") == std::pair<Index, Index>{12, 24});
}

TEST_CASE("a frozen shared parameter is frozen wherever it is used", "[sharing]") {
  NetworkOptions options{.hidden = {3}, .activation = "tanh"};
  options.share = {{"linear1.weight", "linear0.weight"}};
  options.frozen = {"linear0.weight"};
  BasicNetwork<double> network{shared_numbers(), options};
  CHECK(network.layout().parameters().size() == 3);
  CHECK(network.layout().find("linear0.weight")->role == ParameterRole::frozen);
  options.share = {{"linear0.weight", "linear1.weight"}};
  CHECK_THROWS_WITH((BasicNetwork<double>{shared_numbers(), options}),
                    Contains("'linear0.weight'"));
}
