#include "apps/run_index/run_entry.hpp"

#include "apps/config/print.hpp"
#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/run_lock.hpp"
#include "apps/plots/abscissa.hpp"
#include "apps/transport/control_listener.hpp"
#include "base/files/file_content.hpp"
#include "base/text/number_in.hpp"
#include "messages/timing/clocks.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string json_of_leaf(const config::Node& value) {
  if (!value.is_scalar())
    return Json(value.is_null() ? "" : config::setting_text(value)).dump();
  if (!value.quoted() && (value.text() == "true" || value.text() == "false"))
    return value.text();
  if (const auto whole = number_in<std::int64_t>(value.text()); whole && !value.quoted())
    return std::to_string(*whole);
  if (const auto number = number_in<double>(value.text());
      number && std::isfinite(*number) && !value.quoted()) {
    constexpr auto exact = 9007199254740992.0; // whole numbers up to it are written without a point
    return std::fabs(*number) < exact && *number == std::trunc(*number)
             ? std::to_string(static_cast<std::int64_t>(*number))
             : Json(*number).dump();
  }
  return Json(value.text()).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> tags_in(const std::string& text) {
  std::vector<std::string> tags;
  if (const auto json = Json::parse(text, nullptr, false); json.is_array())
    for (const auto& tag : json)
      if (tag.is_string())
        tags.push_back(tag.get<std::string>());
  return tags;
}

std::string result_member(const Json& result, const std::string& name) {
  const auto found = result.is_object() ? result.find(name) : result.end();
  return result.is_object() && found != result.end() && found->is_string()
           ? found->get<std::string>()
           : "";
}

/// Notes that the log has begun anew, beside its summary.
class CountedRestarts : public LogTaker {
public:
  CountedRestarts(LogSummary& summary, std::uint64_t& restarts)
    : summary_(summary),
      restarts_(restarts) {}
  bool restart() override {
    ++restarts_;
    return summary_.restart();
  }
  void take(const ScannedRow& row, std::uint64_t number, std::uint64_t offset,
            bool counts) override {
    summary_.take(row, number, offset, counts);
  }

private:
  LogSummary& summary_;
  std::uint64_t& restarts_;
};

} // namespace

std::vector<std::pair<std::string, std::string>> flat_configuration(const std::string& yaml,
                                                                    const std::string& name) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& leaf : config::leaves(config::read_yaml(yaml, name)))
    values.emplace_back(config::to_string(leaf.path), json_of_leaf(leaf.value));
  return values;
}

RunEntry::RunEntry(FoundFolder found, std::unique_ptr<LogSource> log, SharedTexts& texts)
  : found_(std::move(found)),
    texts_(texts),
    id_(folder_id(found_.path)),
    log_(std::move(log)) {}

bool RunEntry::changed(const char* file) {
  std::error_code error;
  const auto time = fs::last_write_time(found_.path / file, error);
  auto& known = times_[file];
  const auto now = error ? fs::file_time_type{} : time;
  return std::exchange(known, now) != now;
}

void RunEntry::read_configuration() {
  configuration_.clear();
  const auto yaml = file_content(found_.path / "config.yaml");
  if (!yaml)
    return;
  try {
    for (auto& [key, value] : flat_configuration(*yaml, "config.yaml"))
      configuration_.emplace_back(texts_.keep(std::move(key)), texts_.keep(std::move(value)));
  } catch (const ConfigError&) {
    configuration_.clear(); // a damaged file: the run is shown without its values
  }
}

bool RunEntry::refresh_files() {
  auto any = false;
  if (changed("config.yaml")) {
    read_configuration();
    any = true;
  }
  if (changed("result.json")) {
    result_ = Json::parse(file_content(found_.path / "result.json").value_or(""), nullptr, false);
    if (result_.is_discarded())
      result_ = nullptr;
    any = true;
  }
  if (changed(tags_file)) {
    tags_ = tags_in(file_content(found_.path / tags_file).value_or(""));
    any = true;
  }
  if (changed(collected_file)) {
    collected_ = times_[collected_file] != fs::file_time_type{};
    any = true;
  }
  if (changed(control_file)) {
    control_ = times_[control_file] != fs::file_time_type{};
    any = true;
  }
  return any;
}

bool RunEntry::refresh_log() {
  const auto before = log_->position();
  const auto restarts = restarts_;
  CountedRestarts taker{summary_, restarts_};
  log_->poll(taker);
  const auto first = !std::exchange(indexed_, true);
  const auto grew = first || log_->position() != before || restarts_ != restarts;
  if (first)
    for (const auto& [worker, progress] : summary_.workers())
      grew_at_ = std::max(grew_at_, unix_time_of(progress.time));
  else if (grew)
    grew_at_ = seconds_since_1970();
  return grew;
}

/// Whether a process trains. A store or a copy has no lock: there, whether the log grew lately.
bool RunEntry::is_written_to() const {
  if (!found_.is_stored() && !collected_)
    return is_locked(found_.path);
  constexpr double lately = 60; // seconds
  return seconds_since_1970() - grew_at_ < lately;
}

bool RunEntry::refresh_state() {
  FolderFacts facts;
  facts.has_log = log_->position() > 0 || !log_->head().starts().empty();
  facts.log_ended = log_->head().ended();
  facts.locked = !facts.log_ended && is_written_to();
  facts.paused = summary_.paused();
  facts.outcome = outcome();
  const auto now = shown_state(facts);
  return std::exchange(state_, now) != now;
}

std::string RunEntry::value_of(const std::string& key) const {
  for (const auto& [name, value] : configuration_)
    if (*name == key)
      return *value;
  return "";
}

std::string RunEntry::end_text(const std::string& name) const {
  if (const auto text = result_member(result_, name); !text.empty())
    return text;
  for (const auto& [worker, progress] : summary_.workers()) {
    const auto status = log_->head().status(worker);
    if (const auto found = status.find(name); found != status.end())
      return to_string(found->second);
  }
  return "";
}

} // namespace troupe
