#include "apps/commands/dashboard.hpp"

#include "apps/dashboard/http_server.hpp"
#include "apps/dashboard/watcher.hpp"
#include "apps/folder/find_logs.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/process/interrupts.hpp"
#include "apps/run_index/trace.hpp"
#include "apps/transport/certificates.hpp"
#include "apps/transport/control_listener.hpp"
#include "apps/transport/trust.hpp"
#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/file_content.hpp"
#include "base/host_name.hpp"
#include "base/text/text.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <filesystem>
#include <iostream>

namespace troupe {

namespace {

namespace fs = std::filesystem;

/// The folders to watch. Those of the command have to exist; `runs` and `grids` may come later.
std::vector<fs::path> watched_folders(const std::vector<std::string>& given) {
  std::vector<fs::path> folders;
  for (const auto& name : given) {
    if (!fs::is_directory(name))
      throw IoError("there is no folder '" + name
                    + "'; give a folder of runs, of grids or of clusters");
    folders.push_back(fs::canonical(name));
  }
  if (given.empty())
    folders = {fs::absolute("runs"), fs::absolute("grids")};
  return folders;
}

std::vector<fs::path> watched_stores(const std::vector<std::string>& given) {
  std::vector<fs::path> stores;
  for (const auto& name : given) {
    if (!fs::is_regular_file(name))
      throw IoError("there is no store '" + name + "'; give a file of log.store.path");
    stores.push_back(fs::canonical(name));
  }
  return stores;
}

RoleTokens tokens_of(const std::string& file) {
  if (file.empty())
    return draw_role_tokens();
  if (const auto text = file_content(file))
    return role_tokens_in(*text, file);
  const auto tokens = draw_role_tokens();
  write_file(file, to_text(tokens));
  return tokens;
}

std::unique_ptr<const BrowserTls> tls_of(const DashboardCommand& command,
                                         const Endpoint& endpoint) {
  if (command.certs.empty()) {
    if (!is_loopback(endpoint.host))
      throw ConfigError("'" + endpoint.host
                        + "' can be reached from other machines, and a token is not sent there "
                          "unencrypted: give --tls FOLDER with certificates of `troupe certs`, or "
                          "listen on 127.0.0.1 and forward the port by ssh");
    return nullptr;
  }
  const auto identity = identity_in(command.certs, command.name);
  if (const auto defect = defect_of(identity); !defect.empty())
    throw ConfigError(defect);
  return std::make_unique<const BrowserTls>(identity.certificate.string(), identity.key.string());
}

/// The names in a Host header that mean this dashboard.
std::vector<std::string> host_names(const Endpoint& endpoint, bool tls) {
  std::vector<std::string> names{"127.0.0.1", "localhost", "[::1]", lower_case(endpoint.host)};
  if (const auto host = host_name(); tls && !host.empty())
    names.push_back(lower_case(host));
  return names;
}

std::string shown_host(const Endpoint& endpoint) {
  return to_string(Endpoint{endpoint.host == "0.0.0.0" ? "localhost" : endpoint.host, 0});
}

} // namespace

void add_dashboard(CLI::App& app, DashboardCommand& command) {
  auto* dashboard = app.add_subcommand(
    "dashboard", "Show runs, grids and clusters in the browser, and steer them");
  dashboard->add_option("folders", command.folders,
                        "folders of runs, grids and clusters, at any depth (default: runs and "
                        "grids)");
  dashboard
    ->add_option("--store", command.stores,
                 "also show the runs in this store (log.store.path); may be repeated")
    ->allow_extra_args(false);
  dashboard->add_option("--listen", command.listen, "host:port; port 0: any free one")
    ->capture_default_str();
  dashboard->add_option("--token-file", command.token_file,
                        "file with the tokens of the roles; made if it is missing");
  dashboard
    ->add_option("--role", command.role, "role of the printed address: read, control or admin")
    ->capture_default_str();
  dashboard->add_option("--tls", command.certs,
                        "serve by TLS with <name>.pem and <name>.key of this folder");
  dashboard->add_option("--name", command.name, "name of the certificate")->capture_default_str();
  dashboard->footer("\nExamples:\n  troupe dashboard\n  troupe dashboard runs grids/digits\n"
                    "  troupe dashboard --store logs.sqlite\n"
                    "  troupe dashboard --listen 127.0.0.1:8000 --token-file tokens.json --role "
                    "read\n");
}

int dashboard(const DashboardCommand& command) {
  auto role = AccessRole::none;
  if (!from_text(command.role, role))
    throw UsageError("there is no role " + in_quotes(command.role)
                     + "; --role is read, control or admin");
  const auto endpoint = listening_endpoint(command.listen);
  auto tls = tls_of(command, endpoint);
  const auto tokens = tokens_of(command.token_file);
  const AccessRules rules{tokens, "", host_names(endpoint, tls != nullptr), tls != nullptr};
  const auto ends = signals_to_end();
  pthread_sigmask(SIG_BLOCK, &ends, nullptr); // later threads leave these signals to this one

  EventHub hub;
  RunTable table{watched_folders(command.folders), watched_stores(command.stores)};
  DashboardApi api{table, hub};
  const auto scheme = tls != nullptr ? "https://" : "http://";
  const HttpServer server{api, hub, endpoint, rules, std::move(tls)};
  const Watcher watcher{table, hub};
  auto host = shown_host(endpoint);
  host.erase(host.rfind(':'));
  std::cout << scheme << host << ":" << server.port() << "/?token=" << tokens.of(role) << std::endl;
  int signal = 0;
  sigwait(&ends, &signal);
  return static_cast<int>(ExitCode::done);
}

void add_trace(CLI::App& app, TraceCommand& command) {
  auto* trace
    = app.add_subcommand("trace", "Write a run's log and its traced steps for Perfetto or Chrome");
  trace->add_option("run", command.run, "a run's folder, a launched cluster's, or 'latest'")
    ->required();
  trace->add_option("-o,--output", command.output, "the file (default: trace.json)");
  trace->footer(
    "\nExamples:\n  troupe trace latest\n  troupe trace runs/cluster -o cluster.json\n");
}

int trace(const TraceCommand& command) {
  std::vector<TracedLog> logs;
  for (const auto& file : log_files(path_of_run(command.run)))
    logs.push_back({fs::canonical(file).parent_path().filename().string(), file});
  const fs::path output = command.output.empty() ? "trace.json" : command.output;
  write_file(output, trace_of(logs), Readers::all);
  std::cout << output.string() << std::endl;
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
