#include "messages/loop/epoch_ends.hpp"

#include <algorithm>
#include <sstream>

namespace troupe {

void EpochEnds::add(Step batches) {
  if (!series_.empty()) {
    auto& last = series_.back();
    if (last.count == 1)
      last.distance = batches - last.first;
    if (last.last() + last.distance == batches) {
      ++last.count;
      return;
    }
  }
  series_.push_back({batches});
}

Epoch EpochEnds::count() const {
  Epoch count = 0;
  for (const auto& series : series_)
    count += series.count;
  return count;
}

double EpochEnds::epochs_at(Step batches, double batches_per_epoch) const {
  Epoch done = 0;
  Step end = 0; // of the last completed epoch
  for (const auto& series : series_) {
    if (batches < series.first)
      break;
    const auto further
      = series.distance == 0 ? series.count - 1 : (batches - series.first) / series.distance;
    const auto reached = std::min<Epoch>(further, series.count - 1);
    done += reached + 1;
    end = series.first + series.distance * reached;
  }
  return static_cast<double>(done) + static_cast<double>(batches - end) / batches_per_epoch;
}

std::string EpochEnds::text() const {
  std::string text;
  const auto add = [&text](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  for (const auto& series : series_)
    if (series.count > 2) {
      add(std::to_string(series.first) + "-" + std::to_string(series.last()) + ":"
          + std::to_string(series.distance));
    } else {
      add(std::to_string(series.first));
      if (series.count == 2)
        add(std::to_string(series.last()));
    }
  return text;
}

std::optional<EpochEnds> EpochEnds::from_text(std::string_view text) {
  EpochEnds ends;
  std::istringstream words{std::string{text}};
  for (std::string word; words >> word;) {
    std::istringstream numbers{word};
    Step first = 0, last = 0, distance = 0;
    char dash = 0, colon = 0;
    if (!(numbers >> first))
      return {};
    if (numbers.peek() == std::istringstream::traits_type::eof()) {
      ends.add(first);
      continue;
    }
    if (!(numbers >> dash >> last >> colon >> distance) || dash != '-' || colon != ':'
        || distance == 0 || last <= first || (last - first) % distance != 0 || !numbers.eof())
      return {};
    ends.series_.push_back({first, distance, (last - first) / distance + 1});
  }
  return ends;
}

} // namespace troupe
