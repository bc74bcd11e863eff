#include "messages/timing/spent_time.hpp"

#include "base/text/number_in.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace troupe {

namespace {

constexpr std::string_view time_prefix = "time_", gate_prefix = "time_waited.",
                           lost_prefix = "copies_lost.", worker_prefix = "worker ";
constexpr char of = '@'; // "time_waited.holder@shared_params_auto_sync"

struct NamedTime {
  std::string_view name;
  double& seconds;
};

std::vector<NamedTime> plain_times(SpentTime& spent) {
  return {{"seconds", spent.seconds},
          {"reading", spent.reading},
          {"gradient", spent.gradient},
          {"update", spent.update},
          {"held", spent.held},
          {"cores_worked", spent.use.worked},
          {"cores_waited", spent.use.waited},
          {"cores", spent.use.cores}};
}

void take_gate_time(const std::string& name, double seconds, SpentTime& spent) {
  const auto at = name.find(of);
  if (at == std::string::npos)
    spent.gates[name].seconds = seconds;
  else
    spent.gates[name.substr(at + 1)].parts[name.substr(0, at)] = seconds;
}

} // namespace

double SpentTime::between() const {
  auto rest = seconds - reading - gradient - update - held;
  for (const auto& [name, gate] : gates)
    rest -= gate.seconds;
  return std::max(0.0, rest);
}

std::string part_of_worker(std::uint32_t worker) {
  return std::string{worker_prefix} + std::to_string(worker);
}

std::optional<std::uint32_t> worker_of_part(const std::string& part) {
  if (!part.starts_with(worker_prefix))
    return {};
  return number_in<std::uint32_t>(part.substr(worker_prefix.size()));
}

Records records_of(const SpentTime& spent) {
  Records records;
  auto copy = spent;
  for (const auto& [name, seconds] : plain_times(copy))
    records[std::string{time_prefix}.append(name)] = Value{seconds};
  records["time_batches"] = Value{static_cast<std::int64_t>(spent.batches)};
  for (const auto& [name, gate] : spent.gates) {
    records[std::string{gate_prefix} + name] = Value{gate.seconds};
    for (const auto& [part, seconds] : gate.parts)
      records[std::string{gate_prefix}.append(part) + of + name] = Value{seconds};
  }
  for (const auto& [name, copies] : spent.lost)
    records[std::string{lost_prefix} + name] = Value{static_cast<std::int64_t>(copies)};
  return records;
}

std::optional<SpentTime> spent_time_in(const Records& status) {
  const auto number = [&](const std::string& name) {
    const auto found = status.find(name);
    return found == status.end() ? 0.0 : as_number(found->second).value_or(0);
  };
  if (!status.contains("time_seconds"))
    return {};
  SpentTime spent;
  for (auto& [name, seconds] : plain_times(spent))
    seconds = number(std::string{time_prefix}.append(name));
  spent.batches = static_cast<std::uint64_t>(std::max(0.0, number("time_batches")));
  for (const auto& [name, value] : status) {
    const auto found = as_number(value).value_or(0);
    if (name.starts_with(gate_prefix))
      take_gate_time(name.substr(gate_prefix.size()), found, spent);
    else if (name.starts_with(lost_prefix))
      spent.lost[name.substr(lost_prefix.size())]
        = static_cast<std::uint64_t>(std::max(0.0, found));
  }
  return spent;
}

} // namespace troupe
