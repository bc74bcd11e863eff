#pragma once

#include "base/types.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// How numbers are distributed, as TensorBoard's HistogramProto has it.
struct EventHistogram {
  double minimum = 0, maximum = 0, sum = 0, sum_of_squares = 0;
  double count = 0;            ///< of finite numbers; the others are left out
  std::vector<double> limits;  ///< the upper end of each bin, the last one the maximum
  std::vector<double> buckets; ///< how many are in each bin
};

/// @param bins of equal width from the least to the greatest, > 0. No finite number: no bin.
EventHistogram event_histogram(std::span<const float> values, std::size_t bins);

/// The record of a TFRecord file around `data`: its length (8 bytes), the masked CRC-32C of the
/// length (4), the data, its masked CRC-32C (4); little-endian.
/// https://www.tensorflow.org/tutorials/load_data/tfrecord
std::string tf_record(std::string_view data);

/// A file of events that TensorBoard reads: events.out.tfevents.<seconds since 1970>.<number>, a
/// TFRecord file of Event messages (tensorflow/core/util/event.proto). It is there from the first
/// event on; each is handed to the system at once.
class EventFile {
public:
  /// @param folder is made where it is not there
  /// @param wall_time seconds since 1970
  /// @throws FileError where it cannot be made.
  EventFile(const std::filesystem::path& folder, double wall_time);
  ~EventFile();
  EventFile(EventFile&& other) noexcept;
  EventFile& operator=(EventFile&&) = delete;

  // Each throws FileError where the disk refuses it.

  void scalar(const std::string& tag, Step step, double wall_time, double value);
  void histogram(const std::string& tag, Step step, double wall_time,
                 const EventHistogram& histogram);
  /// A run goes on: events from this step on that an earlier file of the folder has do not count.
  void restart(Step step, double wall_time);

private:
  void write(std::string_view event);

  std::filesystem::path path_;
  int descriptor_ = -1;
};

} // namespace troupe
