// An observer or a gate that is a function of the program which trains, like a Python callable:
//
//   extensions: {watch: {type: function, handle: 2958274361-1, every_n_batches: 10}}
#pragma once

#include "base/text/enum_names.hpp"
#include "extensions/support/extension_context.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// What a function wants after it has seen an event. Everything empty: nothing.
struct FunctionAnswer {
  Records records;                        ///< for the event's row of the log
  std::map<std::string, double> settings; ///< of the optimizer, by name, as in Set
  std::string stop; ///< ends training of all workers after the batch, for this reason
};

/// Is called on a thread of its own. An exception ends the extension, with its text as the reason.
using ExtensionFunction
  = std::function<FunctionAnswer(const LoopEvent& event, const Layout& layout)>;

/// Lets configurations of this process name a function, while its owner keeps it.
/// @returns the handle
std::string hand_over(const std::shared_ptr<ExtensionFunction>& function);

constexpr auto enum_names(Shows) {
  return name_list("nothing", "spans", "parameters", "optimizer", "gradients", "update", "step");
}

struct FunctionOptions {
  std::string handle = {};              ///< of a function that this process has handed over
  Shows shows = Shows::nothing;         ///< which floats its events carry
  std::vector<std::string> writes = {}; ///< records that other extensions may wait for
  TROUPE_FIELDS(handle, shows, writes);
};

/// Spawns the extension on a thread of its own, where the function may sleep or compute. As an
/// observer it loses copies of events (Subscribe::window) instead of holding training, and confirms
/// an event once the logger has its records. As a gate it is awaited, and its settings and its stop
/// apply before the next batch. It ends when no handle to it is left.
Extension spawn_function(std::shared_ptr<ExtensionFunction> function,
                         const ExtensionContext& context);

} // namespace troupe
