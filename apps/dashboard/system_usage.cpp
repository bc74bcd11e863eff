#include "apps/dashboard/system_usage.hpp"

#include "apps/dashboard/run_text.hpp"
#include "apps/process/machine_memory.hpp"
#include "base/files/file_content.hpp"

#include <unistd.h>

#include <sstream>
#include <thread>

namespace troupe {

namespace {

double ticks_per_second() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }

std::string proc_text(const std::string& name) {
  return file_content("/proc/" + name).value_or("");
}

/// Seconds that the machine's processors have worked.
double machine_seconds() {
  std::istringstream stat{proc_text("stat")};
  std::string name;
  double user = 0, nice = 0, kernel = 0;
  stat >> name >> user >> nice >> kernel;
  return (user + nice + kernel) / ticks_per_second();
}

} // namespace

std::optional<ProcessUsage> usage_in_stat(const std::string& stat, double ticks,
                                          std::uint64_t page_bytes) {
  const auto name_end = stat.rfind(')'); // the name may contain blanks and brackets
  if (name_end == std::string::npos)
    return {};
  std::istringstream rest{stat.substr(name_end + 1)};
  std::string word;
  ProcessUsage usage;
  for (int field = 3; rest >> word; ++field) {
    if (field == 14 || field == 15)
      usage.processor_seconds += std::strtod(word.c_str(), nullptr) / ticks;
    if (field == 20)
      usage.threads = std::strtoul(word.c_str(), nullptr, 10);
    if (field == 24) {
      usage.memory_bytes = std::strtoull(word.c_str(), nullptr, 10) * page_bytes;
      return usage;
    }
  }
  return {};
}

double SystemUsage::processors_of(pid_t process, double processor_seconds) {
  const auto now = std::chrono::steady_clock::now();
  const auto [found, first] = seen_.try_emplace(process, Seen{processor_seconds, now});
  const auto before = std::exchange(found->second, {processor_seconds, now});
  const auto seconds = std::chrono::duration<double>(now - before.at).count();
  return first || seconds <= 0 ? std::nan("")
                               : (processor_seconds - before.processor_seconds) / seconds;
}

std::optional<nlohmann::ordered_json> SystemUsage::of(pid_t process) {
  const auto usage = usage_in_stat(proc_text(std::to_string(process) + "/stat"), ticks_per_second(),
                                   static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  if (!usage)
    return {};
  const auto memory = machine_memory();
  const std::lock_guard lock{mutex_};
  if (seen_.size() > 1000)
    seen_.clear();
  return nlohmann::ordered_json{
    {"process", process},
    {"cpu", number_or_null(processors_of(process, usage->processor_seconds))},
    {"memory_bytes", usage->memory_bytes},
    {"threads", usage->threads},
    {"machine",
     {{"cpus", std::thread::hardware_concurrency()},
      {"cpu", number_or_null(processors_of(0, machine_seconds()))},
      {"memory_bytes", memory.total},
      {"memory_available_bytes", memory.available}}},
    {"gpus", nlohmann::ordered_json::array()}};
}

} // namespace troupe
