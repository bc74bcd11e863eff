#include "apps/transport/token.hpp"

#include "base/failure.hpp"
#include "base/text/text.hpp"
#include "base/text/utf8.hpp"

#include <openssl/rand.h>

#include <array>
#include <cstdlib>
#include <fstream>

namespace troupe {

std::string token_of_file(const std::filesystem::path& file) {
  std::ifstream stream{file};
  std::string line;
  std::getline(stream, line);
  auto token = token_in(std::string_view{line});
  if (token.empty())
    throw IoError("there is no token in '" + file.string()
                  + "'; give the file of a run's token, or set TROUPE_TOKEN");
  return token;
}

std::string draw_token() {
  std::array<unsigned char, 16> bits{};
  if (RAND_bytes(bits.data(), static_cast<int>(bits.size())) != 1)
    throw Failure(ExitCode::internal, {"the operating system gave no random bits for a token"});
  std::string text;
  for (const auto byte : bits)
    for (const auto digit : {byte >> 4, byte & 15})
      text += "0123456789abcdef"[digit];
  return text;
}

std::string token_in(std::string_view text) {
  return std::string{trimmed(without_utf8_mark(text))};
}

std::string cluster_token() {
  const auto* token = std::getenv("TROUPE_TOKEN");
  return token == nullptr ? "" : token_in(token);
}

} // namespace troupe
