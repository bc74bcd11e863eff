// Two trainers alternate, batch by batch, and an extension of each reacts to the other: every 20
// batches the trainer with the higher loss continues from the other's parameters. One uses
// momentum, one Adam. All of it is done with public messages: Pause, Advance, SubscribeGate,
// GateAnswer.
#include <caf/typed_event_based_actor.hpp>
#include <troupe/actors/loop/trainer.hpp>
#include <troupe/extensions/stopping/finish_after.hpp>
#include <troupe/messages/wire/local_system.hpp>
#include <troupe/model/data/images/digits.hpp>
#include <troupe/model/optimizers/make_optimizer.hpp>
#include <troupe/model/training/evaluation_pass.hpp>
#include <troupe/model/training/host_learner.hpp>
#include <troupe/model/zoo/network.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr std::array<const char*, 2> names{"momentum", "adam"};
constexpr troupe::Step batches_each = 300;

/// The gate's memory of both trainers.
struct Turns {
  std::array<troupe::Snapshot, 2> newest;
  std::array<double, 2> loss{}; ///< decaying mean over each trainer's batches
};

/// Called after each batch of either trainer: lets the other one do its next batch, and gives the
/// other's parameters to a trainer that lags behind. It has to be ended by an exit message, since
/// trainers and gate hold each other.
troupe::Gate::behavior_type take_turns(troupe::Gate::stateful_pointer<Turns> self,
                                       const std::array<troupe::Trainer, 2>& trainers) {
  return {[self, trainers](const troupe::AskGate& ask) {
    const auto& event = ask.event;
    const auto one = event.worker;
    const auto other = 1 - one;
    auto& turns = self->state;
    turns.newest[one] = event.parameters;
    turns.loss[one]
      = event.position.batches == 1 ? event.loss : 0.9 * turns.loss[one] + 0.1 * event.loss;
    troupe::GateAnswer answer;
    if (event.position.batches % 20 == 0 && turns.loss[one] > 1.1 * turns.loss[other]) {
      answer.parameters = turns.newest[other].values; // shared, not copied
      turns.loss[one] = turns.loss[other];
      std::printf("batch %llu: %s continues from the parameters of %s\n",
                  static_cast<unsigned long long>(event.position.batches), names[one],
                  names[other]);
    }
    self->send(trainers[other], troupe::Advance{1});
    return answer;
  }};
}

template <class OptimizerOptions>
std::shared_ptr<troupe::Learner> make_learner(const std::shared_ptr<const troupe::Problem>& problem,
                                              const OptimizerOptions& options) {
  const troupe::RandomKey seed{1};
  auto network
    = std::make_unique<troupe::Network>(problem->spec(), troupe::NetworkOptions{.hidden = {64}});
  auto steps = troupe::make_optimizer(options, network->layout().size());
  const troupe::BatchOrder order{
    {.examples = 5000, .batch_size = 50, .key = seed.derive("shuffle")}};
  auto learner
    = std::make_shared<troupe::HostLearner>(problem, std::move(network), std::move(steps), order);
  learner->initialize(seed.derive("initialize"));
  return learner;
}

/// The accuracy on the test images.
double test_accuracy(const std::shared_ptr<const troupe::Problem>& problem,
                     const troupe::Block& parameters) {
  troupe::EvaluationPass pass{
    problem,
    std::make_unique<troupe::Network>(problem->spec(), troupe::NetworkOptions{.hidden = {64}}),
    parameters,
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
  troupe::LocalSystem system;
  const auto problem = std::make_shared<troupe::Digits>(
    troupe::DigitsOptions{.train = 5000, .validation = 0, .test = 1000});
  const auto spawn = [&](troupe::WorkerId number, auto optimizer_options) {
    troupe::TrainerOptions options;
    options.worker = number;
    return troupe::spawn_trainer(system, make_learner(problem, optimizer_options), {}, options);
  };
  const std::array<troupe::Trainer, 2> trainers{
    spawn(0, troupe::SgdOptions{.learning_rate = 0.02f, .momentum = 0.9}),
    spawn(1, troupe::AdamOptions{.learning_rate = 0.002f})};
  const auto turns = system.spawn(take_turns, trainers);
  const auto enough = troupe::spawn_finish_after(system, "it is enough");
  for (const auto& trainer : trainers) {
    const auto subscribe = [&](const troupe::SubscribeGate& gate) {
      system.ask<troupe::Subscribed>(trainer, gate, "a trainer");
    };
    subscribe({"turns", troupe::Conditions{}.set_trigger("after_batch", troupe::Value{true}), turns,
               troupe::Shows::parameters});
    subscribe({"enough",
               troupe::Conditions{}.set_trigger("after_n_batches",
                                                troupe::Value{std::int64_t{batches_each}}),
               caf::actor_cast<troupe::Gate>(enough)});
    system.send(trainer, troupe::Pause{}); // both wait for the first Advance
  }

  auto good = true;
  auto& self = system.caller();
  auto first = self->request(trainers[0], caf::infinite, troupe::Start{});
  auto second = self->request(trainers[1], caf::infinite, troupe::Start{});
  system.send(trainers[0], troupe::Advance{1}); // the first batch; the gate sends the rest
  for (auto* pending : {&first, &second})
    pending->receive(
      [&](const troupe::Finished& finished) {
        const auto accuracy = test_accuracy(problem, finished.parameters.values);
        good = good && finished.outcome == troupe::Outcome::finished && accuracy > 0.85;
        std::printf("%s: %llu batches, test accuracy %.3f\n", names[finished.worker],
                    static_cast<unsigned long long>(finished.position.batches), accuracy);
      },
      [&](const caf::error& error) {
        good = false;
        std::fprintf(stderr, "%s\n", troupe::sentence(error).c_str());
      });
  for (const auto& trainer : trainers)
    self->send_exit(trainer, caf::exit_reason::user_shutdown);
  self->send_exit(turns, caf::exit_reason::user_shutdown);
  self->send_exit(enough, caf::exit_reason::user_shutdown);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
