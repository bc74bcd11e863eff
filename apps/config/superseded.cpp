#include "apps/config/superseded.hpp"

#include <algorithm>

namespace troupe::config {

std::size_t SourceOrder::rank(const std::string& source) const {
  if (source == default_source)
    return 0;
  for (std::size_t i = files_.size(); i > 0; --i)
    if (source.starts_with(files_[i - 1] + ":"))
      return i;
  const auto settings = files_.size() + 1;
  if (source.starts_with("environment "))
    return settings + 1;
  return source.starts_with("command line") ? settings + 2 : settings;
}

std::vector<std::string> unknown_keys(const Node& section, const std::vector<std::string>& known) {
  auto keys = section.keys();
  std::erase_if(keys, [&](const std::string& key) {
    return std::find(known.begin(), known.end(), key) != known.end();
  });
  return keys;
}

std::vector<std::string> drop_superseded(Node& section, const std::vector<std::string>& unknown,
                                         const SourceOrder& order) {
  std::vector<std::string> dropped;
  const auto* name = section.find("name");
  if (name == nullptr)
    return dropped;
  const auto chosen = order.rank(name->source());
  for (const auto& key : unknown)
    if (order.rank(section.find(key)->source()) < chosen)
      dropped.push_back(key);
  for (const auto& key : dropped)
    section.erase(key);
  return dropped;
}

} // namespace troupe::config
