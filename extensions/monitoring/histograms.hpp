// Writes how the elements of each parameter are distributed.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <span>

namespace troupe {

enum class HistogramScale : std::uint8_t {
  linear,      ///< equal bins from the least to the greatest element
  logarithmic, ///< of magnitudes, equal in the logarithm, between fixed ends
};

std::string to_string(HistogramScale scale);
bool from_text(std::string_view text, HistogramScale& scale); ///< false for an unknown word

struct HistogramsOptions {
  std::uint32_t bins = 20; ///< 1 to 1000
  HistogramScale scale = HistogramScale::linear;
  double least = 1e-8;          ///< of logarithmic: what is below is in the first bin, 0 too
  double greatest = 100;        ///< of logarithmic: what is above is in the last bin
  bool gradients = false;       ///< of the last batch, too
  std::string prefix = "_hist"; ///< before each name, with "_"; a name beginning with _ is not
                                ///< printed
  FIELDS(bins, scale, least, greatest, gradients, prefix);
};

/// Every 100 batches.
Conditions histograms_conditions();

/// @throws std::invalid_argument for options that cannot be.
void check(const HistogramsOptions& options);

/// "least greatest c0 c1 ...": the ends of the bins and how many elements are in each. An element
/// on an edge belongs to the bin above, the greatest to the last. What is not finite is in none, so
/// that the counts tell by their sum; without any finite element the ends are nan.
/// @throws std::invalid_argument for options that cannot be.
std::string histogram(std::span<const float> values, const HistogramsOptions& options);

/// `<prefix>_<parameter>`, and `<prefix>_gradient_<parameter>`.
/// @param event with parameters; before the first batch there are no gradients
Records histograms(const HistogramsOptions& options, const Layout& layout, const LoopEvent& event);

/// An observer, subscribed with gradients (Shows::gradients). It remembers nothing, and ends when
/// nobody holds a handle to it any more.
/// @throws std::invalid_argument for options that cannot be.
Extension spawn_histograms(caf::actor_system& system, const HistogramsOptions& options,
                           Layout layout, Logger logger);

} // namespace troupe
