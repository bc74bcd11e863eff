#include "base/same_secret.hpp"

namespace troupe {

bool same_secret(std::string_view a, std::string_view b) {
  // The length is not secret; every byte is compared, whatever the others are.
  volatile unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto other = b.empty() ? '\0' : b[i % b.size()];
    difference = static_cast<unsigned char>(difference | (a[i] ^ other));
  }
  return difference == 0;
}

} // namespace troupe
