#include "apps/dashboard/api_request.hpp"

#include "apps/dashboard/run_text.hpp"

#include <algorithm>

namespace troupe {

using Json = nlohmann::ordered_json;

ApiAnswer json_answer(const Json& json) { return {200, "application/json", one_line(json), {}}; }

ApiAnswer error_answer(int status, const std::string& sentence) {
  return {status, "application/json", one_line({{"error", sentence}}), {}};
}

ApiRefusal unknown_id(const std::string& what) {
  return {404, "there is no such " + what + "; ask for the list of all"};
}

std::string parameter(const ApiRequest& request, const std::string& name,
                      const std::string& otherwise) {
  const auto found = request.parameters.find(name);
  return found == request.parameters.end() || found->second.empty() ? otherwise : found->second;
}

std::set<std::string> list_parameter(const ApiRequest& request, const std::string& name) {
  std::set<std::string> list;
  const auto text = parameter(request, name, "");
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    if (end > begin)
      list.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

Json body_of(const ApiRequest& request) {
  auto json = Json::parse(request.body, nullptr, false);
  if (!json.is_object())
    throw ApiRefusal{400, "the body is no JSON object; send one as the reference shows it"};
  return json;
}

std::vector<std::string> texts_in(const Json& body, const char* name) {
  std::vector<std::string> texts;
  const auto found = body.find(name);
  if (found == body.end())
    return texts;
  const auto is_text = [](const Json& one) { return one.is_string(); };
  if (!found->is_array() || !std::all_of(found->begin(), found->end(), is_text))
    throw ApiRefusal{400, std::string{"'"} + name + "' is no list of texts; correct it"};
  for (const auto& text : *found)
    texts.push_back(text.get<std::string>());
  return texts;
}

void need_role(const ApiRequest& request, const std::string& verb) {
  const auto needed = role_for(verb);
  if (needed == AccessRole::none)
    throw ApiRefusal{400,
                     "there is no order " + in_quotes(verb) + "; `troupe ctl --help` lists all"};
  if (request.role < needed)
    throw ApiRefusal{403, "the role '" + to_string(request.role) + "' may not '" + verb
                            + "'; open the page with the token of the role '" + to_string(needed)
                            + "'"};
}

} // namespace troupe
