#include "apps/doctor/machine_report.hpp"

#include "base/text/byte_size.hpp"
#include "base/text/text.hpp"
#include "base/text/wrapped_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe {

namespace {

constexpr std::uint64_t megabyte = 1'000'000, gigabyte = 1000 * megabyte;

std::string time_text(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

MachineCheck processor_check(const ProcessorFacts& processor) {
  auto text
    = (processor.name.empty() ? "" : processor.name + ", ") + quantity(processor.cores, "core");
  if (!processor.units.empty())
    text += ", " + joined(processor.units);
  if (processor.share && *processor.share < static_cast<double>(processor.cores))
    return {CheckResult::note, "processor",
            text
              + fmt::format("; the container gets the time of {:.3g} of them: ", *processor.share)
              + "raise its limit, or start no more workers and threads than that"};
  return {CheckResult::good, "processor", text};
}

MachineCheck memory_check(const MemoryFacts& memory) {
  const auto text
    = byte_size_text(memory.total) + ", " + byte_size_text(memory.available) + " available";
  constexpr auto least = 200 * megabyte; // below it, not even digits train
  if (memory.address_space && *memory.address_space < gigabyte)
    return {CheckResult::wrong, "memory",
            text + "; ulimit -v allows a process " + byte_size_text(*memory.address_space)
              + ", and its threads reserve more: raise it"};
  if (memory.container && *memory.container < least)
    return {CheckResult::wrong, "memory",
            text + "; the container allows " + byte_size_text(*memory.container)
              + ": raise its limit"};
  if (memory.available < least)
    return {CheckResult::wrong, "memory",
            text + "; end other programs, or train on a larger machine"};
  return {CheckResult::good, "memory",
          memory.container ? text + ", " + byte_size_text(*memory.container) + " for the container"
                           : text};
}

MachineCheck threads_check(const std::optional<std::uint64_t>& threads) {
  constexpr std::uint64_t least = 100;
  if (!threads || *threads >= least)
    return {CheckResult::good, "threads",
            threads ? std::to_string(*threads) + " of all programs of this user" : "unlimited"};
  return {CheckResult::wrong, "threads",
          "all programs of this user may have " + std::to_string(*threads)
            + "; raise the limit: ulimit -u 4096"};
}

MachineCheck files_check(const std::optional<std::uint64_t>& files) {
  constexpr std::uint64_t enough = 1024;
  if (!files || *files >= enough)
    return {CheckResult::good, "open files", files ? std::to_string(*files) : "unlimited"};
  return {CheckResult::note, "open files",
          std::to_string(*files)
            + ", and each worker, page and client of a holder, a dashboard or a grid takes one; "
              "raise the limit: ulimit -Hn 4096"};
}

MachineCheck cards_check(const DeviceList& cards) {
  if (cards.cards.empty())
    return {CheckResult::good, "cards", "no graphics card: " + cards.without};
  std::vector<std::string> names;
  for (const auto& card : cards.cards)
    names.push_back("cuda:" + std::to_string(card.number) + " " + card.name + " with "
                    + byte_size_text(card.bytes));
  return {CheckResult::good, "cards", joined(names)};
}

MachineCheck disk_check(const DiskFacts& disk) {
  constexpr auto slow = 0.1; // seconds
  const auto where = "'" + disk.path.string() + "'";
  if (!disk.refusal.empty())
    return {CheckResult::wrong, "disk",
            "no file can be written in " + where + " (" + disk.refusal
              + "); change to a folder of yours, or name one by run.root"};
  if (disk.free < 100 * megabyte)
    return {CheckResult::wrong, "disk",
            byte_size_text(disk.free) + " free in " + where
              + "; remove files, or name another disk by " + "run.root"};
  const auto free = byte_size_text(disk.free) + " free in " + where;
  if (!disk.locks)
    return {CheckResult::note, "disk",
            free
              + ", which has no locks: nothing keeps two processes from training in one folder; "
                "name another disk by run.root"};
  if (disk.seconds_to_write > slow)
    return {CheckResult::note, "disk",
            free
              + fmt::format(", where a small file took {:.2g} s to be safe on the disk, as each "
                            "checkpoint will: name a faster disk by run.root",
                            disk.seconds_to_write)};
  return {CheckResult::good, "disk", free};
}

MachineCheck clock_check(const ClockFacts& clock) {
  const auto now = time_text(clock.now);
  if (clock.now < clock.built)
    return {CheckResult::wrong, "clock",
            now + ", which is before this program was written (" + time_text(clock.built)
              + "): certificates are not valid yet; set the clock"};
  if (clock.synchronised.value_or(true))
    return {CheckResult::good, "clock", now};
  return {CheckResult::note, "clock",
          now
            + ", not synchronised: the times of several machines' logs will not agree; start "
              "chrony or systemd-timesyncd, on the host if this is a container"};
}

MachineCheck network_check(const NetworkFacts& network) {
  if (!network.port_refusal.empty())
    return {CheckResult::wrong, "network",
            "no port can be opened on 127.0.0.1 (" + network.port_refusal
              + "), so that only a single process without --control can train; allow it in the "
                "container or sandbox"};
  const auto host = "this machine is " + in_quotes(network.host);
  if (!network.lookup_refusal.empty())
    return {CheckResult::note, "network",
            host + ", which has no address (" + network.lookup_refusal
              + "); add it to /etc/hosts, or give nodes of a cluster addresses in place of names"};
  return {CheckResult::good, "network", host};
}

MachineCheck locale_check(const LocaleFacts& locale) {
  const auto name = locale.name.empty() ? "none is set" : locale.name;
  if (!locale.there)
    return {CheckResult::note, "locale",
            name + " is not installed; choose one that `locale -a` lists: export LC_ALL=C.UTF-8"};
  if (!locale.utf8)
    return {CheckResult::note, "locale",
            name + ", so progress is drawn in ASCII; for finer bars: export LC_ALL=C.UTF-8"};
  return {CheckResult::good, "locale", name};
}

} // namespace

std::vector<MachineCheck> checks_of(const MachineFacts& facts) {
  return {
    {CheckResult::good, "program", facts.program},
    processor_check(facts.processor),
    memory_check(facts.memory),
    threads_check(facts.limits.threads),
    files_check(facts.limits.files),
    cards_check(facts.cards),
    disk_check(facts.disk),
    network_check(facts.network),
    clock_check(facts.clock),
    locale_check(facts.locale),
    {CheckResult::good, "variables",
     facts.variables.empty() ? "none that changes what Troupe does" : joined(facts.variables)},
  };
}

bool anything_wrong(const std::vector<MachineCheck>& checks) {
  return std::any_of(checks.begin(), checks.end(),
                     [](const MachineCheck& check) { return check.result == CheckResult::wrong; });
}

std::string report_text(const std::vector<MachineCheck>& checks, int width) {
  constexpr int head = 19, least = 30;
  const auto columns = static_cast<std::size_t>(std::max(width, head + least));
  std::string text;
  for (const auto& check : checks)
    text
      += wrapped(fmt::format("{:<6} {:<11} {}", to_string(check.result), check.subject, check.text),
                 "", columns, std::string(head, ' '))
         + "\n";
  return text;
}

std::string report_json(const std::vector<MachineCheck>& checks) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& check : checks)
    list.push_back(
      {{"subject", check.subject}, {"result", to_string(check.result)}, {"text", check.text}});
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace troupe
