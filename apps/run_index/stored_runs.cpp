#include "apps/run_index/stored_runs.hpp"

#include "apps/folder/log_reader.hpp"
#include "apps/folder/stored_log_reader.hpp"

#include <map>
#include <utility>

namespace troupe {

namespace {

/// The first log of each run, and the newest.
struct LogChain {
  StoredLog first, newest;
};

std::vector<LogChain> chains_of(const std::vector<StoredLog>& logs) {
  std::vector<LogChain> chains;
  std::map<std::string, std::size_t> chain_of; // by the id of a log
  for (const auto& log : logs) {
    const auto before = chain_of.find(log.start.resumed_from);
    const auto place = before == chain_of.end() ? chains.size() : before->second;
    if (place == chains.size())
      chains.push_back({log, log});
    chains[place].newest = log;
    chain_of[log.start.id] = place;
  }
  return chains;
}

} // namespace

std::vector<FoundFolder> find_stored_runs(LogStore& store, const std::filesystem::path& path,
                                          const std::set<std::string>& known) {
  constexpr std::size_t digits = 8; // as `troupe log` shows them
  std::vector<FoundFolder> found;
  for (const auto& [first, newest] : chains_of(store.logs()))
    if (!known.contains(first.start.id) && !known.contains(newest.start.id))
      found.push_back({path / (first.name + "@" + first.start.id.substr(0, digits)),
                       {},
                       {},
                       path,
                       newest.start.id});
  return found;
}

std::unique_ptr<LogSource> opened_log(const FoundFolder& run, std::shared_ptr<LogStore> store) {
  if (!run.is_stored())
    return std::make_unique<LogReader>(run.path / "log.jsonl");
  if (store == nullptr)
    store = std::make_shared<LogStore>(run.store.string(), LogStore::Access::read);
  return std::make_unique<StoredLogReader>(std::move(store), run.log);
}

} // namespace troupe
