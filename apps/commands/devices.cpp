#include "apps/commands/devices.hpp"

#include "base/exit_codes.hpp"
#include "base/text/text.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>
#include <iostream>
#include <thread>

namespace troupe {

namespace {

std::string card_line(const DeviceFacts& card) {
  std::array<char, 300> text{};
  std::snprintf(text.data(), text.size(),
                "cuda:%d  %s, %.1f GB (%.1f GB free), capability %d.%d, %d multiprocessors\n",
                card.number, card.name.c_str(), static_cast<double>(card.bytes) / 1e9,
                static_cast<double>(card.free_bytes) / 1e9, card.major, card.minor,
                card.processors);
  return text.data();
}

} // namespace

void add_devices(CLI::App& app, DevicesCommand&) {
  auto* sub = app.add_subcommand(
    "devices", "List what can train on this machine: the processor and graphics cards");
  sub->footer("\nExamples:\n  troupe devices\n  troupe train training.device=cuda:0\n");
}

std::string devices_text(const DeviceList& list, unsigned cores) {
  auto text = "cpu     " + quantity(static_cast<std::uint64_t>(cores), "core") + "\n";
  for (const auto& card : list.cards)
    text += card_line(card);
  if (list.cards.empty())
    text += "no graphics card: " + list.without + "\n";
  return text;
}

int devices(const DevicesCommand&) {
  std::cout << devices_text(list_devices(), std::thread::hardware_concurrency()) << std::flush;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
