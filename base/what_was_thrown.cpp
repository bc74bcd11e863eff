#include "base/what_was_thrown.hpp"

#include <exception>

namespace troupe {

std::string what_was_thrown() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something was thrown that is no std::exception, so that nobody knows what; throw one "
           "that says what failed";
  }
}

} // namespace troupe
