#pragma once

#include "troupe/messages/extension.hpp"

#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <functional>
#include <map>

namespace troupe {

/// Counts what an extension has under way, and answers Drain, and SaveExtension, once what had
/// begun before the request is over. Work ends in the order in which it began.
class UnderWay {
public:
  void begin() { ++begun_; }
  void end() {
    ++ended_;
    while (!waiting_.empty() && waiting_.begin()->first <= ended_)
      waiting_.extract(waiting_.begin()).mapped()();
  }

  template <class Self>
  caf::typed_response_promise<Drained> drain(Self self) {
    return when_over(self, Drained{});
  }

  /// For an extension that remembers nothing but what it has under way.
  template <class Self>
  caf::typed_response_promise<SavedExtension> save(Self self) {
    return when_over(self, SavedExtension{});
  }

private:
  template <class Self, class Answer>
  caf::typed_response_promise<Answer> when_over(Self self, Answer answer) {
    auto promise = self->template make_response_promise<Answer>();
    if (ended_ == begun_)
      promise.deliver(std::move(answer));
    else
      waiting_.emplace(begun_, [promise, answer]() mutable { promise.deliver(std::move(answer)); });
    return promise;
  }

  std::uint64_t begun_ = 0, ended_ = 0;
  std::multimap<std::uint64_t, std::function<void()>> waiting_; ///< by what must have ended
};

} // namespace troupe
