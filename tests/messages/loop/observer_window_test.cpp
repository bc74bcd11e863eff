#include "messages/loop/observer_window.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <random>

using troupe::ObserverWindow;
using OfferDecision = ObserverWindow::Decision;

TEST_CASE("an observer that confirms nothing gets one window of copies", "[observer_window]") {
  ObserverWindow window{4};
  for (auto i = 0; i < 4; ++i)
    CHECK(window.offer() != OfferDecision::lose);
  for (auto i = 0; i < 10; ++i)
    CHECK(window.offer() == OfferDecision::lose);
  CHECK(window.sent() == 4);
  CHECK(window.lost() == 10);
  CHECK(window.in_flight() == 4);
}

TEST_CASE("one copy in each half window requests a confirmation", "[observer_window]") {
  ObserverWindow window{8};
  for (auto i = 1; i <= 8; ++i)
    CHECK((window.offer() == OfferDecision::send_and_confirm) == (i % 4 == 0));
}

TEST_CASE("a confirmation covers all copies before it", "[observer_window]") {
  ObserverWindow window{4};
  for (auto i = 0; i < 4; ++i)
    window.offer();
  window.confirm(2);
  CHECK(window.in_flight() == 2);
  CHECK(window.offer() != OfferDecision::lose);
}

TEST_CASE("a late confirmation takes nothing back", "[observer_window]") {
  ObserverWindow window{4};
  for (auto i = 0; i < 4; ++i)
    window.offer();
  window.confirm(4);
  window.confirm(2);
  CHECK(window.in_flight() == 0);
}

TEST_CASE("the next copy reports how many were lost before it", "[observer_window]") {
  ObserverWindow window{2};
  window.offer();
  window.offer();
  window.offer();
  window.offer();
  CHECK(window.lost_since_sent() == 2);
  window.confirm(2);
  window.offer();
  CHECK(window.lost_since_sent() == 0);
  CHECK(window.lost() == 2);
}

TEST_CASE("a copy that must arrive is sent even if the window is full", "[observer_window]") {
  ObserverWindow window{1};
  window.offer();
  CHECK(window.offer() == OfferDecision::lose);
  CHECK(window.offer(true) != OfferDecision::lose);
}

TEST_CASE("a window of 0 counts as 1", "[observer_window]") {
  ObserverWindow window{0};
  CHECK(window.offer() == OfferDecision::send_and_confirm);
  CHECK(window.offer() == OfferDecision::lose);
}

TEST_CASE("an observer that keeps up loses no copies", "[observer_window]") {
  std::mt19937 random{3};
  for (std::uint32_t size = 1; size <= 20; ++size) {
    ObserverWindow window{size};
    std::deque<std::uint64_t> mailbox; // numbers to confirm, 0: none
    for (auto i = 0; i < 2000; ++i) {
      if (std::uniform_int_distribution<>{0, 2}(random) > 0) {
        const auto decision = window.offer(i % 97 == 0);
        if (decision != OfferDecision::lose)
          mailbox.push_back(decision == OfferDecision::send_and_confirm ? window.sent() : 0);
      } else if (!mailbox.empty()) {
        window.confirm(mailbox.front());
        mailbox.pop_front();
      }
    }
    for (auto number : mailbox)
      window.confirm(number);
    CHECK(window.offer() != OfferDecision::lose);
  }
}
