#include "apps/doctor/machine_facts.hpp"

#include "actors/log/fitted_progress.hpp"
#include "apps/process/machine_memory.hpp"
#include "base/allowed_cores.hpp"
#include "base/files/file_content.hpp"
#include "base/files/private_files.hpp"
#include "base/host_name.hpp"
#include "base/text/number_in.hpp"
#include "messages/parameters/parameters.hpp"
#include "model/kernels/library_product.hpp"
#include "model/kernels/tile_product.hpp"
#include "troupe/version.hpp"

#include <arpa/inet.h>
#include <caf/config.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <locale.h>
#include <netdb.h>
#include <openssl/crypto.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>

namespace troupe {

namespace {

namespace fs = std::filesystem;
using SystemClock = std::chrono::system_clock;

std::string reason_now() { return std::generic_category().message(errno); }

/// The text behind "NAME :" in a file of /proc.
std::string proc_value(const std::string& text, const std::string& name) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name))
      if (const auto colon = line.find(':'); colon != std::string::npos)
        return line.substr(std::min(line.size(), line.find_first_not_of(" \t", colon + 1)));
  return "";
}

/// A file of the cgroup of this process, or of the root, which is its own in most containers.
std::optional<std::string> cgroup_file(const std::string& name) {
  const fs::path root = "/sys/fs/cgroup";
  const auto own = proc_value(file_content("/proc/self/cgroup").value_or(""), "0:");
  const auto place = own.substr(std::min(own.size(), own.find('/')));
  if (auto text = file_content(root / fs::path{place}.relative_path() / name))
    return text;
  return file_content(root / name);
}

ProcessorFacts processor_facts() {
  ProcessorFacts facts;
  facts.name = proc_value(file_content("/proc/cpuinfo").value_or(""), "model name");
  facts.cores = count_allowed_cores();
  if (const auto limit = cgroup_file("cpu.max"))
    facts.share = cpu_share_in(*limit);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0)
    facts.units.emplace_back("AVX2");
  if (__builtin_cpu_supports("avx512f") != 0)
    facts.units.emplace_back("AVX-512");
#endif
  if (tiles_available())
    facts.units.emplace_back("AMX");
  return facts;
}

std::optional<std::uint64_t> limit_of(__rlimit_resource resource, rlim_t rlimit::*kind) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.*kind == RLIM_INFINITY)
    return {};
  return limit.*kind;
}

MemoryFacts memory_facts() {
  MemoryFacts facts;
  const auto memory = machine_memory();
  facts.total = memory.total;
  facts.available = memory.available;
  if (const auto limit = cgroup_file("memory.max"))
    facts.container = number_in<std::uint64_t>(limit->substr(0, limit->find('\n')));
  facts.address_space = limit_of(RLIMIT_AS, &rlimit::rlim_cur);
  return facts;
}

/// Writes a file as a run does, and asks for its lock.
void try_file(const fs::path& path, DiskFacts& facts) {
  const auto begin = std::chrono::steady_clock::now();
  const auto file = open_private(path, O_WRONLY | O_CREAT | O_EXCL);
  if (file < 0) {
    facts.refusal = reason_now();
    return;
  }
  if (write(file, "troupe\n", 7) != 7 || fsync(file) != 0)
    facts.refusal = reason_now();
  facts.seconds_to_write
    = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  facts.locks = flock(file, LOCK_EX | LOCK_NB) == 0;
  close(file);
  unlink(path.c_str());
}

DiskFacts disk_facts(const fs::path& folder) {
  DiskFacts facts;
  std::error_code error;
  facts.path = fs::canonical(folder, error);
  const auto space = fs::space(folder, error);
  facts.free = error ? 0 : space.available;
  try_file(folder / (".troupe-doctor-" + std::to_string(getpid())), facts);
  return facts;
}

ClockFacts clock_facts() {
  ClockFacts facts;
  facts.now = SystemClock::now();
  timex state{};
  if (const auto answer = adjtimex(&state); answer >= 0)
    facts.synchronised = answer != TIME_ERROR;
  std::error_code error;
  const auto written = fs::last_write_time("/proc/self/exe", error);
  if (!error)
    facts.built = std::chrono::time_point_cast<SystemClock::duration>(
      std::chrono::file_clock::to_sys(written));
  return facts;
}

std::string refusal_of_port() {
  const auto port = socket(AF_INET, SOCK_STREAM, 0);
  if (port < 0)
    return reason_now();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto opened
    = bind(port, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 // NOLINT
      && listen(port, 1) == 0;
  auto refusal = opened ? "" : reason_now();
  close(port);
  return refusal;
}

NetworkFacts network_facts() {
  NetworkFacts facts;
  facts.host = host_name();
  addrinfo* found = nullptr;
  if (const auto error = getaddrinfo(facts.host.c_str(), nullptr, nullptr, &found); error != 0)
    facts.lookup_refusal = gai_strerror(error);
  else
    freeaddrinfo(found);
  facts.port_refusal = refusal_of_port();
  return facts;
}

LocaleFacts locale_facts() {
  LocaleFacts facts;
  for (const auto* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const auto* value = std::getenv(variable); facts.name.empty() && value != nullptr)
      facts.name = value;
  facts.utf8 = locale_has_utf8();
  if (const auto locale = newlocale(LC_ALL_MASK, facts.name.c_str(), nullptr))
    freelocale(locale);
  else
    facts.there = facts.name.empty();
  return facts;
}

std::string program_text() {
  const std::string crypto = OpenSSL_version(OPENSSL_VERSION);
  return fmt::format("troupe {}, protocol {}, compiled by {} {}; CAF {}.{}.{}, {}, {}", version,
                     protocol_version,
#if defined(__clang__)
                     "clang", __clang_version__,
#else
                     "g++", __VERSION__,
#endif
                     CAF_VERSION / 10000, CAF_VERSION / 100 % 100, CAF_VERSION % 100,
                     product_library(), crypto.substr(0, crypto.find(' ', crypto.find(' ') + 1)));
}

/// Those that Troupe or what it loads looks at.
std::vector<std::string> set_variables() {
  constexpr std::array<std::string_view, 6> others{
    "CUDA_VISIBLE_DEVICES", "CLICOLOR_FORCE", "GLIBC_TUNABLES",
    "LD_PRELOAD",           "NO_COLOR",       "OMP_NUM_THREADS"};
  std::vector<std::string> names;
  for (auto** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text{*variable};
    const auto name = text.substr(0, text.find('='));
    if (name.starts_with("TROUPE_")
        || std::find(others.begin(), others.end(), name) != others.end())
      names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

std::optional<double> cpu_share_in(const std::string& text) {
  std::istringstream words{text};
  double time = 0, period = 0;
  if (words >> time >> period && period > 0) // "max 100000" is no number
    return time / period;
  return {};
}

MachineFacts facts_of_machine(const fs::path& folder) {
  MachineFacts facts;
  facts.program = program_text();
  facts.variables = set_variables();
  facts.processor = processor_facts();
  facts.memory = memory_facts();
  facts.limits = {geteuid() == 0 ? std::nullopt : limit_of(RLIMIT_NPROC, &rlimit::rlim_cur),
                  limit_of(RLIMIT_NOFILE, &rlimit::rlim_max)};
  facts.cards = list_devices();
  facts.disk = disk_facts(folder);
  facts.clock = clock_facts();
  facts.network = network_facts();
  facts.locale = locale_facts();
  return facts;
}

} // namespace troupe
