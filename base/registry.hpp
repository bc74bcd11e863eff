// What has a name and registers itself: kinds of extensions, problems, models and the like. Each is
// registered in its own file, before main or when a plugin is loaded; no list names them all.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// The kinds of one sort of thing, by name. They stay where they are, so that pointers to them stay
/// good.
template <class Kind>
class Registry {
public:
  /// Adds a kind under its member `name`. The first of two with one name stays; `repeated` names
  /// it.
  void add(Kind kind) {
    const std::lock_guard lock{mutex_};
    auto name = kind.name;
    if (!kinds_.emplace(name, std::move(kind)).second)
      repeated_.push_back(std::move(name));
  }

  /// nullptr if nothing has that name.
  const Kind* find(std::string_view name) const {
    const std::lock_guard lock{mutex_};
    const auto found = kinds_.find(name);
    return found == kinds_.end() ? nullptr : &found->second;
  }

  std::vector<std::string> names() const { ///< sorted
    const std::lock_guard lock{mutex_};
    std::vector<std::string> names;
    for (const auto& [name, kind] : kinds_)
      names.push_back(name);
    return names;
  }

  /// Names that were added more than once, which is a mistake of those who add.
  std::vector<std::string> repeated() const {
    const std::lock_guard lock{mutex_};
    return repeated_;
  }

private:
  mutable std::mutex mutex_; // a plugin is loaded while other runs of a grid look kinds up
  std::map<std::string, Kind, std::less<>> kinds_;
  std::vector<std::string> repeated_;
};

/// The kinds of one sort that are linked or loaded. Specialised beside each sort's own header, with
/// a static in its source: there is one, however many libraries include the header, and it is there
/// before any file registers its kind.
template <class Kind>
Registry<Kind>& registry_of();

/// Makes a kind known: a constant of namespace scope in the kind's own file.
template <class Kind>
class Registration {
public:
  /// @param kind with a name that no other has
  explicit Registration(Kind kind) { registry_of<Kind>().add(std::move(kind)); }
};

} // namespace troupe
