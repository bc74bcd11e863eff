#pragma once

#include <caf/error.hpp>

namespace troupe {

/// For a request whose failure is the answer to somebody else's: what the promise then delivers.
template <class Promise>
auto pass_error(Promise promise) {
  return [promise](const caf::error& error) mutable { promise.deliver(error); };
}

} // namespace troupe
