#include "messages/grid/grid_journal.hpp"

#include "base/failure.hpp"
#include "base/files/file_content.hpp"
#include "base/files/private_files.hpp"
#include "base/hash_text.hpp"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace troupe {

namespace {

using JournalJson = nlohmann::ordered_json;

constexpr std::size_t checksum_digits = 16;
constexpr auto seldom_enough = std::chrono::seconds{1};

std::string with_checksum(const JournalJson& json) {
  const auto text = json.dump(-1, ' ', false, JournalJson::error_handler_t::replace);
  return hash_text(std::as_bytes(std::span{text})) + " " + text + "\n";
}

/// The JSON of a line whose checksum is correct.
std::optional<JournalJson> checked_json(std::string_view line) {
  if (line.size() <= checksum_digits || line[checksum_digits] != ' ')
    return {};
  unsigned long long checksum = 0;
  const auto* digits_end = line.data() + checksum_digits;
  if (const auto [end, error] = std::from_chars(line.data(), digits_end, checksum, 16);
      error != std::errc{} || end != digits_end)
    return {};
  const auto text = line.substr(checksum_digits + 1);
  if (XXH3_64bits(text.data(), text.size()) != checksum)
    return {};
  auto json = JournalJson::parse(text, nullptr, false);
  if (!json.is_object())
    return {};
  return json;
}

/// JSON has no NaN and no infinity.
JournalJson score_json(double score) {
  if (std::isfinite(score))
    return score;
  // Braces would make a list of one text.
  return std::isnan(score) ? JournalJson{} : JournalJson(score > 0 ? "Infinity" : "-Infinity");
}

double score_of(const JournalJson& json) {
  if (json.is_number())
    return json.get<double>();
  const auto infinity = std::numeric_limits<double>::infinity();
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN()
                        : (json == "Infinity" ? infinity : -infinity);
}

bool take_line(const JournalJson& json, GridJournal& journal) try {
  if (json.contains("grid")) {
    journal.identity = GridIdentity{json.at("grid"), json.at("seed"), json.at("time")};
    return true;
  }
  TrialEnded ended;
  ended.run = json.at("run");
  ended.attempt = json.at("attempt");
  ended.rung = json.at("rung");
  ended.reason = json.at("reason");
  ended.score = score_of(json.at("score"));
  ended.seconds = json.at("seconds");
  ended.time = json.at("time");
  ended.node = json.value("node", "");
  if (!from_text(json.at("outcome").get<std::string>(), ended.outcome))
    return false;
  journal.ended.push_back(std::move(ended));
  return true;
} catch (const nlohmann::json::exception&) {
  return false;
}

IoError journal_error(const std::string& what, const std::filesystem::path& path) {
  return IoError("cannot " + what + " the journal '" + path.string()
                 + "': " + reason_of_open(errno));
}

/// Opens a journal that no other process has open, and cuts off an incomplete last line and what
/// follows it.
/// @returns its descriptor
int open_whole(const std::filesystem::path& path, GridJournal& previous) {
  make_private_folder(path.parent_path());
  const auto descriptor = open_private(path, O_RDWR | O_APPEND);
  if (descriptor < 0)
    throw journal_error("open", path);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor);
    throw IoError("another process is working on the grid of '" + path.string()
                  + "'; wait until it has ended, or give the grid another folder");
  }
  try {
    previous = read_journal(path);
    if (::ftruncate(descriptor, static_cast<off_t>(previous.whole_bytes)) != 0)
      throw journal_error("repair", path);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  return descriptor;
}

} // namespace

std::string journal_line(const GridIdentity& identity) {
  return with_checksum({{"grid", identity.plan}, {"seed", identity.seed}, {"time", identity.time}});
}

std::string journal_line(const TrialEnded& ended) {
  JournalJson json{{"run", ended.run},
                   {"attempt", ended.attempt},
                   {"rung", ended.rung},
                   {"outcome", to_string(ended.outcome)},
                   {"score", score_json(ended.score)},
                   {"seconds", ended.seconds},
                   {"time", ended.time},
                   {"reason", ended.reason}};
  if (!ended.node.empty())
    json["node"] = ended.node;
  return with_checksum(json);
}

GridJournal parse_journal(std::string_view text) {
  GridJournal journal;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    if (end == std::string_view::npos)
      break;
    const auto json = checked_json(text.substr(begin, end - begin));
    if (!json || !take_line(*json, journal))
      ++journal.damaged;
    begin = end + 1;
    journal.whole_bytes = begin;
  }
  return journal;
}

GridJournal read_journal(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return {};
  const auto text = file_content(path);
  if (!text)
    throw journal_error("read", path);
  return parse_journal(*text);
}

JournalFile::JournalFile(std::filesystem::path path, JournalSync sync)
  : path_(std::move(path)),
    sync_(sync),
    file_(open_whole(path_, previous_)) {}

JournalFile::~JournalFile() {
  if (unsynchronised_ && !refused_ && sync_ != JournalSync::never)
    ::fdatasync(file_.descriptor()); // no reader is left for an error; the next start reads what
                                     // was kept
}

void JournalFile::append(std::string_view line) {
  if (refused_)
    throw IoError("the disk could not keep a line of the journal '" + path_.string()
                  + "'; check the disk, and start the grid again, which resumes from what is "
                    "there");
  if (file_.append(line) < line.size())
    throw journal_error("write", path_);
  unsynchronised_ = true;
  const auto now = std::chrono::steady_clock::now();
  if (sync_ == JournalSync::always
      || (sync_ == JournalSync::seldom && now - synchronised_ >= seldom_enough))
    synchronise();
}

void JournalFile::synchronise() {
  refused_ = ::fdatasync(file_.descriptor()) != 0;
  if (refused_)
    throw journal_error("synchronise", path_);
  synchronised_ = std::chrono::steady_clock::now();
  unsynchronised_ = false;
}

} // namespace troupe
