// Which rows of a log count: a run that is resumed from a checkpoint trains the rows beyond it
// again.
#pragma once

#include "apps/folder/log_scanner.hpp"
#include "messages/log/log_lineage.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// The starts of a log are known before the rows that they follow.
class CountedRows {
public:
  /// A further start, which follows all rows up to now.
  void expect(const LogStart& start);
  /// Notes the records of a row after the last start, which replace those of the row from which it
  /// resumed.
  void note_replacing(const ScannedRow& row);
  /// Whether a text may be a row that `note_replacing` wants.
  bool may_replace(std::string_view line) const;
  /// Whether an expected start voids rows that were taken.
  bool voids_taken() const { return voids_taken_; }

  /// Forgets which rows were taken.
  void forget_taken();
  /// All starts are ahead again.
  void begin();
  std::size_t passed() const { return passed_; } ///< starts
  /// The next start comes before the row of that number.
  void pass_start(std::uint64_t row);
  void take(const RowKey& row);

  /// Whether no start supersedes the row of that number.
  bool has(const RowKey& row, std::uint64_t number) const;
  /// Removes the records that a start has written again.
  void remove_replaced(ScannedRow& row, std::uint64_t number) const;

private:
  struct Start {
    LogStart start;
    std::uint64_t row = 0; ///< number of the first row after it, once that is read
    std::map<WorkerId, std::set<std::string, std::less<>>> replaced; ///< names of records
  };
  static bool resumes_at(const Start& start, WorkerId worker, Step batch);

  std::vector<Start> starts_;
  std::size_t passed_ = 0;            ///< of the starts
  std::vector<std::string> awaited_;  ///< texts in the rows from which the last start resumed
  std::map<WorkerId, Step> furthest_; ///< batch of a taken row, by worker
  bool voids_taken_ = false;
};

} // namespace troupe
