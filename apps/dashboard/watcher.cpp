#include "apps/dashboard/watcher.hpp"

#include <algorithm>
#include <iostream>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto watch_every = 500ms; // at the runs that train
// For new folders: the latter where many folders, or a busy machine, make a search slow.
constexpr auto search_every = 2000ms, search_at_least_every = 10'000ms;
constexpr std::size_t most_rows = 500; // in one event

} // namespace

Watcher::Watcher(RunTable& table, EventHub& hub)
  : table_(table),
    hub_(hub),
    thread_([this] { run(); }) {}

Watcher::~Watcher() {
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  woken_.notify_all();
  thread_.join();
}

bool Watcher::ended_within(std::chrono::milliseconds time) {
  std::unique_lock lock{mutex_};
  return woken_.wait_for(lock, time, [this] { return ends_; });
}

void Watcher::run() {
  using Clock = std::chrono::steady_clock;
  auto next_search = Clock::now();
  do {
    const auto begin = Clock::now();
    const auto everywhere = begin >= next_search;
    try {
      poll(everywhere);
    } catch (const std::exception& error) {
      std::cerr << "troupe: the folders of runs could not be read: " << error.what()
                << "; the dashboard tries again" << std::endl;
    }
    if (everywhere)
      next_search = Clock::now()
                    + std::clamp<Clock::duration>(20 * (Clock::now() - begin), search_every,
                                                  search_at_least_every);
  } while (!ended_within(watch_every));
}

void Watcher::poll(bool everywhere) {
  const auto watched = hub_.watched();
  TableChanges changes;
  if (everywhere) {
    table_.scan(changes);
    publish(changes);
    changes = {};
  }
  table_.read_logs(everywhere, watched, changes);
  publish(changes);
  std::erase_if(published_, [&](const auto& one) { return !watched.contains(one.first); });
  for (const auto& run : watched)
    publish_rows(run);
}

void Watcher::publish(const TableChanges& changes) {
  if (hub_.pages() == 0 || (changes.changed.empty() && changes.gone.empty()))
    return;
  std::string rows;
  for (const auto& row : changes.changed)
    rows += (rows.empty() ? "" : ",") + row;
  hub_.publish(event_text("runs", "{\"runs\":[" + rows
                                    + "],\"gone\":" + nlohmann::json(changes.gone).dump() + "}"));
}

void Watcher::publish_rows(const std::string& run) {
  const auto known = published_.find(run);
  table_.with(run, [&](const RunEntry& entry) {
    const auto total = entry.log().rows();
    if (known == published_.end()) {
      published_[run] = {total, entry.restarts()};
      return;
    }
    auto& [next, restarts] = known->second;
    if (total == next && restarts == entry.restarts())
      return;
    if (restarts != entry.restarts() || total < next || total - next > most_rows) {
      hub_.publish_rows(run, event_text("reread", one_line({{"run", run}})));
    } else {
      const auto rows = log_rows(entry, static_cast<std::int64_t>(next), most_rows);
      hub_.publish_rows(
        run,
        event_text(
          "rows",
          one_line({{"run", run}, {"from", rows.from}, {"next", rows.next}, {"rows", rows.rows}})));
    }
    known->second = {total, entry.restarts()};
  });
}

} // namespace troupe
