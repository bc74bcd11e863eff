#include "model/device/device_model.hpp"
#include "model/training/evaluation_pass.hpp"
#include "tests/support/host_card.hpp"
#include "tests/support/random_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

DataSpec measured_rows() {
  return {{{"x", ElementType::float32, {any_size, 9}, 0}},
          {{"y", ElementType::class_index, {any_size}, 4}}};
}

std::unique_ptr<Model> measured_mlp() {
  return std::make_unique<Network>(measured_rows(),
                                   NetworkOptions{.hidden = {8, 6}, .metrics = {"top_2"}});
}

std::unique_ptr<DeviceModel> measuring_card() {
  return std::make_unique<DeviceModel>(
    *measured_mlp(), DeviceLearnerOptions{},
    [](const DevicePlan& plan) { return std::make_unique<HostCard>(plan); });
}

Block first_parameters(const Model& model, std::uint64_t seed) {
  Block parameters{model.layout().size()};
  model.initialize(parameters.edit(), {seed});
  return parameters;
}

Metrics evaluated(std::shared_ptr<Model> model, const Block& parameters, Index batch_size) {
  EvaluationPass pass{std::make_shared<RandomProblem>(measured_rows(), 300),
                      std::move(model),
                      parameters,
                      Section::train,
                      batch_size,
                      0};
  while (!pass.done())
    pass.step();
  return pass.metrics();
}

} // namespace

TEST_CASE("a card measures what the host does, with the parameters of each call", "[device]") {
  const std::shared_ptr<Model> card = measuring_card(), host = measured_mlp(),
                               clone = card->clone();
  for (const std::uint64_t seed : {1, 2}) {
    const auto parameters = first_parameters(*host, seed);
    const auto expected = evaluated(host, parameters, 64).values();
    for (const auto& model : {card, clone}) {
      const auto seen = evaluated(model, parameters, 128).values();
      REQUIRE(seen.size() == expected.size());
      for (std::size_t i = 0; i < seen.size(); ++i) {
        CAPTURE(expected[i].first);
        CHECK(seen[i].first == expected[i].first);
        CHECK(seen[i].second == Approx(expected[i].second).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("a model on a card takes many examples at once", "[device]") {
  CHECK(measuring_card()->examples_at_once() > measured_mlp()->examples_at_once());
}
