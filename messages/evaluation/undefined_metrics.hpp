// Metrics that are 0/0 and so mean nothing: R2 of equal targets, precision without examples. Their
// value is 0, and a record beside them names them:
//
//   validation_loss 0.1   validation_r2 0   validation_undefined "r2"
#pragma once

#include "base/records.hpp"
#include "messages/evaluation/evaluation.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Takes the metric's place in the name of the record that lists the undefined ones.
inline constexpr auto undefined_record = "undefined";

/// The value of that record.
Value undefined_value(const std::vector<std::string>& metrics);

/// Adds a record "<section>_<name>" for each metric, and if some are undefined the record that
/// names them.
void put_metrics(Records& records, const std::string& section, const std::vector<Metric>& metrics,
                 const std::vector<std::string>& undefined);

/// Whether the row marks a record as undefined.
bool is_undefined(const Records& row, const std::string& record);

/// Whether a metric is in the list of undefined ones.
bool is_among(const std::string& metric, const std::vector<std::string>& undefined);

/// The suffix that people see after the value of an undefined metric, " (undefined)"; "" for
/// others.
std::string undefined_mark(const std::string& metric, const std::vector<std::string>& undefined);
/// The same for a record.
std::string undefined_mark(const Records& row, const std::string& record);

} // namespace troupe
