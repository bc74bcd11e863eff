#pragma once

#include "messages/loop/extension.hpp"

#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <set>

namespace troupe {

/// Tracks an extension's work in flight, and answers Drain and SaveExtension once the work that
/// began before the request has ended. Work ends in any order.
class InFlight {
public:
  using Ticket = std::uint64_t; ///< number of a piece of work, from 1 in order of start
  Ticket begin() { return *open_.insert(++begun_).first; }
  void end(Ticket work) {
    open_.erase(work);
    while (!waiting_.empty() && (open_.empty() || waiting_.begin()->first < *open_.begin()))
      waiting_.extract(waiting_.begin()).mapped()();
  }

  template <class Self>
  caf::typed_response_promise<Drained> drain(Self self) {
    return when_over(self, Drained{});
  }

  /// For an extension without any state but its work in flight.
  template <class Self>
  caf::typed_response_promise<SavedExtension> save(Self self) {
    return when_over(self, SavedExtension{});
  }

private:
  template <class Self, class Answer>
  caf::typed_response_promise<Answer> when_over(Self self, Answer answer) {
    auto promise = self->template make_response_promise<Answer>();
    if (open_.empty())
      promise.deliver(std::move(answer));
    else
      waiting_.emplace(begun_, [promise, answer]() mutable { promise.deliver(std::move(answer)); });
    return promise;
  }

  Ticket begun_ = 0; ///< the last
  std::set<Ticket> open_;
  std::multimap<Ticket, std::function<void()>>
    waiting_; ///< by the last ticket that must have ended
};

} // namespace troupe
