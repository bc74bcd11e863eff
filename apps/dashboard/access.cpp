#include "apps/dashboard/access.hpp"

#include "apps/transport/token.hpp"
#include "base/failure.hpp"
#include "base/same_secret.hpp"
#include "base/text/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace troupe {

namespace {

constexpr std::array<std::pair<const char*, AccessRole>, 3> role_names{
  {{"read", AccessRole::read}, {"control", AccessRole::control}, {"admin", AccessRole::admin}}};

constexpr std::array<std::pair<const char*, AccessRole>, 14> verb_roles{
  {{"attach", AccessRole::admin},
   {"break", AccessRole::control},
   {"detach", AccessRole::admin},
   {"evaluate", AccessRole::control},
   {"pause", AccessRole::control},
   {"ping", AccessRole::read},
   {"resume", AccessRole::control},
   {"save", AccessRole::control},
   {"set", AccessRole::admin},
   {"status", AccessRole::read},
   {"step", AccessRole::control},
   {"stop", AccessRole::admin},
   {"tag", AccessRole::control},
   {"unbreak", AccessRole::control}}};

std::string bearer_in(std::string_view authorization) {
  constexpr std::string_view scheme = "Bearer ";
  return authorization.starts_with(scheme) ? std::string{authorization.substr(scheme.size())} : "";
}

RequestAdmission refused(int status, std::string sentence) { return {status, std::move(sentence)}; }

bool is_written(const RequestHead& head) { return head.method == "POST"; }

} // namespace

std::string to_string(AccessRole role) {
  for (const auto& [name, named] : role_names)
    if (named == role)
      return name;
  return "none";
}

bool from_text(std::string_view text, AccessRole& role) {
  for (const auto& [name, named] : role_names)
    if (text == name) {
      role = named;
      return true;
    }
  return false;
}

AccessRole role_for(std::string_view verb) {
  for (const auto& [name, role] : verb_roles)
    if (verb == name)
      return role;
  return AccessRole::none;
}

std::vector<std::string> verbs_of(AccessRole role) {
  std::vector<std::string> verbs;
  for (const auto& [name, needed] : verb_roles)
    if (needed <= role)
      verbs.emplace_back(name);
  return verbs;
}

AccessRole RoleTokens::role_of(std::string_view token) const {
  auto role = AccessRole::none;
  for (const auto one : {AccessRole::read, AccessRole::control, AccessRole::admin})
    if (!of(one).empty() && same_secret(of(one), token))
      role = one;
  return role;
}

const std::string& RoleTokens::of(AccessRole role) const {
  return role == AccessRole::admin ? admin : role == AccessRole::control ? control : read;
}

RoleTokens draw_role_tokens() { return {draw_token(), draw_token(), draw_token()}; }

RoleTokens role_tokens_in(const std::string& text, const std::string& file) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto token = [&](const char* name) {
    const auto found = json.is_object() ? json.find(name) : json.end();
    const auto given = json.is_object() && found != json.end() && found->is_string();
    if (!given || found->get<std::string>().size() < 16)
      throw IoError("'" + file + "' has no token of 16 or more characters for the role '" + name
                    + "'; delete the file, and a new one is made");
    return found->get<std::string>();
  };
  return {token("read"), token("control"), token("admin")};
}

std::string to_text(const RoleTokens& tokens) {
  return nlohmann::ordered_json{
           {"read", tokens.read}, {"control", tokens.control}, {"admin", tokens.admin}}
           .dump(2)
         + "\n";
}

std::string host_in(std::string_view authority) {
  auto host = authority;
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos)
      return "";
    host = authority.substr(0, end + 1);
  } else if (const auto colon = authority.rfind(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
  }
  const auto port = authority.substr(host.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!port.empty() && (port.size() < 2 || !std::all_of(port.begin() + 1, port.end(), is_digit)))
    return "";
  return lower_case(host);
}

std::string cookie_in(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const auto end = std::min(header.find(';'), header.size());
    auto one = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (one.starts_with(' '))
      one.remove_prefix(1);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return std::string{one.substr(name.size() + 1)};
  }
  return "";
}

RequestAdmission admit(const RequestHead& head, const AccessRules& rules) {
  const auto host = host_in(head.host);
  if (std::find(rules.hosts.begin(), rules.hosts.end(), host) == rules.hosts.end())
    return refused(403, "the request is for another host; open the address that `troupe "
                        "dashboard` has printed");
  const auto own = (rules.tls ? "https://" : "http://") + head.host;
  if (!head.origin.empty() && lower_case(head.origin) != lower_case(own))
    return refused(403, "the request comes from a page of another site; open the address that "
                        "`troupe dashboard` has printed");
  if (head.method != "GET" && head.method != "HEAD" && !is_written(head))
    return refused(405, "the dashboard knows no method '" + head.method.substr(0, 20)
                          + "'; use GET or POST");
  auto role = rules.tokens.role_of(bearer_in(head.authorization));
  if (role == AccessRole::none)
    role = rules.tokens.role_of(cookie_in(head.cookie, rules.cookie));
  if (role == AccessRole::none && head.path == "/" && !is_written(head))
    role = rules.tokens.role_of(head.token);
  if (role == AccessRole::none)
    return refused(401, "the request has no valid token; open the address that `troupe dashboard` "
                        "has printed, or send 'Authorization: Bearer TOKEN'");
  if (is_written(head) && !head.content_type.starts_with("application/json"))
    return refused(415, "the body is not 'application/json'; send it with this Content-Type");
  return {0, "", role};
}

} // namespace troupe
