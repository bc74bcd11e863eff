#include "actors/log/store_writer.hpp"

#include "messages/log/log_line.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

constexpr std::uint64_t most_bytes_at_once = std::uint64_t{1} << 18;

/// Which file has a name; 0: none.
ino_t file_number(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 ? file.st_ino : 0;
}

} // namespace

StoreWriter::StoreWriter(std::string store, std::filesystem::path log)
  : store_path_(std::move(store)),
    file_(std::move(log)) {}

void StoreWriter::read_piece() {
  const auto keep = [this](std::string_view line, std::uint64_t) { lines_.emplace_back(line); };
  if (!file_.read(keep, {.most_bytes = most_bytes_at_once})) { // another file has its name now
    place_ = {};
    file_.read(keep, {.most_bytes = most_bytes_at_once});
  }
}

/// Opens the store if it is not open, or is another file now; then all is compared from the start.
void StoreWriter::open_store(std::chrono::milliseconds patience) {
  if (store_ && file_number(store_path_) != store_file_)
    store_.reset();
  if (!store_) {
    store_.emplace(store_path_, LogStore::Access::write, patience);
    store_file_ = file_number(store_path_);
    file_.rewind();
    place_ = {};
    lines_.clear();
    read_piece();
  }
  store_->set_patience(patience);
}

void StoreWriter::copy(const std::string& text, Place& place) {
  ++place.line;
  if (is_row(text) && (place.id.empty() || place.line <= place.stored))
    return;
  const auto line = read_log_line(text);
  const auto* start = std::get_if<LoggedStart>(&line);
  const auto* end = std::get_if<LoggedEnd>(&line);
  place.ended = end != nullptr;
  if (start != nullptr) {
    store_->count_lines(place.id, std::max(place.line - 1, place.stored));
    place = {start->start.id, 1, store_->lines_of(start->start.id), false};
  }
  if (place.id.empty() || place.line <= place.stored)
    return;
  if (start != nullptr)
    store_->begin(start->start, start->run, start->time);
  else if (const auto* row = std::get_if<LoggedRow>(&line))
    store_->write(place.id, {row->row, row->epoch, row->seconds, row->records, ""}, row->time);
  else if (const auto* status = std::get_if<WriteStatus>(&line))
    store_->write(place.id, *status);
  else if (end != nullptr)
    store_->end(place.id, end->time);
}

void StoreWriter::copy_piece() {
  auto place = place_;
  store_->transact([&] {
    place.stored = place.id.empty() ? 0 : store_->lines_of(place.id); // others may copy, too
    for (const auto& line : lines_)
      copy(line, place);
    store_->count_lines(place.id, std::max(place.line, place.stored));
  });
  place_ = std::move(place);
  lines_.clear();
}

std::string StoreWriter::flush(std::chrono::milliseconds patience) {
  if (lines_.empty())
    read_piece();
  behind_ = !lines_.empty();
  if (!behind_)
    return "";
  try {
    open_store(patience);
    copy_piece();
    refused_ = false;
    return "";
  } catch (const StoreError& error) {
    behind_ = false;
    return std::exchange(refused_, true) ? "" : error.what();
  }
}

std::size_t StoreWriter::missing() {
  auto missing = lines_.size();
  auto rest = file_;
  rest.read([&missing](std::string_view, std::uint64_t) { ++missing; });
  return missing;
}

} // namespace troupe
