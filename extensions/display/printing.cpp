#include "extensions/display/printing.hpp"

#include "base/text/duration.hpp"
#include "base/text/text.hpp"
#include "base/text/wrapped_text.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/in_flight.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/serial_queue.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

std::string number(double x) { return fmt::format("{:.4g}", without_nan_sign(x)); }

std::string seconds_text(double seconds) { return fmt::format("{:.1f} s", seconds); }

std::string head_of(Epoch epoch, Step batch, double seconds) {
  return "epoch " + std::to_string(epoch) + ", batch " + std::to_string(batch) + ", "
         + seconds_text(seconds);
}

/// "time_*" hides names with this prefix, "*_version" with this suffix, "loss" only this name.
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

/// Adds the mean loss of its batches to a row in the middle of an epoch, which may be empty.
Row with_loss(Row row, const Position& position, std::optional<double> loss) {
  if (row.records.empty()) {
    row.epoch = position.epochs;
    row.seconds = position.seconds;
  }
  if (loss && row.records.count("training_loss") == 0 && row.records.count("loss") == 0)
    row.records["training_loss"] = Value{*loss};
  return row;
}

struct PrintingState {
  static constexpr const char* name = "printing";
  InFlight in_flight;
  RowColumns columns;
  LossBetweenRows loss;
  std::optional<RowKey> last; ///< last row that was printed or requested
};

Extension::behavior_type printing(Extension::stateful_pointer<PrintingState> self,
                                  const PrintingOptions& options, const Logger& logger) {
  const auto print = [self, options, logger](const LoopEvent& event) {
    if (event.lost > 0)
      self->send(logger, Say{Level::warning, "printing missed " + std::to_string(event.lost)
                                               + " rows before this one"});
    // The last epoch often ends with training: its row is already printed.
    if (event.callback == Callback::after_training && self->state.last == row_of(event))
      return;
    if (event.callback != Callback::on_interrupt)
      self->state.last = row_of(event);
    const auto ticket = self->state.in_flight.begin();
    const auto callback = event.callback;
    const auto reason = event.reason;
    const auto expected_length = event.expected_length;
    const auto position = event.position;
    const auto mean = self->state.loss.next(event);
    const auto loss = callback == Callback::after_batch ? mean : std::nullopt;
    request_within(self, logger, timespan_of(options.deadline), ReadRow{row_of(event), true})
      .then(
        [=](const Row& row) {
          if (callback == Callback::on_interrupt)
            self->send(logger, Say{Level::info, "training is interrupted: " + reason});
          else if (const auto shown = with_loss(row, position, loss); !shown.records.empty())
            self->send(logger,
                       Say{Level::info, self->state.columns.text(shown, options, expected_length)});
          self->state.in_flight.end(ticket);
        },
        [=](const caf::error& error) {
          self->send(logger, Say{Level::warning, "printing could not read batch "
                                                   + std::to_string(event.position.batches)
                                                   + " of the log: " + sentence(error)});
          self->state.in_flight.end(ticket);
        });
  };
  return {
    [print](const LoopEvent& event) { print(event); },
    [print](const AskGate& ask) {
      print(ask.event);
      return GateAnswer{};
    },
    [self](const Drain&) { return self->state.in_flight.drain(self); },
    [self](const SaveExtension&) { return self->state.in_flight.save(self); },
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
  return RowColumns{}.text(row, options);
}

std::string RowColumns::text(const Row& row, const PrintingOptions& options,
                             const ExpectedLength& expected_length) {
  const auto& style = options.style;
  if (style != "line" && style != "table" && style != "json")
    throw std::invalid_argument("printing has no style '" + style
                                + "'; it knows: line, table, json");
  const auto json = style == "json", columns = style == "line";
  auto text = json ? "{\"worker\":" + std::to_string(row.row.worker) + ",\"batch\":"
                       + std::to_string(row.row.batch) + ",\"epoch\":" + std::to_string(row.epoch)
                   : head_of(row.epoch, row.row.batch, row.seconds)
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
    else {
      if (first) {
        const auto last = expected_length.epochs * expected_length.batches_per_epoch;
        head_ = std::max({head_, text.size(), head_of(expected_length.epochs, last, 0).size()});
        text += ":" + std::string(head_ - text.size(), ' ');
      }
      const auto piece = name + " " + value_text(value) + undefined;
      auto& width = records_[name];
      width = std::max(width, columns_of(piece));
      text += (first ? " " : "  ") + piece + std::string(width - columns_of(piece), ' ');
    }
    first = false;
  }
  if (columns)
    text.erase(text.find_last_not_of(' ') + 1);
  return json ? text + "}" : text;
}

std::optional<double> LossBetweenRows::next(const LoopEvent& event) {
  const auto count = event.totals.weight - weight_;
  const auto sum = event.totals.loss.since(sum_);
  weight_ = event.totals.weight;
  sum_ = event.totals.loss;
  const auto begun = std::exchange(begun_, true);
  if (!(count > 0))
    return {};
  return begun ? sum / count : event.loss;
}

void check(const PrintingOptions& options) {
  print_row({}, options);
  request_deadline("printing", options.deadline);
}

Extension spawn_printing(caf::actor_system& system, PrintingOptions options, Logger logger) {
  check(options);
  return system.spawn(printing, std::move(options), std::move(logger));
}

namespace {

const RegisterExtension printing_kind{ExtensionOf<PrintingOptions>{
  .name = "printing",
  .prints_rows = true,
  .only_records = true,
  .conditions = printing_conditions,
  .spawn =
    [](const PrintingOptions& options, const ExtensionContext& context) {
      return spawn_printing(context.system, options, context.logger);
    },
  .place = [](const PrintingOptions&, OrderedExtension& place) { place.late = true; },
}};

} // namespace

} // namespace troupe
