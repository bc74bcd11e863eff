#include "apps/dashboard/dashboard_api.hpp"

#include "apps/dashboard/cluster_view.hpp"
#include "apps/dashboard/curves_answer.hpp"
#include "apps/dashboard/grid_view.hpp"
#include "apps/dashboard/page/page_assets.hpp"
#include "apps/dashboard/prometheus.hpp"
#include "apps/dashboard/timeline.hpp"
#include "apps/transport/control_listener.hpp"
#include "base/exit_codes.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/file_content.hpp"
#include "base/host_name.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"
#include "troupe/version.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

/// A request that is not answered as it was asked for.
struct ApiRefusal {
  int status;
  std::string sentence;
};

ApiAnswer json_answer(const Json& json) { return {200, "application/json", one_line(json), {}}; }

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string parameter(const ApiRequest& request, const std::string& name,
                      const std::string& otherwise) {
  const auto found = request.parameters.find(name);
  return found == request.parameters.end() || found->second.empty() ? otherwise : found->second;
}

template <class Number>
Number number_parameter(const ApiRequest& request, const std::string& name, Number otherwise,
                        Number least, Number most) {
  const auto text = parameter(request, name, "");
  if (text.empty())
    return otherwise;
  const auto number = number_in<Number>(text);
  if (!number || !(*number >= least && *number <= most))
    throw ApiRefusal{400, "the parameter '" + name + "' is " + in_quotes(text)
                            + ", which is no number in its range; correct or omit it"};
  return *number;
}

std::set<std::string> list_parameter(const ApiRequest& request, const std::string& name) {
  std::set<std::string> list;
  const auto text = parameter(request, name, "");
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    if (end > begin)
      list.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

CurvesRequest curves_request(const ApiRequest& request) {
  CurvesRequest curves;
  curves.records = list_parameter(request, "records");
  for (const auto& text : list_parameter(request, "workers")) {
    const auto worker = number_in<WorkerId>(text);
    if (!worker)
      throw ApiRefusal{400, "the worker " + in_quotes(text) + " is no number; correct 'workers'"};
    curves.workers.insert(*worker);
  }
  const auto axis = parameter(request, "x", "batches");
  if (!from_text(axis, curves.against))
    throw ApiRefusal{400, "there is no axis " + in_quotes(axis)
                            + "; 'x' is batches, epochs, examples, seconds or time"};
  curves.points = number_parameter<std::size_t>(request, "points", 1000, 10, 20000);
  constexpr auto far = std::numeric_limits<double>::max();
  curves.from = number_parameter<double>(request, "from", curves.from, -far, far);
  curves.to = number_parameter<double>(request, "to", curves.to, -far, far);
  return curves;
}

Json body_of(const ApiRequest& request) {
  auto json = Json::parse(request.body, nullptr, false);
  if (!json.is_object())
    throw ApiRefusal{400, "the body is no JSON object; send one as the reference shows it"};
  return json;
}

std::vector<std::string> texts_in(const Json& body, const char* name) {
  std::vector<std::string> texts;
  const auto found = body.find(name);
  if (found == body.end())
    return texts;
  const auto is_text = [](const Json& one) { return one.is_string(); };
  if (!found->is_array() || !std::all_of(found->begin(), found->end(), is_text))
    throw ApiRefusal{400, std::string{"'"} + name + "' is no list of texts; correct it"};
  for (const auto& text : *found)
    texts.push_back(text.get<std::string>());
  return texts;
}

void need_role(const ApiRequest& request, const std::string& verb) {
  const auto needed = role_for(verb);
  if (needed == AccessRole::none)
    throw ApiRefusal{400,
                     "there is no order " + in_quotes(verb) + "; `troupe ctl --help` lists all"};
  if (request.role < needed)
    throw ApiRefusal{403, "the role '" + to_string(request.role) + "' may not '" + verb
                            + "'; open the page with the token of the role '" + to_string(needed)
                            + "'"};
}

/// The last lines of a file, of its last 256 kB.
std::vector<std::string> last_lines(const std::filesystem::path& path, std::size_t most) {
  std::ifstream file{path, std::ios::binary | std::ios::ate};
  constexpr std::streamoff longest = 1 << 18;
  const auto size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  std::vector<std::string> lines;
  if (size <= 0)
    return lines;
  file.seekg(std::max<std::streamoff>(0, size - longest));
  std::string line;
  if (size > longest)
    std::getline(file, line);
  while (std::getline(file, line))
    lines.push_back(line);
  if (lines.size() > most)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  return lines;
}

/// The process that holds the lock of a run's folder, if it is of this machine; 0: none.
pid_t process_of(const std::filesystem::path& folder) {
  const auto text = file_content(folder / ".lock").value_or("");
  constexpr std::string_view begin = "process ";
  const auto end = text.find(" on ");
  if (!text.starts_with(begin) || end == std::string::npos
      || text.substr(end + 4) != host_name() + "\n")
    return 0;
  return number_in<pid_t>(std::string_view{text}.substr(begin.size(), end - begin.size()))
    .value_or(0);
}

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

std::string media_type_of(const std::string& name) {
  constexpr std::array<std::pair<const char*, const char*>, 4> types{
    {{".png", "image/png"},
     {".svg", "image/svg+xml"},
     {".json", "application/json"},
     {".csv", "text/csv; charset=utf-8"}}};
  for (const auto& [end, type] : types)
    if (name.ends_with(end))
      return type;
  return "text/plain; charset=utf-8";
}

ApiRefusal unknown_id(const std::string& what) {
  return {404, "there is no such " + what + "; ask for the list of all"};
}

/// The parts of a path between slashes; the last keeps its slashes from the fourth on.
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

ApiAnswer error_answer(int status, const std::string& sentence) {
  return {status, "application/json", one_line({{"error", sentence}}), {}};
}

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
  if (reads && parts.size() == 1)
    if (const auto* asset = page_asset(part(0).empty() ? "index.html" : part(0)))
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
  if (part(1) == "runs" && parts.size() >= 3 && parts.size() <= 5)
    return of_run(request, part(2), part(3) + (parts.size() == 5 ? "/" + part(4) : ""));
  throw ApiRefusal{404, "there is nothing at this address; docs/reference/dashboard-api.md lists "
                        "all"};
}

ApiAnswer DashboardApi::of_run(const ApiRequest& request, const std::string& id,
                               const std::string& what) {
  const auto run = table_.row(id);
  if (run == nullptr)
    throw unknown_id("run");
  if (request.method == "POST") {
    if (what == "control")
      return control(request, *run);
    if (what == "tags")
      return set_tags(request, *run);
    throw ApiRefusal{404, "there is nothing to send to at this address; it is 'control' or 'tags'"};
  }
  const auto& folder = run->found.path;
  constexpr std::string_view files = "files/";
  if (what.empty())
    return this->run(id);
  if (what == "curves")
    return curves(request, id);
  if (what == "log")
    return log(request, id);
  if (what == "console")
    return console(request, folder);
  if (what == "system")
    return system(folder);
  if (what == "timeline")
    return timeline(*run);
  if (what.starts_with(files))
    return file(folder, what.substr(files.size()));
  throw ApiRefusal{404, "a run has nothing at this address"};
}

ApiAnswer DashboardApi::session(const ApiRequest& request) const {
  auto folders = Json::array();
  for (const auto& root : table_.roots())
    folders.push_back(root.string());
  return json_answer({{"role", to_string(request.role)},
                      {"may", verbs_of(request.role)},
                      {"version", std::string{version}},
                      {"machine", host_name()},
                      {"now", utc_time_text(unix_now())},
                      {"folders", folders}});
}

ApiAnswer DashboardApi::runs() const {
  return {200, "application/json", runs_answer(table_.rows()), {}};
}

ApiAnswer DashboardApi::run(const std::string& id) const {
  Json answer;
  if (!table_.with(id, [&](const RunEntry& run) { answer = run_answer(run); }))
    throw unknown_id("run");
  return json_answer(answer);
}

ApiAnswer DashboardApi::curves(const ApiRequest& request, const std::string& id) {
  const auto asked = curves_request(request);
  const auto run = table_.row(id);
  Json answer;
  curves_.with(run->found.path / "log.jsonl", [&](const LogColumns& columns, const LogReader& log) {
    answer = curves_answer(columns, log, asked);
  });
  answer["run"] = id;
  return json_answer(answer);
}

ApiAnswer DashboardApi::log(const ApiRequest& request, const std::string& id) const {
  constexpr auto far = std::numeric_limits<std::int64_t>::max();
  const auto from = number_parameter<std::int64_t>(request, "from", 0, -far, far);
  const auto most = number_parameter<std::size_t>(request, "rows", 200, 1, 5000);
  LogRows rows;
  table_.with(id, [&](const RunEntry& run) { rows = log_rows(run, from, most); });
  return json_answer(
    {{"from", rows.from}, {"next", rows.next}, {"total", rows.total}, {"rows", rows.rows}});
}

ApiAnswer DashboardApi::console(const ApiRequest& request,
                                const std::filesystem::path& folder) const {
  const auto most = number_parameter<std::size_t>(request, "rows", 200, 1, 5000);
  return json_answer({{"lines", last_lines(folder / "console.log", most)}});
}

ApiAnswer DashboardApi::file(const std::filesystem::path& folder, const std::string& name) const {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().filename() == name && is_shown_file(name) && !entry.is_symlink(error)
        && entry.is_regular_file(error) && entry.file_size(error) <= (std::uintmax_t{16} << 20))
      return {200, media_type_of(name), file_content(entry.path()).value_or(""), {}};
  throw ApiRefusal{404, "the run has no such file that is shown; its page lists the files"};
}

ApiAnswer DashboardApi::system(const std::filesystem::path& folder) {
  const auto process = process_of(folder);
  const auto usage = process > 0 ? usage_.of(process) : std::nullopt;
  if (!usage)
    throw ApiRefusal{404, "no process of this machine trains this run now"};
  return json_answer(*usage);
}

ApiAnswer DashboardApi::timeline(const RunRow& run) const {
  std::vector<TracedLog> logs;
  const auto& cluster = run.found.cluster;
  for (const auto& row : table_.rows())
    if (row->id == run.id || (!cluster.empty() && row->found.cluster == cluster))
      logs.push_back({row->found.path.filename().string(), row->found.path / "log.jsonl"});
  return {200, "application/json", trace_of(logs), {}};
}

ApiAnswer DashboardApi::control(const ApiRequest& request, const RunRow& run) {
  const auto body = body_of(request);
  const auto verb = body.value("verb", Json()).is_string() ? body["verb"].get<std::string>() : "";
  const auto arguments = texts_in(body, "arguments");
  if (verb == "tag")
    throw ApiRefusal{400, "tags are sent to '.../tags'"};
  need_role(request, verb);
  const auto outcome
    = control_.ask(run.found.path, verb, arguments, "dashboard, role " + to_string(request.role));
  Json answer{{"ok", outcome.kind == ControlOutcome::Kind::done}, {"lines", outcome.lines}};
  if (outcome.kind != ControlOutcome::Kind::done)
    answer["error"] = outcome.lines.empty() ? "the run refuses" : outcome.lines.front();
  return {outcome.kind == ControlOutcome::Kind::done      ? 200
          : outcome.kind == ControlOutcome::Kind::refused ? 409
                                                          : 503,
          "application/json",
          one_line(answer),
          {}};
}

ApiAnswer DashboardApi::set_tags(const ApiRequest& request, const RunRow& run) const {
  need_role(request, "tag");
  const auto tags = texts_in(body_of(request), "tags");
  const auto too_long = [](const std::string& tag) { return tag.empty() || tag.size() > 100; };
  if (tags.size() > 50 || std::any_of(tags.begin(), tags.end(), too_long))
    throw ApiRefusal{400, "a run has up to 50 tags of 1 to 100 bytes; shorten them"};
  try {
    write_file(run.found.path / tags_file, one_line(Json(tags)) + "\n");
  } catch (const std::exception& error) {
    throw ApiRefusal{409, error.what()};
  }
  return json_answer({{"ok", true}, {"tags", tags}});
}

ApiAnswer DashboardApi::events(const ApiRequest& request) const {
  auto queue = hub_.subscribe(list_parameter(request, "watch"));
  if (queue == nullptr)
    throw ApiRefusal{503, "too many pages follow the dashboard; close some"};
  queue->push(event_text("hello", one_line({{"now", utc_time_text(unix_now())}})));
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
  std::vector<WorkerView> members;
  for (const auto& row : rows)
    table_.with(row->id,
                [&](const RunEntry& run) { members.push_back(worker_view_of(run, unix_now())); });
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
