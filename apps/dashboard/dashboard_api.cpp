#include "apps/dashboard/dashboard_api.hpp"

#include "apps/dashboard/cluster_view.hpp"
#include "apps/dashboard/copied_files.hpp"
#include "apps/dashboard/grid_view.hpp"
#include "apps/dashboard/page/page_assets.hpp"
#include "apps/dashboard/prometheus.hpp"
#include "base/failure.hpp"
#include "base/files/file_content.hpp"
#include "base/host_name.hpp"
#include "messages/timing/clocks.hpp"
#include "troupe/version.hpp"

#include <algorithm>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

RunRows rows_below(const RunRows& all, const std::filesystem::path FoundFolder::*place,
                   const std::filesystem::path& folder) {
  RunRows rows;
  for (const auto& row : all)
    if (row->found.*place == folder)
      rows.push_back(row);
  return rows;
}

const FoundFolder* folder_by_id(const std::vector<FoundFolder>& folders, const std::string& id) {
  const auto found = std::find_if(folders.begin(), folders.end(), [&](const FoundFolder& one) {
    return folder_id(one.path) == id;
  });
  return found == folders.end() ? nullptr : &*found;
}

/// The parts of a path between slashes.
std::vector<std::string> path_parts(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 1; begin <= path.size() && parts.size() < 8;) {
    const auto end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

} // namespace

ApiAnswer DashboardApi::answer(const ApiRequest& request) {
  try {
    return routed(request);
  } catch (const ApiRefusal& refusal) {
    return error_answer(refusal.status, refusal.sentence);
  } catch (const Failure& failure) {
    return error_answer(400, failure.what());
  } catch (const std::exception& error) {
    return error_answer(500, std::string{"the dashboard failed: "} + error.what());
  }
}

ApiAnswer DashboardApi::routed(const ApiRequest& request) {
  const auto parts = path_parts(request.path);
  const auto reads = request.method != "POST";
  const auto part = [&](std::size_t i) { return i < parts.size() ? parts[i] : std::string{}; };
  if (reads && parts.size() == 1 && (part(0).empty() || part(0) == "index.html"))
    return {200, "text/html; charset=utf-8", index_page(), {}};
  if (reads && parts.size() == 1)
    if (const auto* asset = page_asset(part(0)))
      return {200, std::string{asset->type}, std::string{asset->content}, {}};
  if (reads && request.path == "/metrics")
    return metrics();
  if (part(0) != "api")
    throw ApiRefusal{404, "there is nothing at this address; the page is at '/'"};
  if (reads && parts.size() == 2) {
    if (part(1) == "session")
      return session(request);
    if (part(1) == "runs")
      return runs();
    if (part(1) == "events")
      return events(request);
  }
  if (reads && parts.size() <= 3 && part(1) == "grids")
    return grids(part(2));
  if (reads && parts.size() <= 3 && part(1) == "clusters")
    return clusters(part(2));
  const auto name_from = [&](std::size_t i) { // of a file, which may be in a folder
    auto name = part(i);
    while (++i < parts.size())
      name += "/" + parts[i];
    return name;
  };
  if (part(1) == "runs" && parts.size() >= 3 && parts.size() <= 6)
    return of_run_.answer(request, part(2), name_from(3));
  if (reads && part(1) == "files" && parts.size() <= 5)
    return parts.size() == 2 ? copied_folders_answer(table_)
                             : copied_file_answer(table_, request, part(2), name_from(3));
  throw ApiRefusal{404, "there is nothing at this address; docs/reference/dashboard-api.md lists "
                        "all"};
}

ApiAnswer DashboardApi::session(const ApiRequest& request) const {
  auto folders = Json::array();
  for (const auto& root : table_.roots())
    folders.push_back(root.string());
  return json_answer({{"role", to_string(request.role)},
                      {"may", verbs_of(request.role)},
                      {"version", std::string{version}},
                      {"machine", host_name()},
                      {"now", utc_time_text(seconds_since_1970())},
                      {"folders", folders}});
}

ApiAnswer DashboardApi::runs() const {
  return {200, "application/json", runs_answer(table_.rows()), {}};
}

ApiAnswer DashboardApi::events(const ApiRequest& request) const {
  auto queue = hub_.subscribe(list_parameter(request, "watch"));
  if (queue == nullptr)
    throw ApiRefusal{503, "too many pages follow the dashboard; close some"};
  queue->push(event_text("hello", one_line({{"now", utc_time_text(seconds_since_1970())}})));
  return {200, "text/event-stream", "", std::move(queue)};
}

ApiAnswer DashboardApi::grids(const std::string& id) const {
  const auto grids = table_.grids();
  const auto all = table_.rows();
  const auto read = [&](const FoundFolder& grid, auto answer) {
    const auto description
      = grid_description_in(file_content(grid.path / "grid.json").value_or(""));
    const auto journal = parse_journal(file_content(grid.path / "journal").value_or(""));
    return answer(grid, description, journal, rows_below(all, &FoundFolder::grid, grid.path));
  };
  if (!id.empty()) {
    const auto* grid = folder_by_id(grids, id);
    if (grid == nullptr)
      throw unknown_id("grid");
    return json_answer(read(*grid, grid_answer));
  }
  auto list = Json::array();
  for (const auto& grid : grids)
    list.push_back(read(grid, grid_row));
  return json_answer({{"grids", list}});
}

ApiAnswer DashboardApi::clusters(const std::string& id) const {
  const auto clusters = table_.clusters();
  const auto all = table_.rows();
  if (id.empty()) {
    auto list = Json::array();
    for (const auto& cluster : clusters)
      list.push_back(cluster_row(cluster, rows_below(all, &FoundFolder::cluster, cluster.path)));
    return json_answer({{"clusters", list}});
  }
  const auto* cluster = folder_by_id(clusters, id);
  if (cluster == nullptr)
    throw unknown_id("cluster");
  const auto rows = rows_below(all, &FoundFolder::cluster, cluster->path);
  std::vector<MemberView> members;
  for (const auto& row : rows)
    table_.with(row->id, [&](const RunEntry& run) {
      members.push_back(member_view_of(run, seconds_since_1970()));
    });
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.worker < b.worker; });
  return json_answer(cluster_answer(*cluster, rows, members));
}

ApiAnswer DashboardApi::metrics() const {
  PrometheusText text;
  for (const auto& row : table_.rows())
    if (is_alive(row->state))
      table_.with(row->id, [&](const RunEntry& run) { text.add(run); });
  text.add_pages(hub_.pages(), hub_.dropped());
  return {200, "text/plain; version=0.0.4; charset=utf-8", text.text(), {}};
}

} // namespace troupe
