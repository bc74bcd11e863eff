#include "apps/catalog/torch_fingerprint.hpp"

#include "apps/config/tree.hpp"
#include "model/torch/torch_file.hpp"

#include <stdexcept>

namespace troupe {

void record_fingerprint(config::Node& tree) {
  if (config::text_at(tree, {"model", "name"}) != "torch"
      || !config::text_at(tree, {"model", "fingerprint"}).empty())
    return;
  const auto path = config::text_at(tree, {"model", "file"});
  try {
    config::set(tree, {"model", "fingerprint"},
                config::Node::scalar(fingerprint_of_file(path), path, true));
  } catch (const std::runtime_error&) {
    // make_torch_model reports it
  }
}

} // namespace troupe
