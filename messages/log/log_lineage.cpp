#include "messages/log/log_lineage.hpp"

#include <random>

namespace troupe {

bool superseded(const LogStart& start, const RowKey& row) {
  const auto found = start.resumed_at.find(row.worker);
  return found != start.resumed_at.end() && row.batch > found->second;
}

std::string new_log_id() {
  std::random_device device;
  std::string id;
  while (id.size() < 32)
    for (auto bits = device(), digit = 0u; digit < 8; ++digit, bits >>= 4)
      id += "0123456789abcdef"[bits & 15];
  return id;
}

void reopen(Records& status) {
  for (const auto* name : {"outcome", "reason", "training_finished"})
    status.erase(name);
}

} // namespace troupe
