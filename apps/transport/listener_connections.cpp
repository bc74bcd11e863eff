#include "apps/transport/listener_connections.hpp"

#include "base/failure.hpp"
#include "base/text/text.hpp"

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

namespace troupe {

namespace {

constexpr auto seconds_to_show = std::chrono::duration<double>(PendingLimits{}.deadline).count();

std::size_t open_file_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::size_t>(limit.rlim_cur) : 1024;
}

} // namespace

PendingLimits pending_limits(std::size_t descriptors) {
  PendingLimits limits;
  limits.total = std::clamp<std::size_t>(descriptors / 16, 16, 256);
  limits.per_address = limits.total / 2;
  return limits;
}

ListenerConnections::ListenerConnections(std::string what)
  : what_(std::move(what)),
    wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
    most_admitted_(std::clamp<std::size_t>(open_file_limit() / 4, 64, 4096)),
    pending_(pending_limits(open_file_limit())) {
  if (wake_.get() < 0)
    throw IoError(what_ + " cannot listen: " + std::strerror(errno));
}

std::optional<ListenerConnections::Id> ListenerConnections::add(Id id, const std::string& address,
                                                                int descriptor, Time now) {
  const std::lock_guard lock{mutex_};
  known_[id] = {address, descriptor};
  const auto too_many = pending_.add(id, address, now);
  if (too_many)
    report("crowded", *too_many, "newer connections wait for authentication");
  return too_many;
}

bool ListenerConnections::admit(Id id) {
  const std::lock_guard lock{mutex_};
  if (admitted_.size() >= most_admitted_)
    return false;
  pending_.remove(id);
  admitted_.insert(id);
  return true;
}

void ListenerConnections::refuse(Id id, const std::string& why) {
  const std::lock_guard lock{mutex_};
  report("refused", id, why);
}

void ListenerConnections::forget(Id id) {
  const std::lock_guard lock{mutex_};
  pending_.remove(id);
  admitted_.erase(id);
  known_.erase(id);
}

std::vector<ListenerConnections::Id> ListenerConnections::overdue(Time now) {
  const std::lock_guard lock{mutex_};
  auto late = pending_.overdue(now);
  for (const auto id : late)
    report("late", id, "it did not authenticate within " + shortest(seconds_to_show) + " s");
  return late;
}

std::optional<ListenerConnections::Id>
ListenerConnections::oldest_for_room(const std::string& error) {
  const std::lock_guard lock{mutex_};
  const auto oldest = pending_.oldest();
  report("accept", {}, "it cannot be accepted: " + error);
  if (oldest)
    pending_.remove(*oldest);
  return oldest;
}

void ListenerConnections::shut(Id id) {
  const std::lock_guard lock{mutex_};
  if (const auto known = known_.find(id); known != known_.end())
    ::shutdown(known->second.descriptor, SHUT_RDWR);
}

void ListenerConnections::report_left_out(Time now) {
  const std::lock_guard lock{mutex_};
  for (const auto& line : limit_.left_out(now))
    std::cerr << line + "\n" << std::flush;
}

std::optional<ListenerConnections::Time> ListenerConnections::next_deadline() {
  const std::lock_guard lock{mutex_};
  const auto pending = pending_.next_deadline(), line = limit_.next_line();
  return pending && line ? std::min(*pending, *line) : pending ? pending : line;
}

void ListenerConnections::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_.get(), &one, sizeof one);
}

void ListenerConnections::clear_wake() {
  std::uint64_t ignored = 0;
  [[maybe_unused]] const auto woken = read(wake_.get(), &ignored, sizeof ignored);
}

void ListenerConnections::end() {
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
  }
  wake();
}

bool ListenerConnections::ending() {
  const std::lock_guard lock{mutex_};
  return ending_;
}

/// @pre the lock is held
void ListenerConnections::report(const std::string& kind, std::optional<Id> id,
                                 const std::string& why) {
  const auto known = id ? known_.find(*id) : known_.end();
  const auto line = limit_.admit(kind,
                                 "a connection to " + what_
                                   + (known == known_.end() ? "" : " from " + known->second.address)
                                   + " was refused: " + why,
                                 std::chrono::steady_clock::now());
  if (line)
    std::cerr << *line + "\n" << std::flush;
  else
    wake(); // to report lines that were left out
}

bool ListenerPlace::admit() {
  if (connections_->admit(id_))
    return true;
  refuse("the limit of open files (ulimit -n) allows no more peers");
  return false;
}

} // namespace troupe
