// Answers the dashboard's addresses (docs/reference/dashboard-api.md).
#pragma once

#include "apps/dashboard/run_answers.hpp"

#include <string>

namespace troupe {

class DashboardApi {
public:
  DashboardApi(RunTable& table, EventHub& hub) : table_(table), hub_(hub), of_run_(table) {}

  /// Never throws. Several threads may call it at once.
  ApiAnswer answer(const ApiRequest& request);

private:
  ApiAnswer routed(const ApiRequest& request);
  ApiAnswer session(const ApiRequest& request) const;
  ApiAnswer runs() const;
  ApiAnswer events(const ApiRequest& request) const;
  ApiAnswer grids(const std::string& id) const;
  ApiAnswer clusters(const std::string& id) const;
  ApiAnswer metrics() const;

  RunTable& table_;
  EventHub& hub_;
  RunAnswers of_run_;
};

} // namespace troupe
