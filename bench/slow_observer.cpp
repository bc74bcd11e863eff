// slow_observer MODEL BATCH [RUNS] [STEPS]: examples per second with an observer of every batch
// that takes a second for each event, and without, alternating; and how many copies it lost.
#include "actors/run_actors.hpp"
#include "apps/process/system_config.hpp"
#include "bench/benchmarks.hpp"
#include "bench/models.hpp"
#include "bench/program.hpp"
#include "bench/report.hpp"
#include "extensions/stopping/finish_after.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <string>
#include <thread>

namespace troupe::bench::slow_observer_benchmark {

namespace {

Observer::behavior_type sleeper(Observer::pointer) {
  return {[](const LoopEvent&) { std::this_thread::sleep_for(std::chrono::seconds{1}); }};
}

struct Measured {
  double examples_per_second = 0;
  std::uint64_t sent = 0, lost = 0;
};

Measured measure(const std::shared_ptr<const UniformProblem>& problem, const std::string& model,
                 Index batch, std::int64_t steps, bool slow) {
  SystemConfig config{2};
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  RunActorsOptions options;
  options.problem = problem;
  options.model = std::make_shared<BasicNetwork<float>>(problem->spec(), network_options(model));
  options.make_optimizer = [](Index size) { return bench_optimizer("sgd", size); };
  options.order.batch_size = batch;
  options.order.drop_last = true;
  const auto actors = spawn_run_actors(system, options);
  const auto& trainer = actors.trainers.front();
  const auto subscribe = [&](const auto& request) {
    self->request(trainer, caf::infinite, request)
      .receive([](const Subscribed&) {},
               [](const caf::error& e) { throw std::runtime_error(sentence(e)); });
  };
  Observer observer;
  if (slow) {
    observer = system.spawn<caf::detached>(sleeper); // it blocks, so it has a thread of its own
    subscribe(Subscribe{"sleeper", Conditions{}.set_trigger("after_batch", Value{true}), observer});
  }
  subscribe(SubscribeGate{"finish", Conditions{}.set_trigger("after_n_batches", Value{steps}),
                          Gate{spawn_finish_after(system, "enough")}});
  Measured measured;
  self->request(trainer, caf::infinite, Start{})
    .receive(
      [&](const Finished& finished) {
        measured.examples_per_second
          = static_cast<double>(finished.position.examples) / finished.position.seconds;
        for (const auto& subscription : finished.subscriptions)
          if (subscription.name == "sleeper") {
            measured.sent = subscription.sent;
            measured.lost = subscription.lost;
          }
      },
      [](const caf::error& e) { throw std::runtime_error(sentence(e)); });
  if (observer)
    caf::anon_send_exit(observer, caf::exit_reason::kill);
  dismiss(actors);
  return measured;
}

void measure_all(const Arguments& arguments) {
  const auto runs = arguments.size() > 2 ? std::stoi(arguments[2]) : 5;
  const auto steps = arguments.size() > 3 ? std::stol(arguments[3]) : 1000;
  auto problem = std::make_shared<UniformProblem>();
  std::vector<double> without, with, ratios, lost;
  for (int i = 0; i < runs; ++i) {
    const auto alone = measure(problem, arguments[0], std::stol(arguments[1]), steps, false);
    const auto slowed = measure(problem, arguments[0], std::stol(arguments[1]), steps, true);
    without.push_back(alone.examples_per_second);
    with.push_back(slowed.examples_per_second);
    ratios.push_back(slowed.examples_per_second / alone.examples_per_second);
    lost.push_back(static_cast<double>(slowed.lost));
  }
  report("without a slow observer", "examples/s", without);
  report("with an observer that takes 1 s per batch", "examples/s", with);
  report("with / without", "ratio", ratios);
  report("copies it lost of " + std::to_string(steps), "copies", lost);
}

} // namespace

int run(int argc, char** argv) {
  return run_benchmark(argc, argv, "M1|M3|M5 BATCH [RUNS] [STEPS]", 2, measure_all);
}

} // namespace troupe::bench::slow_observer_benchmark
