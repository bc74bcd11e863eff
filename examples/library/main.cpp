// Trains a network on the built-in digits in a hand-written loop: no actors, one thread.
// `troupe::actors` adds actors.
#include <troupe/model/data/images/digits.hpp>
#include <troupe/model/optimizers/make_optimizer.hpp>
#include <troupe/model/training/evaluation_pass.hpp>
#include <troupe/model/training/host_learner.hpp>
#include <troupe/model/zoo/network.hpp>
#include <troupe/version.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

/// The accuracy on the test images.
double test_accuracy(const std::shared_ptr<const troupe::Problem>& problem,
                     const troupe::Learner& learner) {
  troupe::EvaluationPass pass{problem,
                              learner.model().clone(),
                              learner.parameters(),
                              troupe::Section::test,
                              /*batch_size=*/256,
                              /*batches=*/0};
  while (!pass.done())
    pass.step();
  for (const auto& [name, value] : pass.metrics().values())
    if (name == "accuracy")
      return value;
  return 0;
}

} // namespace

int main() {
  const troupe::RandomKey seed{1};
  const auto problem = std::make_shared<troupe::Digits>(
    troupe::DigitsOptions{.train = 5000, .validation = 0, .test = 1000});
  auto network
    = std::make_unique<troupe::Network>(problem->spec(), troupe::NetworkOptions{.hidden = {64}});
  auto optimizer
    = troupe::make_optimizer(troupe::AdamOptions{.learning_rate = 0.002}, network->layout().size());
  const troupe::BatchOrder order{
    {.examples = 5000, .batch_size = 50, .key = seed.derive("shuffle")}};
  troupe::HostLearner learner{problem, std::move(network), std::move(optimizer), order};
  learner.initialize(seed.derive("initialize"));

  std::printf("troupe %s, %lld parameters\n", troupe::version,
              static_cast<long long>(learner.layout().size()));
  troupe::Step step = 0;
  for (int epoch = 1; epoch <= 5; ++epoch) {
    double loss = 0;
    for (troupe::Step batch = 0; batch < order.batches_per_epoch(); ++batch, ++step) {
      learner.read(step);
      loss += learner.train(step).loss;
    }
    std::printf("epoch %d: training loss %.3f, test accuracy %.3f\n", epoch,
                loss / static_cast<double>(order.batches_per_epoch()),
                test_accuracy(problem, learner));
  }
  return test_accuracy(problem, learner) > 0.9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
