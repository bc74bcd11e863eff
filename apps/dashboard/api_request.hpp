// A request to one of the dashboard's addresses, and its answer, whatever carries them.
#pragma once

#include "apps/dashboard/access.hpp"
#include "apps/dashboard/event_hub.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe {

struct ApiRequest {
  std::string method, path, body;
  std::map<std::string, std::string> parameters;
  AccessRole role = AccessRole::none;
};

struct ApiAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::shared_ptr<EventQueue> events; ///< set: the body is this queue's events
};

/// A request that is not answered as it was asked for.
struct ApiRefusal {
  int status;
  std::string sentence;
};

ApiAnswer json_answer(const nlohmann::ordered_json& json);
/// {"error": "..."}
ApiAnswer error_answer(int status, const std::string& sentence);
/// @param what "run", "grid", "cluster"
ApiRefusal unknown_id(const std::string& what);

// The following throw ApiRefusal for a request that they cannot read.

std::string parameter(const ApiRequest& request, const std::string& name,
                      const std::string& otherwise);
/// The parts between commas.
std::set<std::string> list_parameter(const ApiRequest& request, const std::string& name);

template <class Number>
Number number_parameter(const ApiRequest& request, const std::string& name, Number otherwise,
                        Number least, Number most) {
  const auto text = parameter(request, name, "");
  if (text.empty())
    return otherwise;
  const auto number = number_in<Number>(text);
  if (!number || !(*number >= least && *number <= most))
    throw ApiRefusal{400, "the parameter '" + name + "' is " + in_quotes(text)
                            + ", which is no number in its range; correct or omit it"};
  return *number;
}

/// The request's body as an object.
nlohmann::ordered_json body_of(const ApiRequest& request);
/// A list of texts in a body; {} if there is none of that name.
std::vector<std::string> texts_in(const nlohmann::ordered_json& body, const char* name);
/// Refuses a request whose role may not give this order.
void need_role(const ApiRequest& request, const std::string& verb);

} // namespace troupe
