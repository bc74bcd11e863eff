#include "apps/plots/abscissa.hpp"

#include "base/failure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>

namespace troupe {

namespace {

constexpr auto nowhere = std::numeric_limits<double>::quiet_NaN();

double status_number(const Records& status, const std::string& name) {
  const auto found = status.find(name);
  return found == status.end() ? nowhere : number_of(found->second);
}

} // namespace

std::string axis_label(Against against) {
  switch (against) {
  case Against::seconds: return "seconds of training";
  case Against::time: return "seconds since the first row";
  default: return to_string(against);
  }
}

Abscissa::Abscissa(Against against, const Records& status, const std::string& log,
                   double first_time)
  : against_(against),
    first_time_(first_time),
    scale_(nowhere) {
  if (against == Against::epochs) {
    scale_ = 1 / status_number(status, "batches_per_epoch");
    if (const auto ends = status.find(epoch_ends_status); ends != status.end())
      epoch_ends_ = EpochEnds::from_text(to_string(ends->second)).value_or(EpochEnds{});
  }
  if (against != Against::examples)
    return;
  scale_ = status_number(status, "examples_done") / status_number(status, "batches_done");
  if (!(scale_ > 0))
    throw UsageError("the log '" + log
                     + "' does not say how many examples its batches have, which it has only after "
                       "training; draw against batches, epochs or seconds");
}

double Abscissa::of(const RowPosition& row) const {
  switch (against_) {
  case Against::batches: return static_cast<double>(row.batch);
  case Against::epochs: // a row within an epoch has a fraction if the epoch's length is known
    return std::isfinite(scale_) ? epoch_ends_.epochs_at(row.batch, 1 / scale_)
                                 : static_cast<double>(row.epoch);
  case Against::examples: return static_cast<double>(row.batch) * scale_;
  case Against::seconds: return row.seconds;
  case Against::time: return row.time - first_time_;
  }
  return nowhere;
}

double unix_time_of(const std::string& time) {
  std::tm utc{};
  double seconds = 0;
  char end = 0;
  if (std::sscanf(time.c_str(), "%4d-%2d-%2dT%2d:%2d:%lf%c", &utc.tm_year, &utc.tm_mon,
                  &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &seconds, &end)
        != 7
      || end != 'Z' || !std::isfinite(seconds))
    return nowhere;
  utc.tm_year -= 1900;
  utc.tm_mon -= 1;
  return static_cast<double>(timegm(&utc)) + seconds;
}

} // namespace troupe
