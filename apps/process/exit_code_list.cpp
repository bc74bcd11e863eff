#include "apps/process/exit_code_list.hpp"

#include "base/text/wrapped_text.hpp"

namespace troupe {

const std::vector<ExitCodeMeaning>& exit_code_list() {
  static const std::vector<ExitCodeMeaning> list{
    {ExitCode::done, "done"},
    {ExitCode::usage, "usage"},
    {ExitCode::data, "bad data"},
    {ExitCode::unavailable, "a peer cannot be reached"},
    {ExitCode::internal, "internal error or failed training"},
    {ExitCode::io, "input or output"},
    {ExitCode::stopped_early, "stopped early, resumable"},
    {ExitCode::refused, "wrong token"},
    {ExitCode::configuration, "configuration"},
    {ExitCode::interrupted, "interrupted before anything was saved"},
  };
  return list;
}

std::string exit_code_text() {
  std::string text;
  for (const auto& [code, meaning] : exit_code_list())
    text += (text.empty() ? "Exit codes: " : "; ") + std::to_string(static_cast<int>(code)) + " "
            + meaning;
  return wrapped(text + ".", ";", 80, "  ");
}

} // namespace troupe
