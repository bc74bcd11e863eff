#include "apps/dashboard/event_hub.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe {

EventText event_text(const std::string& kind, const std::string& json) {
  return std::make_shared<const std::string>("event: " + kind + "\ndata: " + json + "\n\n");
}

bool EventQueue::push(const EventText& event) {
  const std::lock_guard lock{mutex_};
  if (!closed_ && (events_.size() >= most_events || bytes_ + event->size() > most_bytes)) {
    closed_ = true;
    events_.clear();
    arrived_.notify_all();
    return false;
  }
  if (closed_)
    return false;
  events_.push_back(event);
  bytes_ += event->size();
  arrived_.notify_all();
  return true;
}

std::vector<EventText> EventQueue::take(std::chrono::milliseconds longest) {
  std::unique_lock lock{mutex_};
  arrived_.wait_for(lock, longest, [this] { return closed_ || !events_.empty(); });
  bytes_ = 0;
  std::vector<EventText> taken{std::make_move_iterator(events_.begin()),
                               std::make_move_iterator(events_.end())};
  events_.clear();
  return taken;
}

void EventQueue::close() {
  const std::lock_guard lock{mutex_};
  closed_ = true;
  arrived_.notify_all();
}

bool EventQueue::closed() const {
  const std::lock_guard lock{mutex_};
  return closed_;
}

std::shared_ptr<EventQueue> EventHub::subscribe(std::set<std::string> watched) {
  const std::lock_guard lock{mutex_};
  forget_closed();
  if (closed_ || pages_.size() >= most_pages)
    return nullptr;
  pages_.push_back({std::make_shared<EventQueue>(), std::move(watched)});
  return pages_.back().queue;
}

void EventHub::send(Page& page, const EventText& event) {
  if (!page.queue->closed() && !page.queue->push(event))
    ++dropped_;
}

void EventHub::publish(const EventText& event) {
  const std::lock_guard lock{mutex_};
  for (auto& page : pages_)
    send(page, event);
  forget_closed();
}

void EventHub::publish_rows(const std::string& run, const EventText& event) {
  const std::lock_guard lock{mutex_};
  for (auto& page : pages_)
    if (page.watched.contains(run))
      send(page, event);
  forget_closed();
}

std::set<std::string> EventHub::watched() const {
  const std::lock_guard lock{mutex_};
  std::set<std::string> all;
  for (const auto& page : pages_)
    if (!page.queue->closed())
      all.insert(page.watched.begin(), page.watched.end());
  return all;
}

std::size_t EventHub::pages() const {
  const std::lock_guard lock{mutex_};
  return static_cast<std::size_t>(std::count_if(
    pages_.begin(), pages_.end(), [](const Page& page) { return !page.queue->closed(); }));
}

std::size_t EventHub::dropped() const {
  const std::lock_guard lock{mutex_};
  return dropped_;
}

void EventHub::close() {
  const std::lock_guard lock{mutex_};
  closed_ = true;
  for (auto& page : pages_)
    page.queue->close();
}

void EventHub::forget_closed() {
  std::erase_if(pages_, [](const Page& page) { return page.queue->closed(); });
}

} // namespace troupe
