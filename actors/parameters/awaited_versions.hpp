#pragma once

#include "messages/parameters/parameter_store.hpp"

#include <caf/typed_response_promise.hpp>

#include <vector>

namespace troupe {

/// Those who wait at a parameter holder for a newer version than the one that they have.
class AwaitedVersions {
public:
  using Promise = caf::typed_response_promise<Parameters>;

  void add(Version after, Promise promise);
  /// Answers those whose version is there.
  void settle(const ParameterStore& store);
  void refuse_all(const caf::error& error);

private:
  struct Waiting {
    Version after = 0;
    Promise promise;
  };
  std::vector<Waiting> waiting_; ///< in the order in which they asked
};

} // namespace troupe
