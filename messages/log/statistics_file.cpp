#include "messages/log/statistics_file.hpp"

#include "base/files/durable_file.hpp"
#include "base/files/file_content.hpp"
#include "base/files/private_files.hpp"
#include "base/text/csv_field.hpp"
#include "base/text/text.hpp"
#include "model/data/table/csv_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace troupe {

namespace {

std::string csv_line(const std::vector<std::string>& cells) {
  return joined(cells, ",", csv_field) + "\n";
}

/// Spaces that pad a format would be part of the field in CSV.
std::string without_padding(std::string text) {
  return text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
}

IoError cannot_write_statistics(const std::filesystem::path& path, int error) {
  return IoError("cannot write statistics to '" + path.string()
                 + "': " + std::generic_category().message(error));
}

} // namespace

std::vector<std::vector<std::string>> read_statistics(const std::filesystem::path& path) {
  auto text = file_content(path).value_or("");
  text.erase(text.rfind('\n') + 1); // an incomplete line of a killed process
  std::vector<std::vector<std::string>> rows;
  CsvReader reader{text, path.string(), ','};
  for (CsvRecord record; reader.next(record);)
    rows.emplace_back(record.cells.begin(), record.cells.end());
  return rows;
}

StatisticsFile::StatisticsFile(std::filesystem::path path, std::vector<std::string> columns)
  : path_(std::move(path)),
    columns_(std::move(columns)) {}

StatisticsFile::~StatisticsFile() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

void StatisticsFile::replace(const std::string& text) {
  write_file(path_, text);
  if (descriptor_ >= 0)
    close(descriptor_);
  descriptor_ = open_private(path_, O_WRONLY | O_APPEND);
  if (descriptor_ < 0)
    throw cannot_write_statistics(path_, errno);
  end_ = text.size();
}

void StatisticsFile::begin() {
  newest_.clear();
  replace(csv_line(columns_));
}

void StatisticsFile::resume(Step episodes) {
  auto rows = read_statistics(path_);
  if (rows.empty()) {
    begin();
    return;
  }
  columns_ = rows.front();
  rows.erase(rows.begin());
  newest_.clear();
  auto text = csv_line(columns_);
  for (auto& cells : rows)
    if (cells.size() == columns_.size()
        && std::strtod(episode_of(cells).c_str(), nullptr) < static_cast<double>(episodes)) {
      newest_at_ = text.size();
      text += csv_line(cells);
      newest_ = std::move(cells);
    }
  replace(text);
}

void StatisticsFile::write(const StatisticsRow& row) {
  add_columns(row);
  std::vector<std::string> cells(columns_.size());
  for (const auto& cell : row) {
    const auto column = std::find(columns_.begin(), columns_.end(), cell.name) - columns_.begin();
    if (cell.defined)
      cells[static_cast<std::size_t>(column)] = without_padding(cell.format(cell.value));
  }
  auto at = end_;
  if (!newest_.empty() && episode_of(newest_) == episode_of(cells)) {
    for (std::size_t i = 0; i < newest_.size(); ++i)
      if (cells[i].empty())
        cells[i] = newest_[i];
    at = newest_at_;
    if (ftruncate(descriptor_, static_cast<off_t>(at)) != 0)
      throw cannot_write_statistics(path_, errno);
  }
  const auto line = csv_line(cells);
  const auto written = ::write(descriptor_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) {
    const auto error = written < 0 ? errno : ENOSPC;
    if (ftruncate(descriptor_, static_cast<off_t>(at)) == 0) // also removes the part that was
                                                             // written
      end_ = at;
    newest_.clear();
    throw cannot_write_statistics(path_, error);
  }
  newest_at_ = at;
  end_ = at + line.size();
  newest_ = std::move(cells);
}

void StatisticsFile::add_columns(const StatisticsRow& row) {
  const auto before = columns_.size();
  for (const auto& cell : row)
    if (std::find(columns_.begin(), columns_.end(), cell.name) == columns_.end())
      columns_.push_back(cell.name);
  if (columns_.size() == before)
    return;
  auto rows = read_statistics(path_);
  auto text = csv_line(columns_);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    rows[i].resize(columns_.size());
    newest_at_ = text.size();
    text += csv_line(rows[i]);
  }
  replace(text);
}

std::string StatisticsFile::episode_of(const std::vector<std::string>& cells) const {
  const auto found = std::find(columns_.begin(), columns_.end(), "episode");
  const auto at = static_cast<std::size_t>(found - columns_.begin());
  return at < cells.size() ? cells[at] : "";
}

} // namespace troupe
