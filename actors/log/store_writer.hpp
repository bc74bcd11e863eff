#pragma once

#include "actors/log/log_store.hpp"

#include <deque>
#include <functional>
#include <string>

namespace troupe {

/// Writes one log into a store, many rows at a time. If the store refuses rows, they are kept until
/// it accepts them.
class StoreWriter {
public:
  /// @param limit most rows that are kept; later ones are lost
  StoreWriter(std::string path, std::string run, LogStart start, double unix_time,
              std::size_t limit = 100'000);
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  void write(const Write& write, double unix_time);
  void write(const WriteStatus& status);
  void write_end(double unix_time);

  /// Writes pending rows to the store, in one transaction.
  /// @param patience how long to wait for another program that locks the store
  /// @returns "", or why the store refused them, which is reported once.
  std::string flush(std::chrono::milliseconds patience);
  /// Rows that the store lacks: pending and lost ones.
  std::size_t missing() const { return waiting_.size() + lost_; }

private:
  using Action = std::function<void(LogStore&)>;
  void add(Action action);

  std::string path_, id_;
  std::size_t limit_;
  std::optional<LogStore> store_; ///< once it could be opened
  std::deque<Action> waiting_;
  std::size_t lost_ = 0;
  bool refused_ = false;
};

} // namespace troupe
