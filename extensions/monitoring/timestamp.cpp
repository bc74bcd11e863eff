#include "extensions/monitoring/timestamp.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/record_maker.hpp"
#include "messages/timing/clocks.hpp"

#include <array>
#include <cmath>
#include <ctime>

namespace troupe {

namespace {

std::string local(double unix_time, const std::string& pattern) {
  const auto whole = static_cast<std::time_t>(std::floor(unix_time));
  std::tm parts{};
  localtime_r(&whole, &parts);
  std::array<char, 96> text{};
  const auto length = std::strftime(text.data(), text.size(), pattern.c_str(), &parts);
  return {text.data(), length};
}

} // namespace

Conditions timestamp_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_training", "after_epoch", "on_error", "on_interrupt",
                              "on_resumption", "after_training"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

Records timestamp_records(double unix_time, const TimestampOptions& options) {
  Records records{{"datestamp", Value{local(unix_time, "%Y-%m-%d %H:%M")}}};
  if (options.legion_records) {
    records["timestamp"] = Value{unix_time};
    return records;
  }
  auto zone = local(unix_time, "%z"); // "+0200" becomes "+02:00"
  if (zone.size() == 5)
    zone.insert(3, ":");
  records[options.record]
    = Value{local(unix_time, "%Y-%m-%d") + options.separator + local(unix_time, "%H:%M:%S") + zone};
  records["unix_time"] = Value{unix_time};
  return records;
}

Extension spawn_timestamp(caf::actor_system& system, TimestampOptions options, Logger logger,
                          std::function<double()> wall_clock) {
  if (!wall_clock)
    wall_clock = seconds_since_1970;
  const auto records = [=](const LoopEvent&) { return timestamp_records(wall_clock(), options); };
  return spawn_record_maker(system, "timestamp", records, std::move(logger));
}

namespace {

const RegisterExtension timestamp_kind{ExtensionOf<TimestampOptions>{
  .name = "timestamp",
  .workers = "all",
  .only_records = true,
  .conditions = timestamp_conditions,
  .spawn =
    [](const TimestampOptions& options, const ExtensionContext& context) {
      return spawn_timestamp(context.system, options, context.logger);
    },
  .place =
    [](const TimestampOptions& options, OrderedExtension& place) {
      place.writes = {"datestamp"};
      if (options.legion_records)
        place.writes.emplace_back("timestamp");
      else
        place.writes.insert(place.writes.end(), {options.record, "unix_time"});
    },
}};

} // namespace

} // namespace troupe
