#include "messages/timing/time_report.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

/// 20 s: 1 s before the first batch, 2 s of reading, 12 s of steps, 4 s of gates.
Status some_status() {
  Status status;
  status.position.seconds = 20;
  status.position.training_seconds = 12;
  status.totals.initialization_seconds = 1;
  status.totals.reading_seconds = 2;
  status.totals.gate_seconds = 4;
  status.subscriptions = {{"printing", 5, 0, 0}, {"sync", 5, 0, 1}, {"monitor", 5, 0, 2.5}};
  return status;
}

void check_sums(const TimeSection& section) {
  if (section.parts.empty())
    return;
  double sum = 0;
  for (const auto& part : section.parts) {
    CHECK(part.seconds >= 0);
    sum += part.seconds;
    check_sums(part);
  }
  CHECK(sum == Approx(section.seconds));
}

} // namespace

TEST_CASE("the parts of each section of a profile add up to it", "[profile][B49]") {
  check_sums(time_report(some_status()));
  check_sums(time_report(Status{}));
  auto resumed = some_status();
  resumed.position.seconds = 3; // a clock that reports less than the parts
  check_sums(time_report(resumed));
}

TEST_CASE("a profile lists the gates, the longest first", "[profile][B49]") {
  CHECK(print_time_report(time_report(some_status()))
        == "run                   20.000 s  100.0 %\n"
           "  initialization       1.000 s    5.0 %\n"
           "  reading data         2.000 s   10.0 %\n"
           "  steps               12.000 s   60.0 %\n"
           "  gates                4.000 s   20.0 %\n"
           "    monitor            2.500 s   12.5 %\n"
           "    sync               1.000 s    5.0 %\n"
           "    other              0.500 s    2.5 %\n"
           "  other                1.000 s    5.0 %");
}
