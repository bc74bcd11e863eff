#include "apps/catalog/expected_end.hpp"

#include "extensions/support/extension_kind.hpp"

namespace troupe {

ExpectedEnd expected_end(const std::vector<ConfiguredExtension>& extensions) {
  ExpectedEnd end;
  for (const auto& extension : extensions)
    if (const auto own = hook_answer(extension, &RunHooks<>::ends))
      end.take_earlier(*own);
  return end;
}

} // namespace troupe
