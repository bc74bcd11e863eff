// Which row of the log is the best so far.
#pragma once

#include "base/fields.hpp"
#include "base/records.hpp"
#include "base/text/enum_names.hpp"
#include "messages/schedule/choose.hpp"

#include <string>
#include <string_view>

namespace troupe {

/// What happens when the value is NaN. It is never the best.
enum class OnNan : std::uint8_t {
  stop,   ///< training ends with a sentence that names the batch
  ignore, ///< the row counts as one without improvement
};
constexpr auto enum_names(OnNan) { return name_list("stop", "ignore"); }

/// The best value of a record so far. The first value counts as best; after that only a strictly
/// better one does.
class BestRecord {
public:
  enum class Decision {
    absent,       ///< the row has no such record
    not_a_number, ///< it is NaN
    undefined,    ///< it is 0/0, and its 0 means nothing
    no_better,    ///< a tie included
    best,
  };

  /// What a saved run keeps.
  struct State {
    bool any = false; ///< whether there has been a value
    double value = 0; ///< the best one
    TROUPE_FIELDS(any, value);
  };

  BestRecord() = default;
  /// @throws std::invalid_argument for an empty name, and if `choose` depends on a name that does
  /// not say which values are better.
  BestRecord(std::string record, Choose choose);

  /// Considers a row.
  /// @throws std::invalid_argument if the record is a text or a flag; the best stays as it was.
  Decision offer(const Records& row);

  const std::string& record() const { return record_; }
  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

private:
  std::string record_;
  Choose choose_ = Choose::min;
  State state_;
};

} // namespace troupe
