#include "apps/commands/certs.hpp"

#include "apps/transport/certificates.hpp"
#include "base/failure.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace troupe {

void add_certs(CLI::App& app, CertsCommand& command) {
  auto* certs = app.add_subcommand(
    "certs", "Create a cluster's certificate authority and its nodes' certificates");
  certs->require_subcommand(1);
  auto* init = certs->add_subcommand("init", "Create an authority: ca.pem and ca.key");
  init->add_option("folder", command.folder, "folder to create it in")->required();
  auto* node
    = certs->add_subcommand("node", "Create certificates for nodes: <name>.pem and <name>.key");
  node->add_option("folder", command.folder, "folder of the authority")->required();
  node->add_option("names", command.names, "names of the nodes")->required();
  node->add_option("--days", command.days, "days for which the certificates are valid")
    ->capture_default_str();
}

int certs(const CertsCommand& command) {
  if (command.folder.empty())
    throw UsageError("the folder of the certificates is empty; give it a name, like certs");
  if (command.names.empty())
    make_authority(command.folder);
  for (const auto& name : command.names)
    std::cout << make_identity(command.folder, name, command.days).certificate.string() << "\n";
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
