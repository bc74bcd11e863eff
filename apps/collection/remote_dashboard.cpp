#include "apps/collection/remote_dashboard.hpp"

#include "apps/transport/trust.hpp"
#include "base/failure.hpp"
#include "base/text/text.hpp"

#include <httplib.h>

#include <utility>

namespace troupe {

namespace {

constexpr auto patience = std::chrono::seconds{10};

/// "samples/epoch-1.png" with what an address cannot have as it is.
std::string escaped_path(const std::string& name) {
  std::string escaped;
  for (const auto c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0
        || std::string_view{"-._~/"}.find(c) != std::string_view::npos)
      escaped += c;
    else {
      constexpr auto digits = "0123456789ABCDEF";
      escaped += {'%', digits[static_cast<unsigned char>(c) >> 4],
                  digits[static_cast<unsigned char>(c) & 15]};
    }
  return escaped;
}

} // namespace

DashboardAddress dashboard_address(const std::string& text, const std::string& token) {
  constexpr std::string_view parameter = "/?token=";
  DashboardAddress address;
  address.origin = text.substr(0, text.find('/', text.find("://") + 3));
  const auto rest = text.substr(address.origin.size());
  address.token = rest.starts_with(parameter) ? rest.substr(parameter.size()) : token;
  const auto plain = address.origin.starts_with("http://");
  if (!plain && !address.origin.starts_with("https://"))
    throw UsageError("'" + text
                     + "' is no address of a dashboard; give the one that `troupe dashboard` "
                       "prints, like http://127.0.0.1:8000/?token=...");
  address.host = address.origin.substr(address.origin.find("://") + 3);
  if (address.token.empty())
    throw UsageError("the address '" + text
                     + "' has no token; give it as `troupe dashboard` prints it, or give "
                       "--token-file with the file of the dashboard's tokens");
  if (plain && !is_loopback(address.host.substr(0, address.host.rfind(':'))))
    throw UsageError("'" + address.origin
                     + "' is another machine, and a token is not sent there unencrypted: start the "
                       "dashboard there with --tls, or forward its port by ssh");
  return address;
}

class RemoteDashboard::Client {
public:
  Client(const DashboardAddress& address, const std::filesystem::path& authority)
    : http_(address.origin),
      host_(address.host) {
    http_.set_connection_timeout(patience);
    http_.set_read_timeout(patience);
    http_.set_keep_alive(true);
    http_.set_bearer_token_auth(address.token);
    if (authority.empty())
      return;
    // Certificates of a cluster have no names of hosts: each key of the authority is trusted.
    http_.enable_server_certificate_verification(false);
    auto* context = http_.ssl_context();
    if (context == nullptr)
      return;
    if (SSL_CTX_load_verify_locations(context, authority.c_str(), nullptr) != 1)
      throw IoError("cannot use the certificate '" + authority.string() + "': " + tls_reason()
                    + "; give --certs the folder with the ca.pem of `troupe certs`");
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  }

  /// @returns an answer with 200, 404 or 409
  httplib::Response get(const std::string& path) {
    const auto result = http_.Get(path);
    if (!result)
      throw Failure(ExitCode::unavailable,
                    {"the dashboard at " + host_
                     + " does not answer: " + httplib::to_string(result.error())
                     + "; is it running, and is its certificate of the authority in --certs?"});
    if (result->status == 401 || result->status == 403)
      throw Failure(ExitCode::refused,
                    {"the dashboard at " + host_
                     + " does not accept the token; give the address that it prints"});
    if (result->status != 200 && result->status != 404 && result->status != 409)
      throw Failure(ExitCode::unavailable,
                    {"the dashboard at " + host_ + " answers " + std::to_string(result->status)
                     + ": " + result->body.substr(0, 200)});
    return *result;
  }

private:
  httplib::Client http_;
  std::string host_;
};

RemoteDashboard::RemoteDashboard(DashboardAddress address, const std::filesystem::path& authority)
  : address_(std::move(address)),
    client_(std::make_unique<Client>(address_, authority)) {}
RemoteDashboard::~RemoteDashboard() = default;
RemoteDashboard::RemoteDashboard(RemoteDashboard&&) noexcept = default;
RemoteDashboard& RemoteDashboard::operator=(RemoteDashboard&&) noexcept = default;

RemoteFiles RemoteDashboard::files() {
  const auto answer = client_->get("/api/files");
  try {
    if (answer.status != 200)
      throw std::invalid_argument("it has no /api/files");
    return remote_files_in(answer.body);
  } catch (const std::invalid_argument& error) {
    throw DataError("the answer of " + address_.host + " is not one of this version's dashboard: "
                    + error.what() + "; use the same version of Troupe on both machines");
  }
}

RemoteDashboard::Piece RemoteDashboard::bytes_of(const RemoteFolder& folder, const RemoteFile& file,
                                                 std::uint64_t from,
                                                 std::optional<std::uint32_t> head) {
  auto answer
    = client_->get("/api/files/" + folder.id + "/" + escaped_path(file.name) + "?from="
                   + std::to_string(from) + (head ? "&head=" + std::to_string(*head) : ""));
  return {answer.status == 200 ? std::move(answer.body) : "", answer.status == 409};
}

} // namespace troupe
