#include "base/exception_text.hpp"

#include <exception>

namespace troupe {

std::string exception_text() {
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
