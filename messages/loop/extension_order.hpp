// In which order extensions are asked: whoever needs a record comes after whoever writes it.
#pragma once

#include <string>
#include <vector>

namespace troupe {

/// What an extension says of its place.
struct OrderedExtension {
  std::string name;
  std::vector<std::string> writes = {}; ///< records; a '*' at the end stands for anything
  std::vector<std::string> needs = {};  ///< records that others shall have written before
  std::vector<std::string> uses = {};   ///< the same of records that it can do without
  std::vector<std::string> after = {};  ///< names of extensions
  bool last = false; ///< behind all that are not last, like a checkpoint; who needs what it writes
                     ///< does not bring it forward
  bool reads_row = false; ///< behind all but the last: it reads what they write, like printing
  bool first = false;     ///< before all that are not first, like a load
};

/// @returns the numbers of the extensions in an order that keeps what they say, and otherwise the
/// order in which they were given. A record that nobody writes is no reason to complain: the
/// trainer or the user may write it.
/// @throws std::invalid_argument for a name that is not there, and for a cycle, with the names in
/// it.
std::vector<std::size_t> extension_order(const std::vector<OrderedExtension>& extensions);

} // namespace troupe
