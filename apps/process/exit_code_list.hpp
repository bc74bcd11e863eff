// The single list of exit codes, shown in every help text; docs/reference/errors.md explains each.
#pragma once

#include "base/exit_codes.hpp"

#include <vector>

namespace troupe {

struct ExitCodeMeaning {
  ExitCode code = ExitCode::done;
  const char* meaning = ""; ///< a few words
};

/// All of them, in the order of their numbers.
const std::vector<ExitCodeMeaning>& exit_code_list();

/// "Exit codes: 0 done; 2 usage; ...", wrapped at 80 columns.
std::string exit_code_text();

} // namespace troupe
