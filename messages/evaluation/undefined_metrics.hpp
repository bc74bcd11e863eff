// Metrics that nothing can be said of, being 0/0: R2 of equal targets, precision of no example.
// Their value is 0, and next to them stands a record that names them:
//
//   validation_loss 0.1   validation_r2 0   validation_undefined "r2"
#pragma once

#include "base/records.hpp"
#include "messages/evaluation/evaluation.hpp"

#include <string>
#include <vector>

namespace troupe {

/// What stands in the place of the metric's name in the record that names the undefined ones.
inline constexpr auto undefined_record = "undefined";

/// The value of that record.
Value undefined_value(const std::vector<std::string>& metrics);

/// Adds a record "<section>_<name>" for each metric, and where some are undefined the one that
/// names them.
void put_metrics(Records& records, const std::string& section, const std::vector<Metric>& metrics,
                 const std::vector<std::string>& undefined);

/// Whether the row says of a record that it is undefined.
bool is_undefined(const Records& row, const std::string& record);

/// Whether a metric is among those that are undefined.
bool is_among(const std::string& metric, const std::vector<std::string>& undefined);

/// What people read behind the value of an undefined metric, " (undefined)", and "" behind others.
std::string undefined_mark(const std::string& metric, const std::vector<std::string>& undefined);
/// The same, of a record.
std::string undefined_mark(const Records& row, const std::string& record);

} // namespace troupe
