#include "troupe/extensions/printing.hpp"

#include "troupe/extensions/drain.hpp"
#include "troupe/extensions/in_turn.hpp"
#include "troupe/extensions/saved_state.hpp"
#include "troupe/extensions/write_row.hpp"
#include "troupe/messages/duration.hpp"
#include "troupe/messages/request_within.hpp"
#include "troupe/messages/text.hpp"
#include "troupe/messages/type_ids.hpp"
#include "troupe/messages/undefined_metrics.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>

namespace troupe {

namespace {

std::string number(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", without_nan_sign(x));
  return text.data();
}

std::string seconds_text(double seconds) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", seconds);
  return text.data();
}

/// "time_*" hides what begins so, "*_version" what ends so, "loss" just that.
bool hidden(const std::string& name, const std::vector<std::string>& patterns) {
  for (const auto& pattern : patterns) {
    if (pattern.ends_with('*')     ? name.starts_with(pattern.substr(0, pattern.size() - 1))
        : pattern.starts_with('*') ? name.ends_with(pattern.substr(1))
                                   : name == pattern)
      return true;
  }
  return false;
}

std::string value_text(const Value& value) {
  const auto* x = std::get_if<double>(&value);
  return x != nullptr ? number(*x) : to_string(value);
}

std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      quoted += {'\\', static_cast<char>(c)};
    else if (c < 0x20)
      quoted += ' ';
    else
      quoted += static_cast<char>(c);
  }
  return quoted + "\"";
}

std::string json_value(const Value& value) {
  if (std::holds_alternative<std::string>(value))
    return json_text(std::get<std::string>(value));
  if (const auto* x = std::get_if<double>(&value); x != nullptr && !std::isfinite(*x))
    return json_text(to_string(value));
  return to_string(value);
}

struct PrintingState {
  static constexpr const char* name = "printing";
  UnderWay under_way;
  std::optional<RowKey> last; ///< row that was printed, or will be
};

Extension::behavior_type printing(Extension::stateful_pointer<PrintingState> self,
                                  const PrintingOptions& options, const Logger& logger) {
  const auto print = [self, options, logger](const LoopEvent& event) {
    if (event.lost > 0)
      self->send(logger, Say{Level::warning, "printing missed " + std::to_string(event.lost)
                                               + " rows before this one"});
    // The end of an epoch is often the end of training: its row is shown already.
    if (event.callback == Callback::after_training && self->state.last == row_of(event))
      return;
    if (event.callback != Callback::on_interrupt)
      self->state.last = row_of(event);
    const auto ticket = self->state.under_way.begin();
    const auto callback = event.callback;
    const auto reason = event.reason;
    request_within(self, logger, timespan_of(options.deadline), ReadRow{row_of(event), true})
      .then(
        [=](const Row& row) {
          if (callback == Callback::on_interrupt)
            self->send(logger, Say{Level::info, "training is interrupted: " + reason});
          else if (!row.records.empty())
            self->send(logger, Say{Level::info, print_row(row, options)});
          self->state.under_way.end(ticket);
        },
        [=](const caf::error& error) {
          self->send(logger, Say{Level::warning, "printing could not read batch "
                                                   + std::to_string(event.position.batches)
                                                   + " of the log: " + sentence(error)});
          self->state.under_way.end(ticket);
        });
  };
  return {
    [print](const LoopEvent& event) { print(event); },
    [print](const AskGate& ask) {
      print(ask.event);
      return GateAnswer{};
    },
    [self](const Drain&) { return self->state.under_way.drain(self); },
    [self](const SaveExtension&) { return self->state.under_way.save(self); },
    restores_nothing,
  };
}

} // namespace

Conditions printing_conditions() {
  Conditions conditions;
  for (const auto* trigger :
       {"before_first_epoch", "on_resumption", "after_epoch", "on_interrupt", "after_training"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

std::string print_row(const Row& row, const PrintingOptions& options) {
  const auto& style = options.style;
  if (style != "line" && style != "table" && style != "json")
    throw std::invalid_argument("printing has no style '" + style
                                + "'; it knows: line, table, json");
  const auto json = style == "json";
  std::string text
    = json ? "{\"worker\":" + std::to_string(row.row.worker) + ",\"batch\":"
               + std::to_string(row.row.batch) + ",\"epoch\":" + std::to_string(row.epoch)
           : "epoch " + std::to_string(row.epoch) + ", batch " + std::to_string(row.row.batch)
               + ", " + seconds_text(row.seconds)
               + (row.row.worker == 0 ? "" : ", worker " + std::to_string(row.row.worker));
  auto first = true;
  for (const auto& [name, value] : row.records) {
    if (name.empty() || name.front() == '_' || hidden(name, options.hide))
      continue;
    const auto undefined = undefined_mark(row.records, name);
    if (json)
      text += "," + json_text(name) + ":" + json_value(value);
    else if (style == "table")
      text += "\n\t " + name + ": " + value_text(value) + undefined;
    else
      text += (first ? ": " : "  ") + name + " " + value_text(value) + undefined;
    first = false;
  }
  return json ? text + "}" : text;
}

void check(const PrintingOptions& options) {
  print_row({}, options);
  request_deadline("printing", options.deadline);
}

Extension spawn_printing(caf::actor_system& system, PrintingOptions options, Logger logger) {
  check(options);
  return system.spawn(printing, std::move(options), std::move(logger));
}

} // namespace troupe
