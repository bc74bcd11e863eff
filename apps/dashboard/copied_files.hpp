// The files of runs, grids and clusters that another machine may copy: /api/files
#pragma once

#include "apps/dashboard/api_request.hpp"
#include "apps/dashboard/run_table.hpp"

#include <string>

namespace troupe {

/// Every folder with its files that may be copied, their sizes and when they changed.
ApiAnswer copied_folders_answer(const RunTable& table);

/// At most a MiB of a file, from the byte `from` of the request. @throws ApiRefusal, with 409 if
/// the request has a `head` that is not that of the file
/// @param name as the folder lists it
ApiAnswer copied_file_answer(const RunTable& table, const ApiRequest& request,
                             const std::string& folder, const std::string& name);

} // namespace troupe
