// The order in which extensions are asked: an extension comes after those that write the records it
// needs.
#pragma once

#include <string>
#include <vector>

namespace troupe {

/// What an extension requires of its place.
struct OrderedExtension {
  std::string name;                     ///< of its section in the configuration
  std::vector<std::string> writes = {}; ///< records; a trailing '*' matches any rest
  std::vector<std::string> needs = {};  ///< records that other extensions have to write before
  std::vector<std::string> uses = {};   ///< the same for records that it can do without
  std::vector<std::string> after = {};  ///< names of extensions
  bool last = false;  ///< after all that are not last, like a checkpoint; extensions that need its
                      ///< records do not move it forward
  bool late = false;  ///< after all but the last: it reads what they write, like printing
  bool first = false; ///< before all that are not first, like a load
};

/// @returns the indices of the extensions in an order that meets their requirements, and otherwise
/// keeps the given order. A record without a writer is accepted: the trainer or the user may write
/// it.
/// @throws std::invalid_argument for an unknown name, and for a cycle, with the names in it.
std::vector<std::size_t> extension_order(const std::vector<OrderedExtension>& extensions);

} // namespace troupe
