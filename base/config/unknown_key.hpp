#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::config {

class Node;

/// "unknown key 'epoch_limt' in training (run.yaml:3:3); did you mean 'epoch_limit'? known keys:
/// epoch_limit, loss_stop".
/// `section`: its path, "" for the top level. `elsewhere`: suggested if no known key is close.
std::string unknown_key(std::string_view key, std::string_view section, std::string_view source,
                        const std::vector<std::string>& known, std::string_view elsewhere = "");

/// The same for a key of `section`: where that names its kind, other kinds may have the key.
std::string unknown_key_of(const Node& section, std::string_view key, std::string_view path,
                           std::string_view source, const std::vector<std::string>& known,
                           std::string_view elsewhere = "");

} // namespace troupe::config
