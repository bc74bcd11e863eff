#include "messages/evaluation/undefined_metrics.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <string_view>

namespace troupe {

namespace {

constexpr std::string_view listing_word = undefined_record;
constexpr std::string_view listing_comma = ", "; // as joined() writes it

/// Whether the record has the name of the undefined list with the metric's own name in its place,
/// and the list contains that metric.
bool lists_undefined(const std::string& record, const std::string& listing,
                     std::string_view listed) {
  const auto place = listing.rfind(listing_word);
  if (place == std::string::npos)
    return false;
  while (!listed.empty()) {
    const auto end = std::min(listed.find(listing_comma), listed.size());
    auto whole = listing;
    if (whole.replace(place, listing_word.size(), listed.substr(0, end)) == record)
      return true;
    listed.remove_prefix(std::min(end + listing_comma.size(), listed.size()));
  }
  return false;
}

std::string mark(bool undefined) { return undefined ? " (undefined)" : ""; }

} // namespace

Value undefined_value(const std::vector<std::string>& metrics) { return Value{joined(metrics)}; }

void put_metrics(Records& records, const std::string& section, const std::vector<Metric>& metrics,
                 const std::vector<std::string>& undefined) {
  for (const auto& metric : metrics)
    records[section + "_" + metric.name] = Value{metric.value};
  if (!undefined.empty())
    records[section + "_" + undefined_record] = undefined_value(undefined);
}

bool is_undefined(const Records& row, const std::string& record) {
  for (const auto& [listing, value] : row)
    if (const auto* listed = std::get_if<std::string>(&value))
      if (lists_undefined(record, listing, *listed))
        return true;
  return false;
}

bool is_among(const std::string& metric, const std::vector<std::string>& undefined) {
  return std::find(undefined.begin(), undefined.end(), metric) != undefined.end();
}

std::string undefined_mark(const std::string& metric, const std::vector<std::string>& undefined) {
  return mark(is_among(metric, undefined));
}

std::string undefined_mark(const Records& row, const std::string& record) {
  return mark(is_undefined(row, record));
}

} // namespace troupe
