// What a file of another program is, where the state of a run was expected.
#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// What the bytes are, with the cure: "it is an archive of PyTorch, ...; ..."; "" for what has no
/// known beginning.
std::string foreign_file(std::string_view bytes);

} // namespace troupe
