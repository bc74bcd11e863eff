#pragma once

#include "base/fields.hpp"
#include "base/types.hpp"

#include <string>

namespace troupe {

struct CurriculumOptions {
  Index initial = 0;       ///< length in the first epoch; 0: no curriculum
  Index step = 1;          ///< increase per epoch, > 0
  bool must_finish = true; ///< a good loss does not end a run before the full length
  TROUPE_FIELDS(initial, step, must_finish);
};

/// The lengths of the sequences in an epoch, easy ones first:
///
///   length(epoch) = min(initial + step epoch, full)
///
/// Depends on the epoch alone, so that all workers agree and nothing has to be saved. Bengio,
/// Louradour, Collobert & Weston, "Curriculum learning", ICML 2009.
class Curriculum {
public:
  /// @param who the owner, for messages
  /// @param full the final length, > 0
  /// @throws std::invalid_argument unless 0 <= initial <= full and step > 0
  Curriculum(const std::string& who, CurriculumOptions options, Index full);

  bool is_on() const { return options_.initial > 0; }
  bool must_finish() const { return options_.must_finish; }
  Index length(Epoch epoch) const; ///< the full length where there is no curriculum
  Epoch epochs() const;            ///< the first epoch with the full length; 0: all have it

private:
  CurriculumOptions options_;
  Index full_;
};

} // namespace troupe
