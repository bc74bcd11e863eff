#include "messages/evaluation/best_record.hpp"

#include "messages/evaluation/undefined_metrics.hpp"

#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

double comparable(const std::string& record, const Value& value) {
  if (const auto number = as_number(value))
    return *number;
  throw std::invalid_argument("record '" + record + "' is " + in_quotes(to_string(value))
                              + ", which cannot be better or worse; name a numeric record");
}

} // namespace

BestRecord::BestRecord(std::string record, Choose choose) : record_(std::move(record)) {
  if (record_.empty())
    throw std::invalid_argument("the name of the record to compare is missing; give one, like "
                                "record: validation_loss");
  choose_ = chosen(choose, record_);
}

BestRecord::Decision BestRecord::offer(const Records& row) {
  const auto found = row.find(record_);
  if (found == row.end())
    return Decision::absent;
  const auto value = comparable(record_, found->second);
  if (std::isnan(value))
    return Decision::not_a_number;
  if (is_undefined(row, record_))
    return Decision::undefined;
  if (state_.any && !is_better(value, state_.value, choose_))
    return Decision::no_better;
  state_ = {true, value};
  return Decision::best;
}

} // namespace troupe
