#include "apps/commands/devices.hpp"

#include "base/allowed_cores.hpp"
#include "base/exit_codes.hpp"
#include "base/text/byte_size.hpp"
#include "base/text/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>

namespace troupe {

namespace {

std::string card_line(const DeviceFacts& card) {
  return fmt::format("cuda:{}  {}, {} ({} free), capability {}.{}, {} multiprocessors\n",
                     card.number, card.name, byte_size_text(card.bytes),
                     byte_size_text(card.free_bytes), card.major, card.minor, card.processors);
}

} // namespace

void add_devices(CLI::App& app, DevicesCommand&) {
  auto* sub = app.add_subcommand(
    "devices", "List what can train on this machine: the processor and graphics cards");
  sub->footer("\nExamples:\n  troupe devices\n  troupe train training.device=cuda:0\n");
}

std::string devices_text(const DeviceList& list, std::size_t cores) {
  auto text = "cpu     " + quantity(static_cast<std::uint64_t>(cores), "core") + "\n";
  for (const auto& card : list.cards)
    text += card_line(card);
  if (list.cards.empty())
    text += "no graphics card: " + list.without + "\n";
  return text;
}

int devices(const DevicesCommand&) {
  std::cout << devices_text(list_devices(), count_allowed_cores()) << std::flush;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
