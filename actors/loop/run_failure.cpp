#include "actors/loop/run_failure.hpp"

#include <stdexcept>

namespace troupe {

void fail_run(Training& training, const TrainerLog& log, const std::string& sentence) {
  auto& run = training.run;
  if (!run.error.empty()) { // the other handlers of on_error are still called
    log.say(Level::error, "another error after that one: " + sentence);
    return;
  }
  training.progress.fail();
  run.fail(training.worker() + ": " + sentence);
  log.write(run.position, {{"got_exception", Value{run.error}}});
}

void settle_or_fail(Training& training, const TrainerLog& log) {
  try {
    settle(training);
  } catch (const std::runtime_error& e) {
    fail_run(training, log, e.what());
  }
}

} // namespace troupe
