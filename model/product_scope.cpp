#include "troupe/model/product_scope.hpp"

namespace troupe {

std::string to_string(Products products) {
  return products == Products::tiles ? "tiles" : "library";
}

bool from_text(std::string_view text, Products& products) {
  products = text == "tiles" ? Products::tiles : Products::library;
  return text == to_string(products);
}

} // namespace troupe
