// Breakpoints of several workers that share parameters, in virtual time.
#include "actors/control/control.hpp"
#include "tests/support/several_workers.hpp"

#include <algorithm>

using namespace troupe;
using namespace troupe::test;

namespace {

class SteeredWorkers {
public:
  SteeredWorkers(unsigned seed, WorkerId workers)
    : run({.workers = workers, .seed = seed}, work.path()) {
    ControlOptions options;
    options.token = "secret";
    options.trainers = run.trainers;
    options.logger = run.logger;
    options.quiescence = run.quiescence;
    control = run.world.keep(spawn_control(run.world.system, options));
  }

  void act(const std::string& verb, const std::vector<std::string>& arguments = {}) {
    const Pending<ControlAnswer> answer{run.world, control,
                                        ControlRequest{"secret", verb, arguments, "ann@n1"}};
    run.world.pass(60s, 125ms);
    REQUIRE(answer.answered());
    CHECK(answer->ok);
  }

  std::vector<Step> batches() {
    std::vector<Step> batches;
    for (WorkerId worker = 0; worker < run.trainers.size(); ++worker)
      batches.push_back(run.status(worker).position.batches);
    return batches;
  }

  /// Whether the log says that this worker met a breakpoint at a batch.
  bool met(WorkerId worker, Step batch) {
    const auto row = run.world.ask<Row>(run.logger, ReadRow{{worker, batch}, false});
    const auto found = row->records.find("control");
    return found != row->records.end()
           && to_string(found->second).find("pause at breakpoint 1") != std::string::npos;
  }

  WorkFolder work;
  SeveralWorkers run;
  RunControl control;
};

} // namespace

TEST_CASE("a breakpoint pauses all workers of a process at one cut, and resume continues them",
          "[breakpoint]") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    INFO("seed " << seed);
    SteeredWorkers steered{seed, 3};
    steered.act("break", {"batch == 5"});
    steered.run.start();
    std::set<WorkerId> met;
    for (auto pauses = 0; pauses < 4 && !steered.run.ended(); ++pauses) {
      steered.run.world.pass(240s, 125ms);
      if (steered.run.ended())
        break;
      for (WorkerId worker = 0; worker < 3; ++worker) {
        CHECK(steered.run.status(worker).phase == "paused");
        if (steered.met(worker, 5))
          met.insert(worker);
      }
      const auto before = steered.batches();
      CHECK(std::count(before.begin(), before.end(), Step{5}) > 0);
      steered.run.world.pass(60s, 1s);
      CHECK(steered.batches() == before);
      steered.act("resume");
    }
    steered.run.finish();
    CHECK(met.size() == 3);
    CHECK(steered.batches() == std::vector<Step>{23, 23, 23});
  }
}
