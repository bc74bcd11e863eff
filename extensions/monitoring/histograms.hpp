// Writes histograms of each parameter's elements.
#pragma once

#include "base/text/enum_names.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <span>

namespace troupe {

enum class HistogramScale : std::uint8_t {
  linear,      ///< equal bins from the smallest to the largest element
  logarithmic, ///< bins of magnitudes, equal in the logarithm, between fixed ends
};
constexpr auto enum_names(HistogramScale) { return name_list("linear", "logarithmic"); }

struct HistogramsOptions {
  std::uint32_t bins = 20;                       ///< 1 to 1000
  HistogramScale scale = HistogramScale::linear; ///< how the bins divide the numbers
  double least = 1e-8;    ///< logarithmic: smaller magnitudes and 0 are in the first bin
  double greatest = 100;  ///< logarithmic: larger magnitudes are in the last bin
  bool gradients = false; ///< also those of the last batch
  std::string prefix
    = "_hist"; ///< before each name, with "_"; names that begin with _ are not printed
  TROUPE_FIELDS(bins, scale, least, greatest, gradients, prefix);
};

/// Every 100 batches.
Conditions histograms_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const HistogramsOptions& options);

/// "least greatest c0 c1 ...": the ends of the range and the number of elements in each bin. An
/// element on an edge belongs to the bin above, the largest to the last bin. Elements that are not
/// finite are in no bin, so the sum of the counts shows them; without any finite element the ends
/// are nan.
/// @throws std::invalid_argument for invalid options.
std::string histogram(std::span<const float> values, const HistogramsOptions& options);

/// `<prefix>_<parameter>`, and `<prefix>_gradient_<parameter>`.
/// @param event with parameters; before the first batch there are no gradients
Records histograms(const HistogramsOptions& options, const Layout& layout, const LoopEvent& event);

/// An observer, subscribed with gradients (Shows::gradients). It has no state, and ends when no
/// handle to it is left.
/// @throws std::invalid_argument for invalid options.
Extension spawn_histograms(caf::actor_system& system, const HistogramsOptions& options,
                           Layout layout, Logger logger);

} // namespace troupe
