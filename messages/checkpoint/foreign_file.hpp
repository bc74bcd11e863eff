// Recognises files of other programs where a saved run was expected.
#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// What the bytes are, with the cure: "it is an archive of PyTorch, ...; ..."; "" if they are
/// unknown.
std::string foreign_file(std::string_view bytes);

} // namespace troupe
