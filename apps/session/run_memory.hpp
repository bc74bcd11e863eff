#pragma once

#include "apps/run_config/run_config.hpp"
#include "model/training/training_memory.hpp"

#include <memory>
#include <string>

namespace troupe {

/// The memory that the process of a run takes at its peak, in bytes.
struct RunMemory {
  TrainingMemory worker;        ///< of each of its workers
  std::uint64_t validation = 0; ///< of the copy of the model that validates, and its batch
  std::uint64_t process = 0;    ///< of all, with program and data
};

/// Measures the memory of a configuration: trains and validates one batch in this process, which
/// has loaded the problem as a run does.
RunMemory measure_run_memory(const RunConfig& config, std::shared_ptr<const Problem> problem,
                             const Model& model);

/// "3.93 MB for a worker: 0.81 parameters, 0.81 gradients, 1.63 optimizer, 0.67 activations and
/// batch; 47 MB for the whole process, with program, data and 0.42 for validation"
std::string memory_text(const RunMemory& memory);

} // namespace troupe
