// subscriptions [RUNS]: the cost per batch of a subscription that is not due, of a due observer,
// and of a due gate. Prints nanoseconds per batch and subscription, on the trainer's side.
#include "actors/loop/trainer.hpp"
#include "apps/process/system_config.hpp"
#include "bench/benchmarks.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "extensions/stopping/finish_after.hpp"
#include "messages/wire/type_ids.hpp"
#include "tests/support/toy_problem.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <string>

namespace troupe::bench::subscriptions_benchmark {

namespace {

Observer::behavior_type idle_observer(Observer::pointer) {
  return {[](const LoopEvent&) {}};
}

Gate::behavior_type idle_gate(Gate::pointer) {
  return {[](const AskGate&) { return GateAnswer{}; }};
}

struct Case {
  int not_due = 0;
  bool observer = false, gate = false;
  std::uint32_t window = 16; ///< large: no copy is lost, so each one costs
};

/// Seconds per batch of a trainer with these subscriptions; the batches themselves take almost no
/// time.
double seconds_per_batch(const Case& c, std::int64_t batches) {
  SystemConfig config{2};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  auto problem = std::make_shared<test::ToyProblem>(1 << 20);
  test::ToyOptions options;
  options.batch_size = 1;
  auto trainer = spawn_trainer(system, test::toy_learner(problem, options), {});
  const auto subscribe = [&](const auto& request) {
    self->request(trainer, caf::infinite, request)
      .receive([](const Subscribed&) {},
               [](const caf::error& e) { throw std::runtime_error(sentence(e)); });
  };
  for (int i = 0; i < c.not_due; ++i)
    subscribe(Subscribe{"idle " + std::to_string(i),
                        Conditions{}.set_trigger("every_n_batches", Value{std::int64_t{1} << 40}),
                        system.spawn(idle_observer)});
  const auto every = Conditions{}.set_trigger("every_n_batches", Value{std::int64_t{1}});
  if (c.observer)
    subscribe(Subscribe{"observer", every, system.spawn(idle_observer), Shows::nothing, c.window});
  if (c.gate)
    subscribe(SubscribeGate{"gate", every, system.spawn(idle_gate)});
  subscribe(SubscribeGate{"finish", Conditions{}.set_trigger("after_n_batches", Value{batches}),
                          Gate{spawn_finish_after(system, "enough")}});
  double seconds = 0;
  self->request(trainer, caf::infinite, Start{})
    .receive([&](const Finished& finished) { seconds = finished.position.seconds; },
             [](const caf::error& e) { throw std::runtime_error(sentence(e)); });
  caf::anon_send_exit(trainer, caf::exit_reason::user_shutdown);
  return seconds / static_cast<double>(batches);
}

void measure_all(const Arguments& arguments) {
  const int runs = !arguments.empty() ? std::stoi(arguments[0]) : 9;
  std::vector<double> bare, not_due, observer, gate;
  seconds_per_batch({}, 20000);
  for (int i = 0; i < runs; ++i) {
    const auto base = seconds_per_batch({}, 100000) * 1e9;
    bare.push_back(base);
    not_due.push_back((seconds_per_batch({.not_due = 50}, 100000) * 1e9 - base) / 50);
    observer.push_back(seconds_per_batch({.observer = true, .window = 1u << 30}, 100000) * 1e9
                       - base);
    gate.push_back(seconds_per_batch({.gate = true}, 20000) * 1e9 - base);
  }
  report("a batch without subscriptions", "ns", bare);
  report("a subscription that is not due, per batch", "ns", not_due);
  report("a due observer, on the trainer's side", "ns", observer);
  report("a due gate, there and back", "ns", gate);
}

} // namespace

int run(int argc, char** argv) { return run_benchmark(argc, argv, "[RUNS]", 0, measure_all); }

} // namespace troupe::bench::subscriptions_benchmark
