#include "apps/session/device_checks.hpp"

#include "base/failure.hpp"
#include "model/device/device_model.hpp"
#include "model/device/devices.hpp"
#include "model/device/network_program.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace troupe {

namespace {

/// A training section of at most this size stays on the card.
constexpr std::uint64_t most_resident_bytes = std::uint64_t{16} << 30;

std::string device_of(const TrainingOptions& training) {
  const auto* given = std::getenv("TROUPE_DEVICE");
  if (training.device == "cuda" && given != nullptr && std::string{given}.starts_with("cuda"))
    return given;
  return training.device;
}

} // namespace

std::optional<DeviceLearnerOptions> card_options(const TrainingOptions& training) {
  try {
    const auto choice = device_choice(device_of(training));
    if (!choice.card)
      return {};
    return DeviceLearnerOptions{choice.number, training.precision, most_resident_bytes};
  } catch (const std::invalid_argument& e) {
    throw ConfigError(std::string{"training.device: "} + e.what());
  }
}

void check_device(const RunActorsOptions& options, const Model& model) {
  if (!options.card)
    return;
  if (options.threads > 1)
    throw ConfigError("training.threads is " + std::to_string(options.threads)
                      + ", but a graphics card trains; leave it 1, or set training.device: cpu");
  DevicePlan plan;
  StepProgram program;
  try {
    const auto optimizer = options.make_optimizer(1);
    plan = device_plan(*options.problem, model, *optimizer,
                       batch_order(options, options.first_worker), options.learner, *options.card);
    program = network_program(network_for_device(model), options.order.batch_size, true);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(e.what());
  }
  try {
    usable_card(options.card->number,
                options.workers * device_bytes(plan, program) + device_model_bytes(model));
  } catch (const DeviceError& e) {
    throw Failure(ExitCode::unavailable, {e.what()});
  }
}

} // namespace troupe
