#pragma once

#include "messages/parameters/parameters.hpp"

#include <caf/expected.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// The parameters that all workers share: layout, values, and versions. The parameter store decides
/// which changes are accepted.
class SharedParameters {
public:
  /// Takes the layout if there is none yet.
  /// @returns the first difference from the existing one, as a sentence; "" for none.
  std::string adopt(const Layout& layout);
  void create(const Block& values);
  bool created() const { return created_; }
  /// @returns Error::not_created before `create`.
  caf::error check_created() const;

  const Layout& layout() const { return layout_; }
  const Block& values() const { return values_; }
  Version version() const { return version_; }
  std::map<std::string, Version> versions() const; ///< of each parameter

  /// Applies the contributions of one round to a fragment: see apply() in
  /// model/update_rules/apply_rule.hpp. @pre it lies in the layout, and each contribution has its
  /// size. @returns what is sent back to the workers.
  Block update(const UpdateRule& rule, std::vector<Block>& contributions,
               const Fragment& fragment = {});

  caf::expected<Part> part(const Selection& selection) const;
  /// Changes the selected elements of one parameter only.
  caf::error change(const PushPart& push);

  void save(SavedHolder& saved) const;
  /// @returns why the state is inconsistent, and not restored; "" if it is consistent.
  std::string restore(const SavedHolder& saved);

private:
  Block update_part(const UpdateRule& rule, std::vector<Block>& contributions,
                    const Fragment& fragment);
  /// @returns offsets into the block, in the order of the selection, and their shape.
  caf::expected<std::pair<std::vector<Index>, Shape>> locate(const Selection& selection) const;
  /// Index of the parameter that a located selection names.
  std::size_t place_of(const Selection& selection) const;

  Layout layout_;
  Block values_;
  Block velocity_;       ///< what a rule keeps from round to round
  std::string rule_;     ///< the one that keeps it; "": unknown
  bool created_ = false; ///< a shard of a small model may have no values at all
  Version version_ = 0;
  std::vector<Version> versions_; ///< of each parameter
};

} // namespace troupe
