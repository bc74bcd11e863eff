// A run as the dashboard knows it: what its folder says, read again when it changes.
#pragma once

#include "apps/folder/log_source.hpp"
#include "apps/run_index/folder_scan.hpp"
#include "apps/run_index/log_summary.hpp"
#include "apps/run_index/shown_state.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace troupe {

/// Texts that many runs share, each kept once.
class SharedTexts {
public:
  const std::string* keep(std::string text) { return &*texts_.insert(std::move(text)).first; }

private:
  std::unordered_set<std::string> texts_; ///< its nodes stay where they are
};

/// A key of a configuration, and its value as JSON.
using SharedValue = std::pair<const std::string*, const std::string*>;

/// The values of a configuration: "training.epochs", "3". A list is a text, "[64, 32]".
std::vector<std::pair<std::string, std::string>> flat_configuration(const std::string& yaml,
                                                                    const std::string& name);

class RunEntry {
public:
  RunEntry(FoundFolder found, std::unique_ptr<LogSource> log, SharedTexts& texts);

  /// Reads the small files that have changed. @returns whether any has
  bool refresh_files();
  /// Reads the new rows of the log. @returns whether there are any, or its end
  bool refresh_log();
  /// Decides the state anew. @returns whether it has changed
  bool refresh_state();

  const std::string& id() const { return id_; }
  const std::filesystem::path& folder() const { return found_.path; }
  const FoundFolder& found() const { return found_; }
  ShownState state() const { return state_; }
  bool indexed() const { return indexed_; }            ///< whether its log was read
  std::uint64_t restarts() const { return restarts_; } ///< of its log
  const std::vector<SharedValue>& configuration() const { return configuration_; }
  /// The value of a key as JSON; "" if there is none.
  std::string value_of(const std::string& key) const;
  const LogSource& log() const { return *log_; }
  const LogSummary& summary() const { return summary_; }
  const nlohmann::ordered_json& result() const { return result_; }
  const std::vector<std::string>& tags() const { return tags_; }
  bool has_control() const { return control_; }
  std::string outcome() const { return end_text("outcome"); }
  std::string reason() const { return end_text("reason"); }

private:
  /// Of the result, or else of the first worker whose status in the log has it; "": none has.
  std::string end_text(const std::string& name) const;
  bool changed(const char* file);
  bool is_written_to() const;
  void read_configuration();

  FoundFolder found_;
  SharedTexts& texts_;
  std::string id_;
  std::map<std::string, std::filesystem::file_time_type> times_; ///< of the small files
  std::vector<SharedValue> configuration_;
  nlohmann::ordered_json result_;
  std::vector<std::string> tags_;
  std::unique_ptr<LogSource> log_;
  LogSummary summary_;
  ShownState state_ = ShownState::fresh;
  bool control_ = false, collected_ = false, indexed_ = false;
  std::uint64_t restarts_ = 0;
  /// Unix time of this machine when the log grew last; before, the time of its newest row, which may
  /// be another machine's.
  double grew_at_ = 0;
};

inline constexpr const char* tags_file = "tags.json"; ///< in a run's folder
/// In a folder that was copied from another machine: from which.
inline constexpr const char* collected_file = "collected.json";

} // namespace troupe
