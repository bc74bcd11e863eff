// The answer of /api/runs/ID/curves.
#pragma once

#include "apps/plots/log_columns.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <string>

namespace troupe {

struct CurvesRequest {
  std::set<std::string> records; ///< {}: all that end in loss, accuracy or r2
  std::set<WorkerId> workers;    ///< {}: all
  Against against = Against::batches;
  std::size_t points = 1000;
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
};

/// @throws UsageError if the log does not have the number of examples that the axis needs
nlohmann::ordered_json curves_answer(const LogColumns& columns, const LogSource& log,
                                     const CurvesRequest& request);

} // namespace troupe
