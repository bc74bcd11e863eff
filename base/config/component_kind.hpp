// A kind of component (problem, model, optimizer) that a section of the configuration can name.
#pragma once

#include "base/config/decode.hpp"

#include <functional>
#include <string>

namespace troupe {

/// What it is called, its options, and how it is made from them.
template <class Product, class... Context>
struct ComponentKind {
  std::string name;                       ///< as configurations call it
  std::function<config::Node()> defaults; ///< its options without the name
  /// @throws ConfigError, std::invalid_argument for options that cannot be. `path`: of the section.
  std::function<Product(const config::Node& section, const std::string& path, Context... context)>
    make;
};

/// Options of a section, without its name. @throws ConfigError
template <HasFields Options>
Options options_of(const config::Node& section, const std::string& path, Options options = {}) {
  auto without_name = section;
  without_name.erase("name");
  return config::options_from(without_name, path, std::move(options));
}

} // namespace troupe
