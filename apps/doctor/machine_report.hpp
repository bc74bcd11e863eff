// What is right and wrong about a machine for training.
#pragma once

#include "apps/doctor/machine_facts.hpp"
#include "base/text/enum_names.hpp"

#include <string>
#include <vector>

namespace troupe {

enum class CheckResult : std::uint8_t {
  good,
  note,  ///< training works, but something is slower or less than it could be
  wrong, ///< training fails
};
constexpr auto enum_names(CheckResult) { return name_list("ok", "note", "wrong"); }

struct MachineCheck {
  CheckResult result = CheckResult::good;
  std::string subject; ///< a word: "memory"
  std::string text;    ///< what was found; for a note or a wrong thing, the cure follows
};

/// One for each subject, in the order in which people read them.
std::vector<MachineCheck> checks_of(const MachineFacts& facts);

bool anything_wrong(const std::vector<MachineCheck>& checks);

/// A line for each, folded at `width` columns with the text below itself.
std::string report_text(const std::vector<MachineCheck>& checks, int width);
/// [{"subject": ..., "result": ..., "text": ...}] in one line.
std::string report_json(const std::vector<MachineCheck>& checks);

} // namespace troupe
