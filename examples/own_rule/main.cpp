// An update rule of a program's own: the shared parameters take a part of the way to the mean of the
// workers', and no more than `limit` in one sync.
#include <troupe/actors/local_run.hpp>
#include <troupe/extensions/stopping/finish_after.hpp>
#include <troupe/extensions/sync/shared_params_auto_sync.hpp>
#include <troupe/model/data/images/digits.hpp>
#include <troupe/model/optimizers/make_optimizer.hpp>
#include <troupe/model/update_rules/update_rule_kind.hpp>
#include <troupe/model/zoo/network.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace troupe;

namespace {

struct ClippedSettings {
  float limit = 0.05f;
  TROUPE_FIELDS(limit);
};

const RegisterUpdateRule clipped_kind{
  update_rule_kind("clipped", ClippedSettings{}, [](const auto& settings, const auto& round) {
    for (std::size_t i = 0; i < round.after.size(); ++i)
      round.after[i]
        = round.shared[i]
          + std::clamp(0.5f * (round.mean(i) - round.shared[i]), -settings.limit, settings.limit);
  })};

} // namespace

int main() try {
  RunActorsOptions options;
  options.problem
    = std::make_shared<Digits>(DigitsOptions{.train = 4000, .validation = 0, .test = 500});
  options.model
    = std::make_shared<Network>(options.problem->spec(), NetworkOptions{.hidden = {32}});
  options.make_optimizer
    = [](Index size) { return make_optimizer(SgdOptions{.learning_rate = 0.2}, size); };
  options.order.batch_size = 20;
  options.workers = 2;
  LocalRun run{options};
  for (std::size_t i = 0; i < options.workers; ++i) {
    const auto when = shared_params_auto_sync_conditions().set_trigger("every_n_batches", 10);
    const auto sync
      = spawn_shared_params_auto_sync(run.system(), {.rule = {"clipped", {{"limit", 0.02f}}}},
                                      run.actors().holders[i], options.model->layout());
    run.add_gate({"sync", when, sync, Shows::parameters}, i);
    run.add_gate({"enough", Conditions{}.set_trigger("after_n_epochs", 5),
                  spawn_finish_after(run.system(), "5 epochs are done")},
                 i);
  }
  const auto accuracy = run.evaluate(run.train().front().parameters).at("accuracy");
  std::printf("accuracy %g\n", accuracy);
  return accuracy > 0.8 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return EXIT_FAILURE;
}
