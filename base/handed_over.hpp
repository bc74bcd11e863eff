// Things in the memory of this process that a configuration names by a handle, which is a text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>

namespace troupe {

/// The handed-over things of one sort. A thing can be found while its owner keeps it.
template <class Thing>
class HandedOver {
public:
  /// @returns the handle, which no other process uses for a thing of its own
  std::string add(const std::shared_ptr<Thing>& thing) {
    const std::lock_guard lock{mutex_};
    std::erase_if(things_, [](const auto& one) { return one.second.expired(); });
    const auto handle = process_ + "-" + std::to_string(++last_);
    things_[handle] = thing;
    return handle;
  }

  /// nullptr if this process has no such thing, or no longer.
  std::shared_ptr<Thing> find(const std::string& handle) {
    const std::lock_guard lock{mutex_};
    const auto found = things_.find(handle);
    return found == things_.end() ? nullptr : found->second.lock();
  }

private:
  std::mutex mutex_;
  std::string process_ = std::to_string(std::random_device{}());
  std::map<std::string, std::weak_ptr<Thing>> things_;
  std::uint64_t last_ = 0;
};

} // namespace troupe
