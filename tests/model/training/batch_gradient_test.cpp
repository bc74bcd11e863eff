// Steps whose largest products are computed in parts, while the optimizer uses them.
#include "model/optimizers/make_optimizer.hpp"
#include "model/training/host_learner.hpp"
#include "model/training/split_model.hpp"
#include "model/training/training_memory.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/random_problem.hpp"

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr Index batch_size = 12;

/// [784, 1400] and [1400, 1100] are large enough to be deferred, [1100, 10] is not.
NetworkOptions wide() {
  NetworkOptions options;
  options.hidden = {1400, 1100};
  return options;
}
constexpr std::uint64_t deferred = (784 * 1400 + 1400 * 1100) * sizeof(float);

std::unique_ptr<Optimizer> optimizer_named(const std::string& name, Index size) {
  if (name == "nesterov")
    return make_optimizer(SgdOptions{.momentum = 0.9, .nesterov = true, .weight_decay = 0.01},
                          size);
  if (name == "adam")
    return make_optimizer(AdamOptions{}, size);
  if (name == "adamw")
    return make_optimizer(AdamWOptions{}, size);
  if (name == "rmsprop")
    return make_optimizer(RmsPropOptions{}, size);
  if (name == "adagrad")
    return make_optimizer(AdaGradOptions{}, size);
  if (name == "adadelta")
    return make_optimizer(AdaDeltaOptions{}, size);
  return make_optimizer(SgdOptions{.momentum = name == "momentum" ? 0.9 : 0.0}, size);
}

std::shared_ptr<Learner> wide_learner(LearnerOptions options = {},
                                      const NetworkOptions& network = wide(),
                                      const std::string& optimizer = "momentum",
                                      std::shared_ptr<const Problem> problem
                                      = std::make_shared<RandomProblem>(random_images()),
                                      Index threads = 1, Index batch = batch_size) {
  std::unique_ptr<Model> model = std::make_unique<Network>(random_images(), network);
  if (threads > 1)
    model = std::make_unique<SplitModel>(std::move(model), threads);
  auto made = optimizer_named(optimizer, model->layout().size());
  const BatchOrder order{{.examples = problem->size(Section::train), .batch_size = batch}};
  auto learner
    = std::make_shared<HostLearner>(problem, std::move(model), std::move(made), order, options);
  learner->initialize({1});
  return learner;
}

void step(Learner& learner, Step cursor, bool kept = false) {
  learner.read(cursor);
  learner.compute_gradient(cursor, kept);
  learner.update(cursor);
}

bool equal(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool same_state(Learner& a, Learner& b) {
  const auto &mine = a.slots(), &others = b.slots();
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (!(mine[i].values == others[i].values))
      return false;
  return a.parameters() == b.parameters() && mine.size() == others.size();
}

/// Images with one number that is NaN.
class BrokenImages : public RandomProblem {
public:
  BrokenImages() : RandomProblem(random_images()) {}
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    RandomProblem::gather(section, rows, batch);
    batch.inputs[0].values[784 + 300] = std::numeric_limits<float>::quiet_NaN();
  }
};

} // namespace

TEST_CASE("a step with deferred products is bit for bit the step with a gradient that is kept",
          "[gradient][B50]") {
  const auto name
    = GENERATE("sgd", "momentum", "nesterov", "adam", "adamw", "rmsprop", "adagrad", "adadelta");
  INFO(name);
  LearnerOptions options;
  options.scales = {{.match = "linear1.*", .learning_rate = 0.5, .weight_decay = 0}};
  const auto parts = wide_learner(options, wide(), name),
             kept = wide_learner(options, wide(), name);
  Block seen; // by an observer, so that the second step writes to new memory
  for (Step cursor = 0; cursor < 3; ++cursor) {
    step(*parts, cursor);
    step(*kept, cursor, true);
    if (cursor == 0)
      seen = parts->parameters();
    REQUIRE(parts->unused_gradient_bytes() == deferred);
    REQUIRE(kept->unused_gradient_bytes() == 0);
    REQUIRE(same_state(*parts, *kept));
  }
  CHECK(!(seen == parts->parameters()));
}

TEST_CASE("the gradient with deferred products is that of the model, whenever it is read",
          "[gradient]") {
  const auto learner = wide_learner(), asked_before = wide_learner();
  learner->read(0);
  Network network{random_images(), wide()};
  ReadBatch read;
  BatchReader{learner->reader()}.read(0, read);
  Buffer<float> expected(static_cast<std::size_t>(network.layout().size()));
  network.loss_and_gradient(learner->parameters().view(), read.batch, expected);

  learner->train(0);
  const auto gradient = learner->gradient();
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::fabs(static_cast<double>(gradient[i]) - expected[i]));
    largest = std::max(largest, std::fabs(static_cast<double>(expected[i])));
  }
  CHECK(worst <= 1e-5 * largest);

  asked_before->read(0);
  asked_before->compute_gradient(0);
  const Buffer<float> before{asked_before->gradient().begin(), asked_before->gradient().end()};
  CHECK(equal(before, learner->gradient()));
  asked_before->update(0);
  learner->read(1);
  step(*asked_before, 1);
  learner->train(1);
  CHECK(same_state(*asked_before, *learner));
}

TEST_CASE("after its batch is gone, only the computed part of a gradient remains", "[gradient]") {
  const auto learner = wide_learner();
  CHECK(learner->gradient().front() == 0);
  step(*learner, 0);
  learner->read(1);
  const auto gradient = learner->gradient();
  const auto& layout = learner->layout();
  const auto sum_of = [&](const std::string& name) {
    double sum = 0;
    for (const auto& parameter : layout.parameters())
      for (Index i = 0; parameter.name == name && i < parameter.size(); ++i)
        sum += std::fabs(gradient[static_cast<std::size_t>(parameter.offset + i)]);
    return sum;
  };
  CHECK(sum_of("linear0.weight") == 0);
  CHECK(sum_of("linear1.bias") > 0);
  CHECK(sum_of("linear2.weight") > 0);
}

TEST_CASE("a number of the data that is not finite leaves all parameters unchanged",
          "[gradient][nan]") {
  // ReLU makes it 0, so that the loss is finite, but the gradient of the first weights is not.
  const auto learner = wide_learner({}, wide(), "momentum", std::make_shared<BrokenImages>());
  const auto before = learner->parameters();
  learner->read(0);
  learner->compute_gradient(0);
  CHECK_THROWS_WITH(learner->update(0), Catch::Contains("is not finite"));
  CHECK(learner->parameters() == before);
  CHECK(learner->optimizer_steps() == 0);
  const auto ignoring = wide_learner({.nan = NanPolicy::ignore}, wide(), "momentum",
                                     std::make_shared<BrokenImages>());
  step(*ignoring, 0);
  CHECK(!(ignoring->parameters() == before));
}

TEST_CASE("memory of a gradient with deferred products goes back to the system",
          "[gradient][memory]") {
  const auto learner = wide_learner();
  const auto begin = reinterpret_cast<std::uintptr_t>(learner->gradient().data());
  const auto resident = [begin] { // pages of the first weights, except the first and the last
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto first = (begin / page + 1) * page;
    std::vector<unsigned char> pages(784 * 1400 * sizeof(float) / page - 1);
    REQUIRE(mincore(reinterpret_cast<void*>(first), pages.size() * page, pages.data()) == 0);
    return std::count_if(pages.begin(), pages.end(), [](auto flags) { return flags & 1; });
  };
  step(*learner, 0, true); // it will be read
  CHECK(resident() > 1000);
  step(*learner, 1);
  CHECK(resident() == 0);
  learner->gradient();
  CHECK(resident() > 1000);
  step(*learner, 2);
  CHECK(resident() == 0);
}

TEST_CASE("nothing is deferred where the whole gradient is needed", "[gradient]") {
  const auto unused = [](const std::shared_ptr<Learner>& learner) {
    step(*learner, 0);
    return learner->unused_gradient_bytes();
  };
  CHECK(unused(wide_learner()) == deferred);
  CHECK(unused(wide_learner({.clipping = {.norm = 1}})) == 0);
  CHECK(unused(wide_learner({.clipping = {.element = 1}})) == 0);
  CHECK(unused(wide_learner({.clipping = {.parameter_norm = 1}})) == 0);
  CHECK(unused(wide_learner({.nan = NanPolicy::skip})) == 0);
  CHECK(unused(wide_learner({.nan = NanPolicy::remove})) == 0);
  auto frozen = wide();
  frozen.frozen = {"linear2.bias"};
  CHECK(unused(wide_learner({}, frozen)) == 0);
  auto shared = wide();
  shared.hidden = {1400, 1400};
  CHECK(unused(wide_learner({}, shared)) > deferred);
  shared.share = {{"linear1.bias", "linear0.bias"}};
  CHECK(unused(wide_learner({}, shared)) == 0);
  const auto problem = std::make_shared<RandomProblem>(random_images());
  CHECK(unused(wide_learner({}, wide(), "momentum", problem, 2))
        == 0); // the gradients of the threads are added
  // The factors would be larger than the product: for the second one only with 1400 and more.
  const auto many = std::make_shared<RandomProblem>(random_images(), 800);
  CHECK(unused(wide_learner({}, wide(), "momentum", many, 1, 800)) == 1400 * 1100 * sizeof(float));
}

TEST_CASE("a gradient from elsewhere replaces deferred products", "[gradient]") {
  const auto learner = wide_learner({}, wide(), "sgd");
  const auto before = learner->parameters();
  learner->read(0);
  learner->compute_gradient(0);
  const std::vector<float> ones(static_cast<std::size_t>(learner->layout().size()), 1.0f);
  learner->set_gradient(ones);
  learner->update(0);
  CHECK(equal(learner->gradient(), ones));
  const auto rate = static_cast<float>(learner->optimizer().learning_rate());
  CHECK(learner->parameters().view()[1000] == Approx(before.view()[1000] - rate));
  CHECK(learner->parameters().view().back() == Approx(before.view().back() - rate));
}

TEST_CASE("the memory in a summary excludes parts of the gradient that are never written",
          "[M56][memory]") {
  const auto parts = measure_memory([] { return wide_learner(); }, 1);
  const auto whole = measure_memory([] { return wide_learner({.clipping = {.norm = 1}}); }, 1);
  CHECK(parts.gradients == whole.gradients - deferred);
  // Some rows of one product at a time, [320, 1400] at most.
  CHECK(parts.activations - whole.activations <= 320 * 1400 * sizeof(float));
}
