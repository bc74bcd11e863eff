#pragma once

#include "troupe/messages/loop.hpp"

#include <caf/typed_response_promise.hpp>

#include <vector>

namespace troupe {

/// Counts what an extension has under way, and answers Drain once there is nothing left.
class UnderWay {
public:
  void begin() { ++count_; }
  void end() {
    if (--count_ == 0) {
      for (auto& promise : waiting_)
        promise.deliver(Drained{});
      waiting_.clear();
    }
  }

  template <class Self>
  caf::typed_response_promise<Drained> drain(Self self) {
    auto promise = self->template make_response_promise<Drained>();
    if (count_ == 0)
      promise.deliver(Drained{});
    else
      waiting_.push_back(promise);
    return promise;
  }

private:
  std::size_t count_ = 0;
  std::vector<caf::typed_response_promise<Drained>> waiting_;
};

} // namespace troupe
