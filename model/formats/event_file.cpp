#include "model/formats/event_file.hpp"

#include "base/crc32c.hpp"
#include "base/failure.hpp"
#include "base/files/private_files.hpp"
#include "model/formats/protobuf.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

// Field numbers in event.proto, summary.proto and histogram.proto of TensorFlow.
namespace event_field {
enum : std::uint32_t { wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7 };
}
namespace value_field {
enum : std::uint32_t { tag = 1, simple_value = 2, histo = 5 };
}
namespace histogram_field {
enum : std::uint32_t { min = 1, max, num, sum, sum_squares, bucket_limit, bucket };
}
constexpr std::uint32_t summary_value = 1;      // of Summary
constexpr std::uint32_t session_log_status = 1; // of SessionLog
constexpr std::int64_t session_log_start = 1;

std::string little_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(number >> 8 * i & 0xff);
  return text;
}

/// Masked, because the CRC of data that contain their own CRC is weak.
std::uint32_t masked_crc(std::string_view data) {
  const auto crc = crc32c(data);
  return (crc >> 15 | crc << 17) + 0xa282ead8;
}

IoError cannot_write_events(const std::filesystem::path& path, int error) {
  return IoError("cannot write events to '" + path.string()
                 + "': " + std::generic_category().message(error));
}

ProtobufMessage event_at(Step step, double wall_time) {
  ProtobufMessage event;
  event.real64(event_field::wall_time, wall_time);
  event.integer(event_field::step, static_cast<std::int64_t>(step));
  return event;
}

std::string summary_event(Step step, double wall_time, const ProtobufMessage& value) {
  const auto summary = ProtobufMessage{}.message(summary_value, value);
  return event_at(step, wall_time).message(event_field::summary, summary).bytes();
}

} // namespace

EventHistogram event_histogram(std::span<const float> values, std::size_t bins) {
  EventHistogram histogram;
  histogram.minimum = std::numeric_limits<double>::infinity();
  histogram.maximum = -histogram.minimum;
  for (const double x : values)
    if (std::isfinite(x)) {
      histogram.minimum = std::min(histogram.minimum, x);
      histogram.maximum = std::max(histogram.maximum, x);
      histogram.sum += x;
      histogram.sum_of_squares += x * x;
      ++histogram.count;
    }
  if (histogram.count == 0)
    return {};
  const auto width = histogram.maximum - histogram.minimum;
  histogram.buckets.resize(bins);
  for (std::size_t i = 1; i < bins; ++i)
    histogram.limits.push_back(histogram.minimum
                               + width * static_cast<double>(i) / static_cast<double>(bins));
  histogram.limits.push_back(histogram.maximum);
  for (const double x : values)
    if (std::isfinite(x)) {
      const auto place
        = width > 0 ? (x - histogram.minimum) / width * static_cast<double>(bins) : 0.0;
      ++histogram.buckets[std::min(static_cast<std::size_t>(place), bins - 1)];
    }
  return histogram;
}

std::string tf_record(std::string_view data) {
  const auto length = little_endian(data.size(), 8);
  auto record = length + little_endian(masked_crc(length), 4);
  record += data;
  return record + little_endian(masked_crc(data), 4);
}

EventFile::EventFile(const std::filesystem::path& folder, double wall_time) {
  constexpr int most = 10'000;
  make_private_folder(folder);
  const auto name = "events.out.tfevents." + std::to_string(static_cast<std::int64_t>(wall_time));
  for (int number = 0; number < most && descriptor_ < 0; ++number) {
    path_ = folder / (name + "." + std::to_string(number));
    descriptor_ = open_private(path_, O_WRONLY | O_EXCL | O_APPEND);
    if (descriptor_ < 0 && errno != EEXIST)
      break;
  }
  if (descriptor_ < 0)
    throw cannot_write_events(path_, errno);
  write(event_at(0, wall_time).text(event_field::file_version, "brain.Event:2").bytes());
}

EventFile::~EventFile() {
  if (descriptor_ >= 0)
    close(descriptor_);
}

EventFile::EventFile(EventFile&& other) noexcept
  : path_(std::move(other.path_)),
    descriptor_(std::exchange(other.descriptor_, -1)) {}

void EventFile::write(std::string_view event) {
  const auto record = tf_record(event);
  const auto written = ::write(descriptor_, record.data(), record.size());
  if (written != static_cast<ssize_t>(record.size()))
    throw cannot_write_events(path_, written < 0 ? errno : ENOSPC);
}

void EventFile::scalar(const std::string& tag, Step step, double wall_time, double value) {
  ProtobufMessage message;
  message.text(value_field::tag, tag).real(value_field::simple_value, static_cast<float>(value));
  write(summary_event(step, wall_time, message));
}

void EventFile::histogram(const std::string& tag, Step step, double wall_time,
                          const EventHistogram& histogram) {
  ProtobufMessage distribution;
  distribution.real64(histogram_field::min, histogram.minimum)
    .real64(histogram_field::max, histogram.maximum)
    .real64(histogram_field::num, histogram.count)
    .real64(histogram_field::sum, histogram.sum)
    .real64(histogram_field::sum_squares, histogram.sum_of_squares)
    .reals64(histogram_field::bucket_limit, histogram.limits)
    .reals64(histogram_field::bucket, histogram.buckets);
  ProtobufMessage message;
  message.text(value_field::tag, tag).message(value_field::histo, distribution);
  write(summary_event(step, wall_time, message));
}

void EventFile::restart(Step step, double wall_time) {
  const auto start = ProtobufMessage{}.integer(session_log_status, session_log_start);
  write(event_at(step, wall_time).message(event_field::session_log, start).bytes());
}

} // namespace troupe
