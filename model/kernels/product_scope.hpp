#pragma once

#include "base/text/enum_names.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// Which kernels compute the larger products of float32.
enum class Products : std::uint8_t {
  library, ///< the library of the build, such as oneDNN
  tiles,   ///< the processor's matrix tiles (tile_product.hpp), where the shape is worth it
};
constexpr auto enum_names(Products) { return name_list("library", "tiles"); }

/// Selects the kernels of the calling thread while it lives.
class ProductScope {
public:
  /// @pre tiles_available() for tiles
  explicit ProductScope(Products products) : former_(on_this_thread) { on_this_thread = products; }
  ~ProductScope() { on_this_thread = former_; }
  ProductScope(const ProductScope&) = delete;
  ProductScope& operator=(const ProductScope&) = delete;

  static Products chosen() { return on_this_thread; }

private:
  static inline thread_local Products on_this_thread = Products::library;
  Products former_;
};

} // namespace troupe
