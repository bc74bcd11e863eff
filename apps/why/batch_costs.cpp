#include "apps/why/batch_costs.hpp"

#include "apps/folder/problem_file.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/run_actors_options.hpp"
#include "apps/session/run_problem.hpp"

#include <algorithm>
#include <chrono>

namespace troupe {

namespace {

using StepClock = std::chrono::steady_clock;

constexpr Step growth = 4; ///< from one size to the next
constexpr int sizes = 4;

double seconds_since(StepClock::time_point began) {
  return std::chrono::duration<double>(StepClock::now() - began).count();
}

/// The fastest of a few steps, since other programs only make them slower.
double fastest_step(Learner& learner) {
  constexpr double longest = 0.3; // seconds
  constexpr Step most = 200;
  auto fastest = 1e9;
  const auto began = StepClock::now();
  for (Step step = 0; step < most && (step < 3 || seconds_since(began) < longest); ++step) {
    learner.read(step % learner.order().batches_per_epoch());
    const auto start = StepClock::now();
    learner.train(step);
    learner.settle();
    fastest = std::min(fastest, seconds_since(start));
  }
  return fastest;
}

} // namespace

std::optional<LargerBatches> larger_batches(const std::vector<StepTime>& times) {
  if (times.empty() || times.front().seconds <= 0)
    return {};
  const auto per_example
    = [](const StepTime& one) { return one.seconds / static_cast<double>(one.size); };
  constexpr double little = 0.7; // of the time for an example, from one size to the next
  auto chosen = times.begin();
  while (std::next(chosen) != times.end()
         && per_example(*std::next(chosen)) < little * per_example(*chosen))
    ++chosen;
  if (chosen == times.begin())
    return {};
  return LargerBatches{chosen->size, per_example(*chosen) / per_example(times.front())};
}

std::vector<StepTime> measure_steps(const std::filesystem::path& configuration) {
  ConfigSources sources;
  sources.files = {configuration};
  const auto config = read_run_config(sources);
  const auto fit = fit_in(configuration.parent_path(), *config.tree.find("problem"));
  const auto problem = problem_of(config, fit);
  const auto model = model_of(config, *problem);
  std::vector<StepTime> times;
  auto size = config.training.batch_size;
  for (int i = 0; i < sizes; ++i, size *= growth) {
    auto options
      = run_actors_options(config, problem, std::shared_ptr<const Model>{model->clone()});
    options.order.batch_size = size;
    options.learner.nan = NanPolicy::ignore; // the values do not matter here
    options.card = {};
    if (size > static_cast<Index>(problem->size(Section::train)))
      break;
    const auto learner = make_learner(options, 0);
    times.push_back({static_cast<Step>(size), fastest_step(*learner)});
  }
  return times;
}

} // namespace troupe
