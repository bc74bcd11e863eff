#pragma once

#include "messages/parameters/parameter_store.hpp"

#include <caf/typed_response_promise.hpp>

#include <map>
#include <vector>

namespace troupe {

/// The pushes to a parameter holder whose answers wait: for their round, or until the worker is no
/// longer too far ahead. A push that is sent again waits twice, since only one of its connections
/// may be left when it is answered.
class WaitingPushes {
public:
  void add(WorkerId worker, double now, caf::typed_response_promise<Parameters> exchange);
  void add(WorkerId worker, double now, caf::typed_response_promise<Applied> push);
  void answer(const Settled& settled);
  void refuse(WorkerId worker, const caf::error& error);
  void refuse_all(const caf::error& error);

  bool empty() const { return waiting_.empty(); }
  double longest(double now) const;      ///< seconds; 0 if none waits
  std::vector<WorkerId> workers() const; ///< their workers, each once

private:
  struct Waiting {
    double since = 0;
    caf::typed_response_promise<Parameters> exchange; ///< either this
    caf::typed_response_promise<Applied> push;        ///< or this

    void answer(const Parameters& parameters);
    void refuse(const caf::error& error);
  };
  std::vector<Waiting> take(WorkerId worker);

  std::multimap<WorkerId, Waiting> waiting_;
};

} // namespace troupe
