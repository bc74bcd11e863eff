#pragma once

#include "messages/parameters/parameter_store.hpp"

#include <caf/typed_response_promise.hpp>

#include <vector>

namespace troupe {

/// Requests at a parameter holder that wait for a newer version than they have.
class AwaitedVersions {
public:
  using Promise = caf::typed_response_promise<Parameters>;

  void add(Version after, Promise promise);
  /// Answers the requests whose version exists.
  void settle(const ParameterStore& store);
  void refuse_all(const caf::error& error);

private:
  struct Waiting {
    Version after = 0;
    Promise promise;
  };
  std::vector<Waiting> waiting_; ///< in the order of arrival
};

} // namespace troupe
