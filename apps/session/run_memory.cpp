#include "apps/session/run_memory.hpp"

#include "apps/process/process_memory.hpp"
#include "apps/session/run_actors_options.hpp"
#include "model/training/evaluation_pass.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace troupe {

namespace {

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.2f}", static_cast<double>(bytes) / 1e6);
}

/// Of the actors of a run, their threads and its log: what the peak of small runs exceeded the rest by
/// (bench/memory.py).
constexpr std::uint64_t actors_and_log = 5'000'000;

/// Measures a batch of the section that a run measures during training, or at its end.
void measure_batch(const std::shared_ptr<const Problem>& problem, std::shared_ptr<Model> model,
                   const Block& parameters) {
  for (const auto section : {Section::validation, Section::test})
    if (problem->size(section) > 0) {
      const auto examples = model->examples_at_once();
      EvaluationPass pass{problem, std::move(model), parameters, section, examples, 1};
      return pass.step();
    }
}

/// What is copied because training goes on while it is validated or written.
std::uint64_t copied(const RunConfig& config, const TrainingMemory& worker) {
  std::uint64_t bytes = 0;
  const auto runs = [&](const std::string& name) {
    return std::any_of(config.extensions.begin(), config.extensions.end(),
                       [&](const auto& extension) { return extension.name == name; });
  };
  if (runs("stream_monitoring") || runs("checkpoint"))
    bytes += worker.parameters;
  if (runs("checkpoint"))
    bytes += worker.optimizer;
  return bytes;
}

} // namespace

RunMemory measure_run_memory(const RunConfig& config, std::shared_ptr<const Problem> problem,
                             const Model& model) {
  auto options = run_actors_options(config, problem, std::shared_ptr<const Model>{model.clone()});
  options.learner.nan = NanPolicy::ignore; // the values do not matter here
  options.card = {};                       // it is the processor's memory
  RunMemory memory;
  std::shared_ptr<Learner> learner; // stays, so that all is in memory at once
  memory.worker
    = measure_memory([&] { return learner = make_learner(options, 0); }, options.threads);
  const auto before = aligned_traffic().in_use();
  const std::shared_ptr<Model> copy{model.clone()};
  measure_batch(problem, copy, learner->parameters());
  memory.validation = aligned_traffic().in_use() - before;
  const auto here = process_memory();
  const auto others = options.workers - 1;
  memory.process = here.now + actors_and_log + copied(config, memory.worker)
                   + others * memory.worker.total()
                   + (others > 0 ? memory.worker.parameters : 0); // the shared ones
  memory.process = std::max(memory.process, here.peak);
  return memory;
}

std::string memory_text(const RunMemory& memory) {
  const auto& worker = memory.worker;
  return megabytes(worker.total()) + " MB for a worker: " + megabytes(worker.parameters)
         + " parameters, " + megabytes(worker.gradients) + " gradients, "
         + megabytes(worker.optimizer) + " optimizer, " + megabytes(worker.activations)
         + " activations and batch; "
         + fmt::format("{:.0f}", static_cast<double>(memory.process) / 1e6)
         + " MB for the whole process, with program, data and " + megabytes(memory.validation)
         + " for validation";
}

} // namespace troupe
