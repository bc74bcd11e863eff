#include "messages/timing/step_trace.hpp"

#include "base/failure.hpp"
#include "base/text/text.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

namespace troupe {

namespace {

using TraceJson = nlohmann::ordered_json;

constexpr const char* holder_mark = "holder";

std::string compact_json(const TraceJson& json) {
  return json.dump(-1, ' ', false, TraceJson::error_handler_t::replace);
}

TraceJson json_of_span(const Span& span) {
  auto json = TraceJson::array({span.name, span.begin, span.end});
  if (span.at_holder)
    json.push_back(holder_mark);
  return json;
}

Span span_in(const TraceJson& json) {
  return {json.at(0).get<std::string>(), json.at(1).get<double>(), json.at(2).get<double>(),
          json.size() > 3 && json.at(3) == holder_mark};
}

TraceStart trace_start_in(const TraceJson& json) {
  return {json.at("worker").get<WorkerId>(), json.at("clock").get<double>(),
          json.at("unix_time").get<double>()};
}

TracedStep traced_step_in(const TraceJson& json) {
  TracedStep step{json.at("batch").get<Step>(), json.value("lost", std::uint64_t{0}), {}};
  for (const auto& span : json.at("spans"))
    step.spans.push_back(span_in(span));
  return step;
}

} // namespace

std::string trace_line(const TraceStart& start) {
  return compact_json(
    {{"worker", start.worker}, {"clock", start.clock}, {"unix_time", start.unix_time}});
}

std::string trace_line(const TracedStep& step) {
  TraceJson json{{"batch", step.batch}};
  if (step.lost > 0)
    json["lost"] = step.lost;
  auto& spans = json["spans"] = TraceJson::array();
  for (const auto& span : step.spans)
    spans.push_back(json_of_span(span));
  return compact_json(json);
}

std::vector<StepTrace> read_step_traces(const std::filesystem::path& file) {
  std::ifstream in{file};
  std::vector<StepTrace> traces;
  std::string line;
  for (auto number = 1; std::getline(in, line); ++number) {
    if (in.eof())
      break; // without a line end: it was not written whole
    try {
      const auto json = TraceJson::parse(line);
      if (json.contains("clock"))
        traces.push_back({trace_start_in(json), {}});
      else if (traces.empty())
        throw IoError("it does not begin with the clock of its spans");
      else
        traces.back().steps.push_back(traced_step_in(json));
    } catch (const std::exception& e) {
      throw IoError("line " + std::to_string(number) + " of the trace " + in_quotes(file.string())
                    + " cannot be read: " + e.what() + "; delete the file to do without it");
    }
  }
  return traces;
}

ClockShift shift_to_holder(const StepTrace& trace) {
  ClockShift best;
  for (const auto& step : trace.steps) {
    const Span* own = nullptr;
    for (const auto& span : step.spans) {
      if (!span.at_holder) {
        own = &span;
        continue;
      }
      if (own == nullptr)
        continue;
      const auto within = ((own->end - own->begin) - (span.end - span.begin)) / 2;
      if (within < best.within)
        best = {((span.begin - own->begin) + (span.end - own->end)) / 2, within};
      own = nullptr; // what follows at the holder lies within this one
    }
  }
  return best;
}

} // namespace troupe
