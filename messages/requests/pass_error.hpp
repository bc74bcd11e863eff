#pragma once

#include <caf/error.hpp>

namespace troupe {

/// Error handler for a request made on behalf of another one: fails that one's promise.
template <class Promise>
auto pass_error(Promise promise) {
  return [promise](const caf::error& error) mutable { promise.deliver(error); };
}

} // namespace troupe
