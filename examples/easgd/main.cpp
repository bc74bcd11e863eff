// Two workers that share parameters by elastic averaging: both in this process, or each in its own.
//
//   easgd                     two workers in this process
//   easgd holder 4000         serves the shared parameters until both workers have left
//   easgd worker 0 4000       is worker 0 of 2
#include <troupe/actors/local_run.hpp>
#include <troupe/apps/block_transfer/holder_client.hpp>
#include <troupe/apps/block_transfer/served_holder.hpp>
#include <troupe/apps/transport/node_system.hpp>
#include <troupe/extensions/stopping/finish_after.hpp>
#include <troupe/extensions/sync/shared_params_auto_sync.hpp>
#include <troupe/model/data/images/digits.hpp>
#include <troupe/model/optimizers/make_optimizer.hpp>
#include <troupe/model/zoo/network.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace troupe;

int main(int argc, char** argv) try {
  NodeSystemConfig config{4};
  caf::actor_system system{config};
  const auto role = std::string{argc > 1 ? argv[1] : ""};
  const Endpoint address{"127.0.0.1", static_cast<std::uint16_t>(std::atoi(argv[argc - 1]))};
  if (role == "holder") {
    const ServedHolder holder{system, {.endpoint = address, .holder = {.workers = 2}}};
    holder.wait_for_end();
    std::printf("%d pushes\n", static_cast<int>(holder.status().pushes));
    return EXIT_SUCCESS;
  }

  RunActorsOptions options;
  options.problem
    = std::make_shared<Digits>(DigitsOptions{.train = 4000, .validation = 0, .test = 500});
  options.model
    = std::make_shared<Network>(options.problem->spec(), NetworkOptions{.hidden = {32}});
  options.make_optimizer
    = [](Index size) { return make_optimizer(SgdOptions{.learning_rate = 0.2}, size); };
  options.order.batch_size = 20;
  options.workers = 2;
  if (role == "worker") {
    options.workers = 1;
    options.first_worker = static_cast<WorkerId>(std::atoi(argv[2]));
    options.all_workers = 2;
    options.connection_to_holder = connection_to(system, {.holders = {address}, .workers = 2});
  }
  LocalRun run{system, options};
  for (std::size_t i = 0; i < options.workers; ++i) {
    const auto when = shared_params_auto_sync_conditions().set_trigger("every_n_batches", 10);
    const auto sync
      = spawn_shared_params_auto_sync(system, {.rule = {"easgd", {{"elasticity", 0.3f}}}},
                                      run.actors().holders[i], options.model->layout());
    run.add_gate({"sync", when, sync, Shows::parameters}, i);
    run.add_gate({"enough", Conditions{}.set_trigger("after_n_epochs", 5),
                  spawn_finish_after(system, "5 epochs are done")},
                 i);
  }
  const auto accuracy = run.evaluate(run.train().front().parameters).at("accuracy");
  std::printf("accuracy %g\n", accuracy);
  return accuracy > 0.8 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return EXIT_FAILURE;
}
