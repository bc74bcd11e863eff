#include "actors/log/store_writer.hpp"

#include "actors/log/record_file.hpp"

namespace troupe {

StoreWriter::StoreWriter(std::string path, std::string run, LogStart start, double unix_time,
                         std::size_t limit)
  : path_(std::move(path)),
    id_(start.id),
    limit_(limit) {
  add([start = std::move(start), run = std::move(run), unix_time](LogStore& store) {
    store.begin(start, run, utc_text(unix_time));
  });
}

void StoreWriter::write(const Write& write, double unix_time) {
  add([this, write, unix_time](LogStore& store) { store.write(id_, write, utc_text(unix_time)); });
}

void StoreWriter::write(const WriteStatus& status) {
  add([this, status](LogStore& store) { store.write(id_, status); });
}

void StoreWriter::write_end(double unix_time) {
  add([this, unix_time](LogStore& store) { store.end(id_, utc_text(unix_time)); });
}

void StoreWriter::add(Action action) {
  if (waiting_.size() < limit_)
    waiting_.push_back(std::move(action));
  else
    ++lost_;
}

std::string StoreWriter::flush(std::chrono::milliseconds patience) {
  if (waiting_.empty())
    return "";
  try {
    if (!store_)
      store_.emplace(path_, LogStore::Access::write, patience);
    store_->set_patience(patience);
    store_->transact([this] {
      for (const auto& action : waiting_)
        action(*store_);
    });
    waiting_.clear();
  } catch (const StoreError& error) {
    if (std::exchange(refused_, true)) // reported once: the same store refuses every row
      return "";
    return std::string{error.what()}
           + ". Training continues without it: log.jsonl has every row, and those that the store "
             "lacks are retried";
  }
  return "";
}

} // namespace troupe
