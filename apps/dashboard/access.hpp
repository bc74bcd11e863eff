// Who may ask the dashboard for what: tokens, roles, and the checks of a request's origin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What a token allows: each role may do what the roles before it may.
enum class AccessRole : std::uint8_t {
  none,
  read,    ///< look
  control, ///< what leaves the result of a run as it is
  admin,   ///< what changes or ends a run
};

std::string to_string(AccessRole role);
bool from_text(std::string_view text,
               AccessRole& role); ///< false for an unknown name, and for "none"

/// The role that a verb of the control protocol needs; `none` for an unknown verb.
AccessRole role_for(std::string_view verb);

/// The verbs, and "tag", that a role may use, sorted.
std::vector<std::string> verbs_of(AccessRole role);

/// The token of each role.
struct RoleTokens {
  std::string read, control, admin;

  /// `none` for a text that is no token. It takes the same time for each wrong text.
  AccessRole role_of(std::string_view token) const;
  const std::string& of(AccessRole role) const;
};

/// Draws three tokens. @throws Failure if the system has no random bits
RoleTokens draw_role_tokens();

/// Reads them from the text of a file: a JSON object with a text for each role.
/// @param file its name, for the message. @throws IoError
RoleTokens role_tokens_in(const std::string& text, const std::string& file);
std::string to_text(const RoleTokens& tokens);

/// The parts of a request's head that decide on its admission.
struct RequestHead {
  std::string method, path;
  std::string token; ///< the parameter `token`
  std::string host, origin, authorization, cookie, content_type;
};

struct AccessRules {
  RoleTokens tokens;
  std::string cookie;             ///< its name
  std::vector<std::string> hosts; ///< names without port that a request's Host may have
  bool tls = false;
};

struct RequestAdmission {
  int status = 0;       ///< of the refusal; 0: admitted
  std::string sentence; ///< of the refusal
  AccessRole role = AccessRole::none;
};

/// Admits or refuses a request. A page of another site can make a browser send requests, but not
/// with this Host and this Origin.
RequestAdmission admit(const RequestHead& head, const AccessRules& rules);

/// The host of "host:port" or "[::1]:port", in lower case; "" for a text that is neither.
std::string host_in(std::string_view authority);

/// The value of a cookie in a header; "" if it has none of that name.
std::string cookie_in(std::string_view header, std::string_view name);

} // namespace troupe
