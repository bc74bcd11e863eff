#include "base/exception_text.hpp"

#include <exception>

namespace troupe {

std::string exception_text() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "the exception is not a std::exception, so its reason is unknown; throw a "
           "std::exception that says what failed";
  }
}

} // namespace troupe
