#include "model/data/section_sample.hpp"

namespace troupe {

SectionSizes section_sizes(const Problem& problem) {
  return {problem.size(Section::train), problem.size(Section::validation),
          problem.size(Section::test)};
}

} // namespace troupe
