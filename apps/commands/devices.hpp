// troupe devices: lists what can train on this machine.
#pragma once

#include "model/device/devices.hpp"

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct DevicesCommand {};

void add_devices(CLI::App& app, DevicesCommand& command);

/// A line for the processor and each card, and a sentence where there is no card.
std::string devices_text(const DeviceList& list, std::size_t cores);

/// @returns the exit code of the program: 0 also without a card
int devices(const DevicesCommand& command);

} // namespace troupe
