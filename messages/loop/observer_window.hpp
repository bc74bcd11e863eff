#pragma once

#include <cstdint>

namespace troupe {

/// Decides which copies an observer gets, so that a slow one loses copies instead of filling its
/// mailbox.
///
/// At most `window` copies are in flight. One copy in each half window requests a confirmation;
/// messages arrive in order, so it confirms all copies before it. Nothing here blocks.
class ObserverWindow {
public:
  enum class Decision { lose, send, send_and_confirm };

  /// @param window most copies in flight; 0 counts as 1
  explicit ObserverWindow(std::uint32_t window) : window_(window == 0 ? 1 : window) {}

  /// Decides about the next copy. One that `must` arrive (the last callbacks of a run) is always
  /// sent.
  Decision offer(bool must = false) {
    if (!must && sent_ - confirmed_ >= window_) {
      ++lost_;
      ++lost_since_sent_;
      return Decision::lose;
    }
    ++sent_;
    lost_since_sent_ = 0;
    const auto every = window_ / 2 == 0 ? 1 : window_ / 2;
    return sent_ % every == 0 ? Decision::send_and_confirm : Decision::send;
  }

  /// The observer has handled the copy that was sent as number `number`.
  void confirm(std::uint64_t number) {
    if (number > confirmed_)
      confirmed_ = number;
  }

  std::uint64_t sent() const { return sent_; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t in_flight() const { return sent_ - confirmed_; }
  /// Copies lost since the last one sent. The next copy reports it, so call this before `offer`.
  std::uint64_t lost_since_sent() const { return lost_since_sent_; }

private:
  std::uint64_t window_;
  std::uint64_t sent_ = 0, confirmed_ = 0, lost_ = 0, lost_since_sent_ = 0;
};

} // namespace troupe
