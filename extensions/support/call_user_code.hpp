// Calls functions of users inside actors.
#pragma once

#include "base/exception_text.hpp"
#include "messages/requests/error.hpp"

#include <caf/expected.hpp>
#include <caf/unit.hpp>

#include <type_traits>

namespace troupe {

/// What `call` returns. If it throws, the actor ends with the exception's text as its reason, which
/// the trainer says with the extension's name; CAF would only keep that there was an exception. A
/// gate answers with the error; an observer must not: sent to a trainer that asked nothing, an error
/// ends it.
template <class Self, class Call>
caf::expected<std::invoke_result_t<Call>> call_user_code(Self* self, Call call) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Call>>)
      return call(), caf::unit;
    else
      return call();
  } catch (...) {
    auto error = fail(Error::gate_failed, exception_text());
    self->quit(error);
    return error;
  }
}

} // namespace troupe
