#include "model/data/token_lengths.hpp"

#include "model/data/problem.hpp"

namespace troupe {

template <class Scalar>
void token_lengths(std::span<const Scalar> tokens, Index places, std::vector<Index>& lengths) {
  lengths.clear();
  for (auto rest = tokens; !rest.empty(); rest = rest.subspan(static_cast<std::size_t>(places))) {
    auto length = places;
    while (length > 0
           && rest[static_cast<std::size_t>(length - 1)] == static_cast<Scalar>(masked_class))
      --length;
    lengths.push_back(length);
  }
}

template void token_lengths(std::span<const float>, Index, std::vector<Index>&);
template void token_lengths(std::span<const double>, Index, std::vector<Index>&);

} // namespace troupe
