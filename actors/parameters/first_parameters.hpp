#pragma once

#include "messages/parameters/parameter_store.hpp"

#include <caf/typed_response_promise.hpp>

#include <vector>

namespace troupe {

/// The workers of a parameter holder that have nothing to begin with: each has sent its own values,
/// and waits for those that all begin with.
class FirstParameters {
public:
  using Promise = caf::typed_response_promise<Parameters>;

  void add(const CreateIfAbsent& create, double now, Promise promise);
  /// Has those create parameters who may, in the order in which they asked. Once one of them has,
  /// nobody waits.
  void settle(ParameterStore& store);
  void refuse(WorkerId worker, const caf::error& error);
  void refuse_all(const caf::error& error);

  bool empty() const { return waiting_.empty(); }
  double longest(double now) const; ///< seconds; 0 where nobody waits

private:
  struct Waiting {
    CreateIfAbsent create;
    double since = 0;
    Promise promise;
  };
  std::vector<Waiting> waiting_; ///< in the order in which they asked
};

} // namespace troupe
