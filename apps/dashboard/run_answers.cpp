#include "apps/dashboard/run_answers.hpp"

#include "apps/dashboard/curves_answer.hpp"
#include "apps/run_index/trace.hpp"
#include "apps/why/picture.hpp"
#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/file_content.hpp"
#include "base/host_name.hpp"

#include <algorithm>
#include <array>
#include <fstream>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

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

} // namespace

ApiAnswer RunAnswers::answer(const ApiRequest& request, const std::string& id,
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
  if (what == "why")
    return why(*run);
  if (what.starts_with(files))
    return file(folder, what.substr(files.size()));
  throw ApiRefusal{404, "a run has nothing at this address"};
}

ApiAnswer RunAnswers::run(const std::string& id) const {
  Json answer;
  if (!table_.with(id, [&](const RunEntry& run) { answer = run_answer(run); }))
    throw unknown_id("run");
  return json_answer(answer);
}

ApiAnswer RunAnswers::curves(const ApiRequest& request, const std::string& id) {
  const auto asked = curves_request(request);
  const auto run = table_.row(id);
  Json answer;
  curves_.with(run->found, [&](const LogColumns& columns, const LogSource& log) {
    answer = curves_answer(columns, log, asked);
  });
  answer["run"] = id;
  return json_answer(answer);
}

ApiAnswer RunAnswers::log(const ApiRequest& request, const std::string& id) const {
  constexpr auto far = std::numeric_limits<std::int64_t>::max();
  const auto from = number_parameter<std::int64_t>(request, "from", 0, -far, far);
  const auto most = number_parameter<std::size_t>(request, "rows", 200, 1, 5000);
  LogRows rows;
  table_.with(id, [&](const RunEntry& run) { rows = log_rows(run, from, most); });
  return json_answer(
    {{"from", rows.from}, {"next", rows.next}, {"total", rows.total}, {"rows", rows.rows}});
}

ApiAnswer RunAnswers::console(const ApiRequest& request,
                              const std::filesystem::path& folder) const {
  const auto most = number_parameter<std::size_t>(request, "rows", 200, 1, 5000);
  return json_answer({{"lines", last_lines(folder / "console.log", most)}});
}

ApiAnswer RunAnswers::file(const std::filesystem::path& folder, const std::string& name) const {
  const auto listed = listed_files(folder);
  std::error_code error;
  if (std::find(listed.begin(), listed.end(), name) == listed.end() || !is_shown_file(name)
      || std::filesystem::file_size(folder / name, error) > (std::uintmax_t{16} << 20))
    throw ApiRefusal{404, "the run has no such file that is shown; its page lists the files"};
  return {200, media_type_of(name), file_content(folder / name).value_or(""), {}};
}

ApiAnswer RunAnswers::system(const std::filesystem::path& folder) {
  const auto process = process_of(folder);
  const auto usage = process > 0 ? usage_.of(process) : std::nullopt;
  if (!usage)
    throw ApiRefusal{404, "no process of this machine trains this run now"};
  return json_answer(*usage);
}

ApiAnswer RunAnswers::timeline(const RunRow& run) const {
  std::vector<TracedLog> logs;
  const auto& cluster = run.found.cluster;
  for (const auto& row : table_.rows())
    if (row->id == run.id || (!cluster.empty() && row->found.cluster == cluster))
      logs.push_back({row->found.path.filename().string(), row->found.path / "log.jsonl"});
  return {200, "application/json", trace_of(logs), {}};
}

ApiAnswer RunAnswers::why(const RunRow& run) const {
  if (run.found.is_stored())
    throw ApiRefusal{404, "what bounds a run is told of runs in folders, since a store has no "
                          "configuration"};
  const auto& folder = run.found.cluster.empty() ? run.found.path : run.found.cluster;
  try {
    auto read = read_measured_run(folder);
    const auto remarks = read.remarks;
    const auto answer = why_answer(folder, std::move(read));
    auto json = json_of(answer);
    json["bars"] = json_of(bars_of(answer));
    json["remarks"] = remarks;
    return json_answer(json);
  } catch (const DataError& error) {
    throw ApiRefusal{404, error.what()};
  }
}

ApiAnswer RunAnswers::control(const ApiRequest& request, const RunRow& run) {
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

ApiAnswer RunAnswers::set_tags(const ApiRequest& request, const RunRow& run) const {
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

} // namespace troupe
