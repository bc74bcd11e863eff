#include "model/training/run_keys.hpp"

namespace troupe {

RandomKey initial_parameters_key(std::uint64_t seed) {
  return RandomKey{seed}.derive("initial parameters");
}

RandomKey shuffle_key(std::uint64_t seed, WorkerId worker) {
  return RandomKey{seed}.derive("shuffle").derive(worker);
}

RandomKey noise_key(std::uint64_t seed, WorkerId worker) {
  return RandomKey{seed}.derive("noise").derive(worker);
}

} // namespace troupe
