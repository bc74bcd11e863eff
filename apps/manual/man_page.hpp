// Manual pages in roff, made from the description of the command line.
#pragma once

#include "apps/manual/command_description.hpp"

#include <string>

namespace troupe {

/// @param version as the page's foot names it, "troupe 0.1.0"
/// @returns a page for man(1). The page of a command with commands lists them.
std::string man_page(const CommandDescription& command, const std::string& version);

/// "troupe-train.1", for the command `troupe train`
std::string man_page_file(const CommandDescription& command);

} // namespace troupe
