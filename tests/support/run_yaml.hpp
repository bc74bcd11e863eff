// Configurations written in a test.
#pragma once

#include "apps/config/yaml.hpp"

namespace troupe::test {

inline config::Node read(std::string_view text) { return config::read_yaml(text, "run.yaml"); }

} // namespace troupe::test
