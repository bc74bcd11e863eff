#include "model/kernels/product_scope.hpp"

#include "base/text/known_word.hpp"

namespace troupe {

std::string to_string(Products products) {
  return products == Products::tiles ? "tiles" : "library";
}

bool from_text(std::string_view text, Products& products) {
  return from_known_word(text, products, {Products::library, Products::tiles});
}

} // namespace troupe
