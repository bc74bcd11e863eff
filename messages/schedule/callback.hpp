// The moments of a run at which extensions are called.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// In the order of a run, except those added later. The values are on the wire: append, never
/// reorder.
enum class Callback : std::uint8_t {
  before_training, ///< once, before the first epoch of each run
  on_resumption,   ///< right after before_training, if a run resumes from a checkpoint
  before_epoch,    ///< before the first batch of an epoch
  before_batch,    ///< before a batch is read
  after_batch,     ///< after the update
  after_epoch,     ///< after the last batch of an epoch
  on_interrupt,    ///< once, before after_training
  on_error,        ///< instead of after_training
  after_training,  ///< once, at the end of a run that did not fail
  before_update,   ///< between before_batch and after_batch, when the gradient has been computed
};

/// In the order of the values
inline constexpr std::array<std::string_view, 10> callback_names{
  "before_training", "on_resumption", "before_epoch", "before_batch",   "after_batch",
  "after_epoch",     "on_interrupt",  "on_error",     "after_training", "before_update"};

/// The callback's name; "callback 17" for an invalid value (it may come from another node).
inline std::string to_string(Callback callback) {
  const auto i = static_cast<std::size_t>(callback);
  return i < callback_names.size() ? std::string{callback_names[i]}
                                   : "callback " + std::to_string(i);
}

/// @returns the callback called `name`; nothing if there is none.
inline std::optional<Callback> callback_from(std::string_view name) {
  for (std::size_t i = 0; i < callback_names.size(); ++i)
    if (callback_names[i] == name)
      return static_cast<Callback>(i);
  return std::nullopt;
}

} // namespace troupe
