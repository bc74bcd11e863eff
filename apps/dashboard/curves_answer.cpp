#include "apps/dashboard/curves_answer.hpp"

#include "apps/dashboard/run_text.hpp"

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

bool is_usual_curve(const std::string& record) {
  return record.ends_with("loss") || record.ends_with("accuracy") || record.ends_with("r2");
}

Json json_numbers(const std::vector<double>& values) {
  auto numbers = Json::array();
  for (const auto value : values)
    numbers.push_back(number_or_null(value));
  return numbers;
}

} // namespace

Json curves_answer(const LogColumns& columns, const LogSource& log, const CurvesRequest& request) {
  auto series = Json::array();
  const auto records = columns.records();
  for (const auto worker : columns.workers()) {
    if (!request.workers.empty() && !request.workers.contains(worker))
      continue;
    const Abscissa axis{request.against, log.head().status(worker), "of this run", 0};
    for (const auto& record : records) {
      const auto* found = columns.find(worker, record);
      if (found == nullptr
          || !(request.records.empty() ? is_usual_curve(record) : request.records.contains(record)))
        continue;
      const auto whole = columns.curve(
        worker, *found, [&axis](const RowPosition& row) { return axis.of(row); }, request.from,
        request.to);
      const auto curve = decimated(whole, request.points);
      series.push_back({{"record", record},
                        {"worker", worker},
                        {"rows", whole.x.size()},
                        {"decimated", curve.x.size() < whole.x.size()},
                        {"x", json_numbers(curve.x)},
                        {"y", json_numbers(curve.y)}});
    }
  }
  return {{"x", to_string(request.against)},
          {"label", request.against == Against::time ? "time" : axis_label(request.against)},
          {"next", log.rows()},
          {"series", std::move(series)}};
}

} // namespace troupe
