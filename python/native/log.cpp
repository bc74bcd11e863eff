#include "apps/folder/log_reader.hpp"
#include "apps/folder/run_lock.hpp"
#include "apps/plots/abscissa.hpp"
#include "python/native/kept.hpp"
#include "python/native/module.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>

namespace troupe::python {

namespace {

constexpr auto missing = std::numeric_limits<double>::quiet_NaN();

/// The rows of one worker as columns of the same length.
class ArrayColumns : public LogTaker {
public:
  explicit ArrayColumns(WorkerId worker) : worker_(worker) {}

  bool restart() override {
    *this = ArrayColumns{worker_};
    return true;
  }

  void take(const ScannedRow& row, std::uint64_t, std::uint64_t, bool counts) override {
    if (!counts || row.worker != worker_)
      return;
    const auto [found, is_new] = places_.try_emplace(row.batch, batch_.size());
    if (is_new) {
      batch_.push_back(static_cast<std::int64_t>(row.batch));
      epoch_.push_back(static_cast<std::int64_t>(row.epoch));
      seconds_.push_back(row.seconds);
      time_.push_back(unix_time_of(std::string{row.time}));
    }
    for (const auto& record : row.records) {
      if (record.is_text)
        continue;
      auto& column = column_of(record.name);
      column.resize(batch_.size(), missing);
      column[found->second] = record.number; // a later value of the same row holds
    }
  }

  /// In the order of batches.
  py::dict arrays() {
    const auto order = order_of_batches();
    py::dict arrays;
    arrays["batch"] = array_of(in_order(std::move(batch_), order));
    arrays["epoch"] = array_of(in_order(std::move(epoch_), order));
    arrays["seconds"] = array_of(in_order(std::move(seconds_), order));
    arrays["time"] = array_of(in_order(std::move(time_), order));
    for (auto& [name, column] : columns_) {
      column.resize(places_.size(), missing);
      arrays[name.c_str()] = array_of(in_order(std::move(column), order));
    }
    return arrays;
  }

private:
  std::vector<double>& column_of(std::string_view name) {
    const auto found = columns_.find(name);
    return found != columns_.end() ? found->second : columns_[std::string{name}];
  }

  /// Empty if they are in order, which is usual.
  std::vector<std::size_t> order_of_batches() const {
    if (std::is_sorted(batch_.begin(), batch_.end()))
      return {};
    std::vector<std::size_t> order(batch_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [this](auto a, auto b) { return batch_[a] < batch_[b]; });
    return order;
  }

  template <class Number>
  static std::vector<Number> in_order(std::vector<Number> column,
                                      const std::vector<std::size_t>& order) {
    if (order.empty())
      return column;
    std::vector<Number> sorted;
    sorted.reserve(column.size());
    for (const auto place : order)
      sorted.push_back(column[place]);
    return sorted;
  }

  WorkerId worker_;
  std::unordered_map<Step, std::size_t> places_; ///< of batches in the columns
  std::vector<std::int64_t> batch_, epoch_;
  std::vector<double> seconds_, time_;
  std::map<std::string, std::vector<double>, std::less<>> columns_;
};

py::dict log_arrays(const std::string& file, WorkerId worker) {
  ArrayColumns columns{worker};
  {
    const py::gil_scoped_release free;
    LogReader{file}.poll(columns);
  }
  return columns.arrays();
}

/// Hands each row that counts of a log that is being written to Python once.
class LogFollower : private LogTaker {
public:
  explicit LogFollower(const std::string& folder)
    : folder_(folder),
      reader_(folder_ / "log.jsonl") {}

  /// The rows since the last call.
  py::list rows() {
    rows_ = py::list{};
    reader_.poll(*this);
    return std::move(rows_);
  }

  bool ended() const { return reader_.head().ended(); }
  bool alive() const { return is_locked(folder_); }

private:
  bool restart() override { return false; } // those that were handed on are not taken back

  void take(const ScannedRow& row, std::uint64_t, std::uint64_t, bool counts) override {
    if (!counts)
      return;
    py::dict entry;
    entry["worker"] = row.worker;
    entry["batch"] = row.batch;
    entry["epoch"] = row.epoch;
    entry["seconds"] = row.seconds;
    entry["time"] = std::string{row.time};
    for (const auto& [name, text, number, is_text] : row.records)
      if (is_text)
        entry[py::str(std::string{name})] = std::string{text};
      else
        entry[py::str(std::string{name})] = number;
    rows_.append(std::move(entry));
  }

  std::filesystem::path folder_;
  LogReader reader_;
  py::list rows_;
};

} // namespace

void bind_log(py::module_& module) {
  module.def("log_arrays", log_arrays);
  py::class_<LogFollower>(module, "LogFollower")
    .def(py::init<const std::string&>())
    .def("rows", &LogFollower::rows)
    .def_property_readonly("ended", &LogFollower::ended)
    .def_property_readonly("alive", &LogFollower::alive);
}

} // namespace troupe::python
