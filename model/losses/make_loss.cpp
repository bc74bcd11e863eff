#include "model/losses/make_loss.hpp"

#include "base/text/text.hpp"
#include "model/losses/loss_kind.hpp"

#include <stdexcept>
#include <type_traits>

namespace troupe {

std::vector<std::string> loss_names() { return loss_kinds().names(); }

template <class Scalar>
std::shared_ptr<const Loss<Scalar>> make_loss(const LossOptions& options) {
  const auto& name = options.name;
  if (name == "margin_ranking")
    throw std::invalid_argument(
      "margin_ranking compares two predictions of one example with each other, and a network makes "
      "one; let it predict their difference, with a target of 1 or -1, and use soft_margin");
  const auto* kind = loss_kinds().find(name);
  if (kind == nullptr)
    throw std::invalid_argument("there is no loss '" + name + "'; known are "
                                + joined(loss_names()));
  if (options.label_smoothing != 0 && !kind->smooths_labels)
    throw std::invalid_argument("label_smoothing is " + std::to_string(options.label_smoothing)
                                + ", which " + name + " does not have; leave it 0");
  if constexpr (std::is_same_v<Scalar, float>)
    return kind->make_float(options);
  else if (kind->make_double)
    return kind->make_double(options);
  throw std::invalid_argument("the loss " + name + " compares numbers of type float only");
}

template std::shared_ptr<const Loss<float>> make_loss(const LossOptions&);
template std::shared_ptr<const Loss<double>> make_loss(const LossOptions&);

} // namespace troupe
