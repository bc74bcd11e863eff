#include "extensions/monitoring/histograms.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/record_maker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace troupe {

Conditions histograms_conditions() {
  return Conditions{}.set_trigger("every_n_batches", Value{std::int64_t{100}});
}

namespace {

struct Ends {
  double least, greatest;
};

Ends ends_of(std::span<const float> values) {
  Ends ends{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double x : values)
    if (std::isfinite(x))
      ends = {std::min(ends.least, x), std::max(ends.greatest, x)};
  if (ends.least > ends.greatest)
    ends.least = ends.greatest = std::numeric_limits<double>::quiet_NaN();
  return ends;
}

/// The position of x from 0 (least) to 1 (greatest).
double place(double x, const Ends& ends, HistogramScale scale) {
  if (scale == HistogramScale::logarithmic)
    return std::log(std::abs(x) / ends.least) / std::log(ends.greatest / ends.least);
  return ends.greatest > ends.least ? (x - ends.least) / (ends.greatest - ends.least) : 0;
}

} // namespace

void check(const HistogramsOptions& options) {
  if (options.bins < 1 || options.bins > 1000)
    throw std::invalid_argument("bins of histograms is " + std::to_string(options.bins)
                                + "; it must be 1 to 1000");
  if (!(options.least > 0 && options.least < options.greatest && std::isfinite(options.greatest)))
    throw std::invalid_argument("least and greatest of histograms are " + shortest(options.least)
                                + " and " + shortest(options.greatest)
                                + "; they must be greater than 0 and ascend");
}

std::string histogram(std::span<const float> values, const HistogramsOptions& options) {
  check(options);
  const auto ends = options.scale == HistogramScale::linear ? ends_of(values)
                                                            : Ends{options.least, options.greatest};
  std::vector<std::uint64_t> counts(options.bins);
  const auto last = static_cast<double>(options.bins - 1);
  for (const double x : values)
    if (std::isfinite(x)) { // log 0 is -inf, hence in the first bin
      const auto bin = std::floor(place(x, ends, options.scale) * options.bins);
      ++counts[static_cast<std::size_t>(std::clamp(bin, 0.0, last))];
    }
  auto text = shortest(ends.least) + " " + shortest(ends.greatest);
  for (const auto count : counts)
    text += " " + std::to_string(count);
  return text;
}

Records histograms(const HistogramsOptions& options, const Layout& layout, const LoopEvent& event) {
  Records records;
  const auto write = [&](const Block& block, const std::string& prefix) {
    if (block.size() == layout.size())
      for (const auto& parameter : layout.parameters())
        records[prefix + parameter.name]
          = Value{histogram(block.view().subspan(static_cast<std::size_t>(parameter.offset),
                                                 static_cast<std::size_t>(parameter.size())),
                            options)};
  };
  const auto prefix = options.prefix.empty() ? "" : options.prefix + "_";
  write(event.parameters.values, prefix);
  if (options.gradients && event.started)
    write(event.gradient, prefix + "gradient_");
  return records;
}

Extension spawn_histograms(caf::actor_system& system, const HistogramsOptions& options,
                           Layout layout, Logger logger) {
  check(options);
  const auto records = [=](const LoopEvent& event) { return histograms(options, layout, event); };
  return spawn_record_maker(system, "histograms", records, std::move(logger));
}

namespace {

const RegisterExtension histograms_kind{ExtensionOf<HistogramsOptions>{
  .name = "histograms",
  .shows = Shows::gradients,
  .conditions = histograms_conditions,
  .spawn =
    [](const HistogramsOptions& options, const ExtensionContext& context) {
      return spawn_histograms(context.system, options, context.layout, context.logger);
    },
  .place =
    [](const HistogramsOptions& options, OrderedExtension& place) {
      if (!options.prefix
             .empty()) // else they are called as the parameters, which are not known here
        place.writes = {options.prefix + "_*"};
    },
}};

} // namespace

} // namespace troupe
