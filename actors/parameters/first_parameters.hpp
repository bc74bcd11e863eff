#pragma once

#include "messages/parameters/parameter_store.hpp"

#include <caf/typed_response_promise.hpp>

#include <set>
#include <vector>

namespace troupe {

/// Workers of a parameter holder without initial parameters: each has sent its own values, and
/// waits for the common ones.
class FirstParameters {
public:
  using Promise = caf::typed_response_promise<Parameters>;

  void add(const CreateIfAbsent& create, double now, Promise promise);
  /// Creates the parameters from the first request that may; afterwards none waits.
  void settle(ParameterStore& store);
  void refuse(WorkerId worker, const caf::error& error);
  void refuse_all(const caf::error& error);

  bool empty() const { return waiting_.empty(); }
  double longest(double now) const; ///< seconds; 0 if none waits

private:
  bool may_begin(const ParameterStore& store) const;
  struct Waiting {
    CreateIfAbsent create;
    double since = 0;
    Promise promise;
  };
  std::vector<Waiting> waiting_;    ///< in the order of arrival
  std::multiset<WorkerId> workers_; ///< that wait
};

} // namespace troupe
