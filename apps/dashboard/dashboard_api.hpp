// Answers the dashboard's addresses (docs/reference/dashboard-api.md), whatever carries them.
#pragma once

#include "apps/dashboard/access.hpp"
#include "apps/dashboard/curve_cache.hpp"
#include "apps/dashboard/event_hub.hpp"
#include "apps/dashboard/run_control.hpp"
#include "apps/dashboard/run_table.hpp"
#include "apps/dashboard/system_usage.hpp"

#include <map>
#include <memory>
#include <string>

namespace troupe {

struct ApiRequest {
  std::string method, path, body;
  std::map<std::string, std::string> parameters;
  AccessRole role = AccessRole::none;
};

struct ApiAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::shared_ptr<EventQueue> events; ///< set: the body is this queue's events
};

/// {"error": "..."}
ApiAnswer error_answer(int status, const std::string& sentence);

class DashboardApi {
public:
  DashboardApi(RunTable& table, EventHub& hub) : table_(table), hub_(hub) {}

  /// Never throws. Several threads may call it at once.
  ApiAnswer answer(const ApiRequest& request);

private:
  ApiAnswer routed(const ApiRequest& request);
  ApiAnswer of_run(const ApiRequest& request, const std::string& id, const std::string& what);
  ApiAnswer session(const ApiRequest& request) const;
  ApiAnswer runs() const;
  ApiAnswer run(const std::string& id) const;
  ApiAnswer curves(const ApiRequest& request, const std::string& id);
  ApiAnswer log(const ApiRequest& request, const std::string& id) const;
  ApiAnswer console(const ApiRequest& request, const std::filesystem::path& folder) const;
  ApiAnswer file(const std::filesystem::path& folder, const std::string& name) const;
  ApiAnswer system(const std::filesystem::path& folder);
  ApiAnswer timeline(const RunRow& run) const;
  ApiAnswer control(const ApiRequest& request, const RunRow& run);
  ApiAnswer set_tags(const ApiRequest& request, const RunRow& run) const;
  ApiAnswer events(const ApiRequest& request) const;
  ApiAnswer grids(const std::string& id) const;
  ApiAnswer clusters(const std::string& id) const;
  ApiAnswer metrics() const;

  RunTable& table_;
  EventHub& hub_;
  CurveCache curves_{std::size_t{64} << 20};
  RunControlClient control_;
  SystemUsage usage_;
};

} // namespace troupe
