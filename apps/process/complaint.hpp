#pragma once

#include "base/failure.hpp"

#include <exception>

namespace troupe {

/// The error message and exit code of a failure that ends the program.
struct Complaint {
  ExitCode code = ExitCode::internal;
  Sentences sentences;
};

Complaint complaint_of(const std::exception_ptr& failure);

} // namespace troupe
