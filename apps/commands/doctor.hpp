// troupe doctor: says what the machine offers, and what is wrong.
#pragma once

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct DoctorCommand {
  bool json = false; ///< print one line of JSON
};

void add_doctor(CLI::App& app, DoctorCommand& command);

/// @returns the exit code of the program: 69 if training would fail here
int doctor(const DoctorCommand& command);

} // namespace troupe
