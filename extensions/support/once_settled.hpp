#pragma once

#include "extensions/support/row_deadline.hpp"
#include "messages/log/log.hpp"
#include "messages/requests/request_within.hpp"

#include <caf/typed_response_promise.hpp>

#include <chrono>

namespace troupe {

/// For an extension that follows the log: delivers the answer once the row has all its announced
/// records, because this extension has then received them, too.
template <class Answer, class Self>
caf::typed_response_promise<Answer> once_settled(Self self, const Logger& logger, const RowKey& row,
                                                 Answer answer) {
  constexpr std::chrono::seconds deadline{static_cast<int>(row_deadline)};
  auto promise = self->template make_response_promise<Answer>();
  auto deliver = [promise, answer = std::move(answer)](const auto&) mutable {
    promise.deliver(std::move(answer));
  };
  request_within(self, logger, deadline, ReadRow{row, true})
    .then([deliver](const Row& settled) mutable { deliver(settled); },
          [deliver](const caf::error& error) mutable { deliver(error); });
  return promise;
}

} // namespace troupe
