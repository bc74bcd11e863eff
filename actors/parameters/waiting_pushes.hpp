#pragma once

#include "messages/parameters/parameter_store.hpp"

#include <caf/typed_response_promise.hpp>

#include <map>
#include <vector>

namespace troupe {

/// How a wait at the holder came to its end. Times are seconds on its clock.
struct EndedWait {
  double at = 0;            ///< when it may be answered, but for what the holder computes
  double worked = 0;        ///< for which the holder computed then
  double last_push = 0;     ///< when the last push arrived
  WorkerId last_worker = 0; ///< of that
};

/// The pushes to a parameter holder whose answers wait: for their round, or until the worker is no
/// longer too far ahead. A push that is sent again waits twice, since only one of its connections
/// may be left when it is answered.
class WaitingPushes {
public:
  /// @param worked seconds for which the holder has computed for the push so far
  void add(WorkerId worker, double now, double worked,
           caf::typed_response_promise<Parameters> exchange);
  void add(WorkerId worker, double now, caf::typed_response_promise<Applied> push);
  void answer(const Settled& settled, const EndedWait& ended);
  void refuse(WorkerId worker, const caf::error& error);
  void refuse_all(const caf::error& error);

  bool empty() const { return waiting_.empty(); }
  double longest(double now) const;      ///< seconds; 0 if none waits
  std::vector<WorkerId> workers() const; ///< their workers, each once

private:
  struct Waiting {
    double since = 0;
    double worked = 0;                                ///< seconds for which the holder computed
    caf::typed_response_promise<Parameters> exchange; ///< either this
    caf::typed_response_promise<Applied> push;        ///< or this

    void answer(Parameters parameters, const EndedWait& ended);
    void refuse(const caf::error& error);
  };
  std::vector<Waiting> take(WorkerId worker);

  std::multimap<WorkerId, Waiting> waiting_;
};

} // namespace troupe
