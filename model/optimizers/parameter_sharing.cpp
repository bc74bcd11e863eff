#include "model/optimizers/parameter_sharing.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

/// The parameter to share with: a name, perhaps with ^T.
struct SharedWith {
  std::string name;
  bool transposed = false;
};

SharedWith shared_with(const std::string& text) {
  const auto transposed = text.ends_with("^T");
  return {transposed ? text.substr(0, text.size() - 2) : text, transposed};
}

const Parameter& known_parameter(const Layout& layout, const std::string& name) {
  if (const auto* found = layout.find(name))
    return *found;
  throw std::invalid_argument("no parameter is called '" + name
                              + "', so it cannot be shared; known are "
                              + joined(layout.parameters(), ", ", &Parameter::name));
}

/// @throws std::invalid_argument if `taker` cannot share the numbers of `owner`
void check_share(const Parameter& taker, const Parameter& owner, bool transposed) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("parameter '" + taker.name + "' " + to_string(taker.shape)
                                + " cannot be '" + owner.name + "' " + to_string(owner.shape)
                                + (transposed ? ", transposed: " : ": ") + why);
  };
  if (is_measured(taker.role) || is_measured(owner.role))
    refuse("statistics are measured and not learned; share weights");
  if (!transposed && taker.shape != owner.shape)
    refuse("their shapes differ; make them agree, or append ^T to the second to transpose it");
  if (transposed
      && (taker.shape.size() != 2 || owner.shape.size() != 2 || taker.shape[0] != owner.shape[1]
          || taker.shape[1] > owner.shape[0]))
    refuse("that needs the shapes [a, n] and [m, a] with n <= m; make the widths agree");
}

} // namespace

ParameterSharing::ParameterSharing(const Layout& whole, Shares shares)
  : shares_(std::move(shares)),
    whole_(whole) {
  for (const auto& parameter : whole.parameters())
    if (!shares_.contains(parameter.name))
      layout_.add(parameter.name, parameter.shape, parameter.role);
  for (const auto& [name, with] : shares_) {
    const auto other = shared_with(with);
    check_share(known_parameter(whole, name), known_parameter(whole, other.name), other.transposed);
    if (layout_.find(other.name) == nullptr)
      throw std::invalid_argument("parameter '" + name + "' is to be '" + with
                                  + "', which shares another one itself; name that one");
  }
  for (const auto& parameter : whole.parameters()) {
    const auto share = shares_.find(parameter.name);
    const auto shared = share != shares_.end();
    const auto other = shared ? shared_with(share->second) : SharedWith{parameter.name};
    pieces_.push_back({.at = parameter.offset,
                       .from = layout_.find(other.name)->offset,
                       .size = parameter.size(),
                       .columns = other.transposed ? parameter.shape[1] : 0,
                       .shared = shared});
  }
}

Layout ParameterSharing::whole_with_roles(const Layout& layout) const {
  auto whole = whole_;
  for (const auto& parameter : whole_.parameters()) {
    const auto share = shares_.find(parameter.name);
    const auto name = share == shares_.end() ? parameter.name : shared_with(share->second).name;
    if (layout.find(name)->role == ParameterRole::frozen)
      whole.freeze(parameter.name);
  }
  return whole;
}

Index ParameterSharing::block_offset(Index whole_offset) const {
  auto offset = whole_offset;
  for (const auto& piece : pieces_)
    if (piece.shared && piece.at < whole_offset)
      offset -= piece.size;
  return offset;
}

/// The source of number i of the piece: for [a, columns], number [r, c] is that of [columns.., a]
/// at [c, r].
Index ParameterSharing::source(const Piece& piece, Index i) {
  if (piece.columns == 0)
    return piece.from + i;
  const auto rows = piece.size / piece.columns;
  return piece.from + i % piece.columns * rows + i / piece.columns;
}

template <class Scalar>
void ParameterSharing::expand(std::span<const Scalar> block, std::span<Scalar> whole) const {
  for (const auto& piece : pieces_)
    if (piece.columns == 0)
      std::copy_n(block.data() + piece.from, piece.size, whole.data() + piece.at);
    else
      for (Index i = 0; i < piece.size; ++i)
        whole[static_cast<std::size_t>(piece.at + i)]
          = block[static_cast<std::size_t>(source(piece, i))];
}

template <class Scalar>
void ParameterSharing::gather(std::span<const Scalar> whole, std::span<Scalar> block) const {
  for (const auto& piece : pieces_)
    if (!piece.shared)
      std::copy_n(whole.data() + piece.at, piece.size, block.data() + piece.from);
}

template <class Scalar>
void ParameterSharing::fold(std::span<const Scalar> whole_gradient,
                            std::span<Scalar> gradient) const {
  gather(whole_gradient, gradient);
  for (const auto& piece : pieces_)
    if (piece.shared)
      for (Index i = 0; i < piece.size; ++i)
        gradient[static_cast<std::size_t>(source(piece, i))]
          += whole_gradient[static_cast<std::size_t>(piece.at + i)];
}

template void ParameterSharing::expand(std::span<const float>, std::span<float>) const;
template void ParameterSharing::expand(std::span<const double>, std::span<double>) const;
template void ParameterSharing::gather(std::span<const float>, std::span<float>) const;
template void ParameterSharing::gather(std::span<const double>, std::span<double>) const;
template void ParameterSharing::fold(std::span<const float>, std::span<float>) const;
template void ParameterSharing::fold(std::span<const double>, std::span<double>) const;

} // namespace troupe
