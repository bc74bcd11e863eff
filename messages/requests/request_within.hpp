// Requests with a deadline whose timers end when the answer arrives.
#pragma once

#include <caf/detail/type_list.hpp>
#include <caf/detail/type_traits.hpp>
#include <caf/message_id.hpp>

#include <utility>

namespace troupe {

namespace detail {

template <class Self, class F, class Arguments>
struct EndsTimer;

/// Handles an answer after ending the timer of the request.
template <class Self, class F, class... Arguments>
struct EndsTimer<Self, F, caf::detail::type_list<Arguments...>> {
  Self* self;
  caf::message_id request;
  F handle;

  void operator()(Arguments... answer) {
    self->clock().cancel_request_timeout(self, request);
    handle(std::forward<Arguments>(answer)...);
  }
};

template <class Self, class F>
EndsTimer<Self, F, typename caf::detail::get_callable_trait<F>::arg_types>
ends_timer(Self* self, caf::message_id request, F handle) {
  return {self, request, std::move(handle)};
}

} // namespace detail

/// A request that request_within has sent.
template <class Handle>
class RequestWithin {
public:
  /// @param handle what self->request returned
  explicit RequestWithin(Handle handle) : handle_(std::move(handle)) {}

  /// @param failed is also called when the deadline passes
  template <class F, class Failed>
  void then(F answered, Failed failed) {
    const auto end = [this](auto& handle) {
      return detail::ends_timer(handle_.self(), handle_.id(), std::move(handle));
    };
    handle_.then(end(answered), end(failed));
  }

private:
  Handle handle_;
};

/// Sends a request as `self->request(to, deadline, message)` does. CAF 0.17.6 keeps the timer of a
/// request until it is due, even if the answer came long before, and with it the requesting actor:
/// 190 bytes for each call of a gate with a deadline of ten minutes. Scattered between blocks of
/// parameters these fragment the heap, and a long run grows by the size of its parameters at each
/// validation.
template <class Self, class To, class Deadline, class Message>
auto request_within(Self* self, const To& to, Deadline deadline, Message&& message) {
  return RequestWithin{self->request(to, deadline, std::forward<Message>(message))};
}

} // namespace troupe
