// The losses that `model: {loss: ...}` can name; each is registered in its own file.
//
//   const RegisterLoss mean_squared_error_kind{loss_kind<MeanSquaredError>("mean_squared_error")};
#pragma once

#include "base/registry.hpp"
#include "model/losses/loss.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace troupe {

/// Makes a loss. It throws std::invalid_argument for options that cannot be.
template <class Scalar>
using LossMaker = std::function<std::shared_ptr<const Loss<Scalar>>(const LossOptions&)>;

/// How a loss is made, for each type of number. Training needs float; what tests models in double
/// needs the other.
struct LossKind {
  std::string name;                   ///< as configurations call it
  LossMaker<float> make_float;        ///< for training
  LossMaker<double> make_double = {}; ///< for tests of models; none: they cannot use it
  bool smooths_labels = false;        ///< else a label_smoothing is refused
};

/// All that are linked or loaded, by name.
template <>
Registry<LossKind>& registry_of();
/// The same, to look up.
inline const Registry<LossKind>& loss_kinds() { return registry_of<LossKind>(); }

/// Makes a loss known to configurations; one of namespace scope in the loss's own file.
using RegisterLoss = Registration<LossKind>;

/// A loss whose constructor takes these arguments.
template <template <class> class Made, class... Arguments>
LossKind loss_kind(std::string name, Arguments... arguments) {
  return {
    std::move(name),
    [arguments...](const LossOptions&) { return std::make_shared<Made<float>>(arguments...); },
    [arguments...](const LossOptions&) { return std::make_shared<Made<double>>(arguments...); }};
}

} // namespace troupe
