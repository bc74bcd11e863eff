// Answers the addresses of one run: /api/runs/ID/...
#pragma once

#include "apps/dashboard/api_request.hpp"
#include "apps/dashboard/curve_cache.hpp"
#include "apps/dashboard/run_control.hpp"
#include "apps/dashboard/run_table.hpp"
#include "apps/dashboard/system_usage.hpp"

#include <filesystem>
#include <string>

namespace troupe {

class RunAnswers {
public:
  explicit RunAnswers(RunTable& table) : table_(table) {}

  /// @param what after the run's id: "", "curves", "files/NAME", ... @throws ApiRefusal
  ApiAnswer answer(const ApiRequest& request, const std::string& id, const std::string& what);

private:
  ApiAnswer run(const std::string& id) const;
  ApiAnswer curves(const ApiRequest& request, const std::string& id);
  ApiAnswer log(const ApiRequest& request, const std::string& id) const;
  ApiAnswer console(const ApiRequest& request, const std::filesystem::path& folder) const;
  ApiAnswer file(const std::filesystem::path& folder, const std::string& name) const;
  ApiAnswer system(const std::filesystem::path& folder);
  ApiAnswer timeline(const RunRow& run) const;
  ApiAnswer why(const RunRow& run) const;
  ApiAnswer control(const ApiRequest& request, const RunRow& run);
  ApiAnswer set_tags(const ApiRequest& request, const RunRow& run) const;

  RunTable& table_;
  CurveCache curves_{std::size_t{64} << 20};
  RunControlClient control_;
  SystemUsage usage_;
};

} // namespace troupe
