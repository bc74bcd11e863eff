// Adds two extensions to a running training: an actor with a state that records how fast the loss
// falls, and a lambda that ends training when the loss is low enough.
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <troupe/actors/run_actors.hpp>
#include <troupe/extensions/support/lambda_extension.hpp>
#include <troupe/messages/wire/type_ids.hpp>
#include <troupe/messages/wire/wire.hpp>
#include <troupe/model/data/images/digits.hpp>
#include <troupe/model/optimizers/make_optimizer.hpp>
#include <troupe/model/zoo/network.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace std::chrono_literals;

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

int main() {
  caf::actor_system_config config;
  troupe::add_messages(config);
  caf::actor_system system{config};
  caf::scoped_actor self{system};

  troupe::RunActorsOptions options;
  options.problem = std::make_shared<troupe::Digits>(
    troupe::DigitsOptions{.train = 5000, .validation = 0, .test = 1000});
  options.model = std::make_shared<troupe::Network>(options.problem->spec(),
                                                    troupe::NetworkOptions{.hidden = {64}});
  options.make_optimizer = [](troupe::Index size) {
    return troupe::make_optimizer(troupe::AdamOptions{.learning_rate = 0.002}, size);
  };
  options.order.batch_size = 50;
  const auto actors = troupe::spawn_run_actors(system, options);
  const auto& trainer = actors.trainers.front();

  const auto each_20_batches
    = troupe::Conditions{}.set_trigger("every_n_batches", troupe::Value{std::int64_t{20}});
  const auto good_enough = troupe::spawn_gate(system, [](const troupe::LoopEvent& event) {
    troupe::GateAnswer answer;
    answer.finish = event.loss < 0.1;
    answer.reason = "the loss is below 0.1";
    return answer;
  });
  for (const auto& gate : {troupe::SubscribeGate{"slope", each_20_batches, system.spawn(slope)},
                           troupe::SubscribeGate{"good enough", each_20_batches, good_enough}})
    self->request(trainer, 10s, gate)
      .receive([](const troupe::Subscribed&) {},
               [](const caf::error& error) {
                 std::fprintf(stderr, "%s\n", troupe::sentence(error).c_str());
                 std::exit(EXIT_FAILURE);
               });

  auto good = false;
  self->request(trainer, caf::infinite, troupe::Start{})
    .receive(
      [&](const troupe::Finished& finished) {
        good = finished.outcome == troupe::Outcome::finished;
        std::printf("%llu batches: %s\n",
                    static_cast<unsigned long long>(finished.position.batches),
                    finished.causes.front().c_str());
      },
      [](const caf::error& error) {
        std::fprintf(stderr, "%s\n", troupe::sentence(error).c_str());
      });
  self->request(actors.logger, 10s, troupe::ReadRow{{0, 40}, true})
    .receive(
      [](const troupe::Row& row) {
        for (const auto& [name, value] : row.records)
          std::printf("batch 40: %s %s\n", name.c_str(), troupe::to_string(value).c_str());
      },
      [](const caf::error&) {});
  troupe::dismiss(actors);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
