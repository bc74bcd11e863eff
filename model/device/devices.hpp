// The graphics cards that this process can use.
#pragma once

#include "base/text/enum_names.hpp"
#include "model/device/device_run.hpp"

namespace troupe {

constexpr auto enum_names(Precision) { return name_list("float32", "tf32", "bfloat16"); }

/// A device as a configuration names it.
struct DeviceChoice {
  bool card = false; ///< false: the processor
  int number = 0;    ///< of the card
};

/// "cpu", "cuda" (the first card) or "cuda:N".
/// @throws std::invalid_argument for another text
DeviceChoice device_choice(const std::string& text);

/// What this machine has.
struct DeviceList {
  std::vector<DeviceFacts> cards;
  std::string without; ///< why there are none, as a sentence; "" where there are some
};

/// Loads the library where necessary.
DeviceList list_devices();

/// No card can be used now: a library, a driver or a card is missing, or it has too little memory.
class NoDevice : public DeviceError {
  using DeviceError::DeviceError;
};

/// @param bytes that a run needs at least
/// @throws NoDevice with a sentence and the cure
DeviceFacts usable_card(int number, std::uint64_t bytes);

/// @throws DeviceError
std::unique_ptr<DeviceRun> begin_device_run(const DevicePlan& plan);

} // namespace troupe
