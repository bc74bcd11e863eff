#pragma once

#include "base/types.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A distribution of numbers, as in TensorBoard's HistogramProto.
struct EventHistogram {
  double minimum = 0, maximum = 0, sum = 0, sum_of_squares = 0;
  double count = 0;            ///< number of finite values; others are ignored
  std::vector<double> limits;  ///< upper end of each bin, the last one is the maximum
  std::vector<double> buckets; ///< count in each bin
};

/// @param bins of equal width from minimum to maximum, > 0. No bins if no number is finite.
EventHistogram event_histogram(std::span<const float> values, std::size_t bins);

/// A TFRecord around `data`: its length (8 bytes), the masked CRC-32C of the length (4), the data,
/// its masked CRC-32C (4); little-endian. https://www.tensorflow.org/tutorials/load_data/tfrecord
std::string tf_record(std::string_view data);

/// An event file for TensorBoard: events.out.tfevents.<seconds since 1970>.<number>, a TFRecord
/// file of Event messages (tensorflow/core/util/event.proto). The first event creates it; each
/// event is passed to the system at once.
class EventFile {
public:
  /// @param folder created if necessary
  /// @param wall_time seconds since 1970
  /// @throws IoError if it cannot be created
  EventFile(const std::filesystem::path& folder, double wall_time);
  ~EventFile();
  EventFile(EventFile&& other) noexcept;
  EventFile& operator=(EventFile&&) = delete;

  // Each throws IoError if writing fails.

  void scalar(const std::string& tag, Step step, double wall_time, double value);
  void histogram(const std::string& tag, Step step, double wall_time,
                 const EventHistogram& histogram);
  /// Marks a resumed run: events from this step on in earlier files of the folder are void.
  void restart(Step step, double wall_time);

private:
  void write(std::string_view event);

  std::filesystem::path path_;
  int descriptor_ = -1;
};

} // namespace troupe
