// Hands events to pages. A page that does not read costs a bounded queue, and is then dropped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// The text of an event as it is sent; all pages share one.
using EventText = std::shared_ptr<const std::string>;

/// "event: runs\ndata: {...}\n\n". @param json on one line
EventText event_text(const std::string& kind, const std::string& json);

/// The events of one page that were not sent yet.
class EventQueue {
public:
  static constexpr std::size_t most_events = 256;
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;

  /// @returns false if the queue is full or closed: the page is dropped
  bool push(const EventText& event);
  /// Waits for events. @returns all of them; none after the time, or if the queue is closed
  std::vector<EventText> take(std::chrono::milliseconds longest);
  void close();
  bool closed() const;

private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<EventText> events_;
  std::size_t bytes_ = 0;
  bool closed_ = false;
};

class EventHub {
public:
  static constexpr std::size_t most_pages = 64;

  /// A page that wants all events of the table, and the rows of the watched runs.
  /// @returns nullptr if there are too many pages
  std::shared_ptr<EventQueue> subscribe(std::set<std::string> watched);
  void publish(const EventText& event);
  void publish_rows(const std::string& run, const EventText& event);
  /// Runs that any page watches.
  std::set<std::string> watched() const;
  std::size_t pages() const;
  std::size_t dropped() const; ///< pages so far that did not read
  void close();                ///< ends all pages

private:
  struct Page {
    std::shared_ptr<EventQueue> queue;
    std::set<std::string> watched;
  };
  void send(Page& page, const EventText& event);
  void forget_closed();

  mutable std::mutex mutex_;
  std::vector<Page> pages_;
  std::size_t dropped_ = 0;
  bool closed_ = false;
};

} // namespace troupe
