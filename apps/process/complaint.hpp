#pragma once

#include "base/exit_codes.hpp"

#include <exception>

namespace troupe {

/// What a program says of a failure that ends it, and its exit code.
struct Complaint {
  ExitCode code = ExitCode::internal;
  Sentences sentences;
};

Complaint complaint_of(const std::exception_ptr& failure);

} // namespace troupe
