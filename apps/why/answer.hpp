// What `troupe why` says of a run: sentences, bars, and the same as JSON.
#pragma once

#include "apps/why/causes.hpp"
#include "apps/why/measured_run.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace troupe {

struct WhyAnswer {
  std::string name;   ///< of the run
  bool ended = true;  ///< false: it still trains
  bool ahead = false; ///< a loader reads ahead
  MeasuredRun run;
  CriticalPath path;
  std::vector<Cause> causes; ///< the one that bounds the run first; there is one
};

/// @param folder of the run, or of its cluster
WhyAnswer why_answer(const std::filesystem::path& folder, ReadRun read);

/// Five: what was measured, what bounds the run, the critical path, what would be gained, what to
/// do.
std::vector<std::string> sentences_of(const WhyAnswer& answer);

nlohmann::ordered_json json_of(const WhyAnswer& answer);

/// "reading data", "extension 'slow'", "worker 1"
std::string name_of(const Cost& cost);
/// "23.4 s", "1.2 ms"
std::string shown_seconds(double seconds);

} // namespace troupe
