#include "messages/access/pending_connections.hpp"

#include <algorithm>

namespace troupe {

std::optional<PendingConnections::Id> PendingConnections::add(Id id, const std::string& address,
                                                              Time now) {
  connections_.emplace(id, Connection{address, now + limits_.deadline});
  const auto of_address = ++of_address_[address];
  std::optional<Id> one_too_many;
  if (of_address > limits_.per_address) {
    one_too_many = oldest_of(address);
  } else if (connections_.size() > limits_.total) {
    const auto most
      = std::max_element(of_address_.begin(), of_address_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    one_too_many = oldest_of(most->first);
  }
  if (one_too_many)
    remove(*one_too_many);
  return one_too_many;
}

void PendingConnections::remove(Id id) {
  const auto found = connections_.find(id);
  if (found == connections_.end())
    return;
  const auto of_address = of_address_.find(found->second.address);
  if (--of_address->second == 0)
    of_address_.erase(of_address);
  connections_.erase(found);
}

std::vector<PendingConnections::Id> PendingConnections::overdue(Time now) {
  std::vector<Id> ids;
  for (const auto& [id, connection] : connections_)
    if (connection.until <= now)
      ids.push_back(id);
  for (const auto id : ids)
    remove(id);
  return ids;
}

std::optional<PendingConnections::Time> PendingConnections::next_deadline() const {
  if (connections_.empty())
    return {};
  return connections_.begin()->second.until; // all have the same deadline, so the oldest is first
}

std::optional<PendingConnections::Id> PendingConnections::oldest() const {
  if (connections_.empty())
    return {};
  return connections_.begin()->first;
}

PendingConnections::Id PendingConnections::oldest_of(const std::string& address) const {
  return std::find_if(connections_.begin(), connections_.end(),
                      [&](const auto& one) { return one.second.address == address; })
    ->first;
}

} // namespace troupe
