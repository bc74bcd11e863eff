// Adds two extensions to a running training: an actor with a state that records how fast the loss
// falls, and a lambda that ends training when the loss is low enough.
#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <troupe/actors/local_run.hpp>
#include <troupe/extensions/support/lambda_extension.hpp>
#include <troupe/messages/wire/type_ids.hpp>
#include <troupe/model/data/images/digits.hpp>
#include <troupe/model/optimizers/make_optimizer.hpp>
#include <troupe/model/zoo/network.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

/// What the gate remembers between two calls.
struct Slope {
  double loss = 0;
};

/// Records how much the loss has fallen since the last call.
troupe::Gate::behavior_type slope(troupe::Gate::stateful_pointer<Slope> self) {
  return {[self](const troupe::AskGate& ask) {
    troupe::GateAnswer answer;
    answer.records["loss_fell_by"] = troupe::Value{self->state.loss - ask.event.loss};
    self->state.loss = ask.event.loss;
    return answer;
  }};
}

} // namespace

int main() try {
  troupe::RunActorsOptions options;
  options.problem = std::make_shared<troupe::Digits>(
    troupe::DigitsOptions{.train = 5000, .validation = 0, .test = 1000});
  options.model = std::make_shared<troupe::Network>(options.problem->spec(),
                                                    troupe::NetworkOptions{.hidden = {64}});
  options.make_optimizer = [](troupe::Index size) {
    return troupe::make_optimizer(troupe::AdamOptions{.learning_rate = 0.002}, size);
  };
  options.order.batch_size = 50;
  troupe::LocalRun run{options};

  const auto each_20_batches = troupe::Conditions{}.set_trigger("every_n_batches", 20);
  const auto good_enough = troupe::spawn_gate(run.system(), [](const troupe::LoopEvent& event) {
    troupe::GateAnswer answer;
    answer.finish = event.loss < 0.1;
    answer.reason = "the loss is below 0.1";
    return answer;
  });
  run.add_gate({"slope", each_20_batches, run.system().spawn(slope)});
  run.add_gate({"good enough", each_20_batches, good_enough});

  const auto finished = run.train().front();
  std::printf("%llu batches: %s\n", static_cast<unsigned long long>(finished.position.batches),
              finished.causes.front().c_str());
  for (const auto& [name, value] : run.row(40))
    std::printf("batch 40: %s %s\n", name.c_str(), troupe::to_string(value).c_str());
  return EXIT_SUCCESS;
} catch (const std::exception& e) { // what failed, with the extension's name; the actors have ended
  std::fprintf(stderr, "%s\n", e.what());
  return EXIT_FAILURE;
}
