// The picture of `troupe why`: a bar for each worker, divided by what its time went to, and one for
// the run without what bounds it.
#pragma once

#include "apps/why/answer.hpp"

namespace troupe {

struct BarPart {
  Cost cost;
  bool bounds = false; ///< it is what bounds the run
};

struct Bar {
  std::string name;
  bool critical = false; ///< the critical path leads through it
  std::vector<BarPart> parts;
  double seconds() const;
};

/// The worker of the critical path first, then those that are busiest; at most eight. The last bar
/// is "without it".
std::vector<Bar> bars_of(const WhyAnswer& answer);

/// For a page that draws them itself.
nlohmann::ordered_json json_of(const std::vector<Bar>& bars);

/// For a terminal or a pipe. @param columns of the window
std::string drawn_in_text(const std::vector<Bar>& bars, std::size_t columns, bool color);

/// With the sentences above the bars.
std::string drawn_as_svg(const std::vector<Bar>& bars, const std::vector<std::string>& sentences);

} // namespace troupe
