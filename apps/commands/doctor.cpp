#include "apps/commands/doctor.hpp"

#include "actors/log/console.hpp"
#include "apps/doctor/machine_report.hpp"
#include "base/exit_codes.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace troupe {

void add_doctor(CLI::App& app, DoctorCommand& command) {
  auto* sub = app.add_subcommand("doctor", "Tell what this machine offers, and what is wrong with "
                                           "it: exit code 69 if training would fail");
  sub->add_flag("--json", command.json, "print one line of JSON");
  sub->footer("\nExamples:\n  troupe doctor\n  troupe doctor --json\n");
}

int doctor(const DoctorCommand& command) {
  const auto checks = checks_of(facts_of_machine("."));
  std::cout << (command.json ? report_json(checks) + "\n"
                             : report_text(checks, width_of_window(80)))
            << std::flush;
  return static_cast<int>(anything_wrong(checks) ? ExitCode::unavailable : ExitCode::done);
}

} // namespace troupe
