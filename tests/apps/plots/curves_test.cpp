#include "apps/plots/curves.hpp"
#include "base/failure.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;

namespace {

struct DrawnLog {
  LogColumns columns;
  RunLog head;

  NamedLog named(const std::string& name, const std::string& about = "") const {
    return {name, &columns, &head, about};
  }
};

void log_record(DrawnLog& log, WorkerId worker, Step batch, const std::string& name, double value,
                const std::string& seconds = "00") {
  ScannedRow row;
  scan(LoggedRow{"r",
                 "2026-01-31T12:00:" + seconds + ".000Z",
                 {worker, batch},
                 batch / 100,
                 static_cast<double>(batch) / 10,
                 {{name, Value{value}}}},
       row);
  log.columns.take(row, 0, 0, true);
}

DrawnLog usual_log() {
  DrawnLog log;
  log_record(log, 0, 0, "validation_loss", 2);
  log_record(log, 0, 100, "training_loss", 1);
  log_record(log, 0, 100, "validation_loss", 1.5);
  log_record(log, 0, 100, "validation_accuracy", 0.5);
  log_record(log, 0, 100, "learning_rate", 0.01);
  log_record(log, 0, 200, "test_loss", 1.25);
  return log;
}

/// "loss: training_loss, validation_loss; "
std::string panels_text(const Chart& chart) {
  std::string text;
  for (const auto& panel : chart.panels) {
    text += panel.title + ":";
    for (const auto& curve : panel.curves)
      text += " " + curve.label + ",";
    text += " ";
  }
  return text;
}

std::string usage_error_of(const std::vector<NamedLog>& logs, const CurveOptions& options) {
  try {
    chart_of(logs, options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("losses are in one panel and accuracies in another, and the rest is not drawn",
          "[plot][L27]") {
  const auto log = usual_log();
  const auto chart = chart_of({log.named("run")}, {});
  CHECK(panels_text(chart)
        == "loss: training_loss, validation_loss, test_loss, "
           "validation_accuracy: validation_accuracy, ");
  CHECK(chart.title == "run");
  CHECK(chart.panels[0].curves[1].x == std::vector<double>{0, 100});
  CHECK(chart.panels[0].curves[1].y == std::vector<double>{2, 1.5});
}

TEST_CASE("named records are drawn, with a panel for each that is no loss or score",
          "[plot][L27]") {
  const auto log = usual_log();
  CHECK(panels_text(chart_of({log.named("run")}, {.records = {"learning_rate", "test_loss",
                                                              "training_loss", "learning_rate"}}))
        == "learning_rate: learning_rate, loss: test_loss, training_loss, ");
}

TEST_CASE("workers and runs differ by name, colour and line style", "[plot][L27]") {
  DrawnLog one, two;
  log_record(one, 0, 1, "loss", 1);
  log_record(one, 1, 1, "loss", 2);
  log_record(two, 3, 1, "loss", 3);
  log_record(two, 3, 1, "val_loss", 3);
  CHECK(panels_text(chart_of({one.named("a")}, {})) == "loss: worker 0, worker 1, ");
  const auto chart = chart_of({one.named("runs/x/a"), two.named("runs/y/b")}, {});
  CHECK(panels_text(chart)
        == "loss: x/a, worker 0: loss, x/a, worker 1: loss, y/b: loss, y/b: val_loss, ");
  const auto& curves = chart.panels[0].curves;
  CHECK(curves[0].color != curves[1].color);
  CHECK(curves[2].color == curves[3].color);
  CHECK(curves[2].line_type != curves[3].line_type);
}

TEST_CASE("no two curves of several workers and records look alike", "[plot]") {
  for (const WorkerId workers : {2, 8, 13, 30}) {
    DrawnLog log;
    for (WorkerId worker = 0; worker < workers; ++worker)
      for (const auto* record : {"training_loss", "validation_loss", "test_loss"})
        log_record(log, worker, 1, record, 1);
    const auto chart = chart_of({log.named("a")}, {});
    std::set<std::pair<std::size_t, std::size_t>> looks;
    for (const auto& curve : chart.panels.at(0).curves)
      looks.insert({curve.color % palette_size, curve.line_type % line_types});
    CHECK(looks.size() == 3 * workers);
  }
}

TEST_CASE("a worker whose training failed is marked", "[plot]") {
  DrawnLog log;
  for (const WorkerId worker : {0, 1})
    log_record(log, worker, 1, "loss", 1);
  log.head.add(WriteStatus{0, {{"outcome", Value{std::string{"finished"}}}}});
  log.head.add(WriteStatus{1, {{"outcome", Value{std::string{"failed"}}}}});
  const auto curves = chart_of({log.named("a")}, {}).panels.at(0).curves;
  CHECK_FALSE(curves[0].failed);
  CHECK(curves[1].failed);
  CHECK(curves[1].label == "worker 1 (failed)");
}

TEST_CASE("a title names the model and the data, once if all logs share them", "[plot]") {
  DrawnLog log;
  log_record(log, 0, 1, "loss", 1);
  CHECK(chart_of({log.named("now", "mlp on digits")}, {}).title == "mlp on digits: now");
  CHECK(chart_of({log.named("x/a", "mlp on digits"), log.named("x/b", "mlp on digits")}, {}).title
        == "mlp on digits: a, b");
  CHECK(chart_of({log.named("x/a", "mlp on digits"), log.named("x/b", "lenet on digits")}, {}).title
        == "mlp on digits, lenet on digits: a, b");
}

TEST_CASE("curves beyond the number of colours have other line styles", "[plot]") {
  DrawnLog log;
  for (WorkerId worker = 0; worker < 20; ++worker)
    log_record(log, worker, 1, "loss", 1);
  const auto chart = chart_of({log.named("a")}, {});
  std::set<std::pair<std::size_t, std::size_t>> looks;
  for (const auto& curve : chart.panels.at(0).curves)
    looks.insert({curve.color, curve.line_type});
  CHECK(looks.size() == 20);
}

TEST_CASE("rows are placed by the chosen axis", "[plot][L27]") {
  DrawnLog log;
  log_record(log, 0, 100, "loss", 1, "10");
  log_record(log, 0, 150, "loss", 2, "30");
  log_record(log, 1, 50, "loss", 3, "40");
  const auto x_of = [&](Against against) {
    return chart_of({log.named("a")}, {.against = against}).panels.at(0).curves.at(0).x;
  };
  CHECK(x_of(Against::batches) == std::vector<double>{100, 150});
  CHECK(x_of(Against::seconds) == std::vector<double>{10, 15});
  CHECK(x_of(Against::time) == std::vector<double>{0, 20});
  CHECK(x_of(Against::epochs) == std::vector<double>{1, 1}); // epochs done
  CHECK_THAT(usage_error_of({log.named("a")}, {.against = Against::examples}),
             Catch::Contains("'a' does not say how many examples"));
  for (WorkerId worker : {0, 1})
    log.head.add(WriteStatus{worker,
                             {{"batches_per_epoch", Value{std::int64_t{100}}},
                              {"batches_done", Value{std::int64_t{150}}},
                              {"examples_done", Value{std::int64_t{9600}}}}});
  CHECK(x_of(Against::epochs) == std::vector<double>{1, 1.5});
  CHECK(x_of(Against::examples) == std::vector<double>{6400, 9600});
  log.head.add(WriteStatus{0, {{"epoch_ends", Value{"100 150"}}}}); // the second was closed early
  CHECK(x_of(Against::epochs) == std::vector<double>{1, 2});
}

TEST_CASE("against time, a run that began later is placed later", "[plot][L27]") {
  DrawnLog early, late;
  log_record(early, 0, 100, "loss", 1, "10");
  log_record(late, 0, 100, "loss", 2, "40");
  const auto chart
    = chart_of({early.named("early"), late.named("late")}, {.against = Against::time});
  const auto& curves = chart.panels.at(0).curves;
  REQUIRE(curves.size() == 2);
  CHECK(curves[0].x == std::vector<double>{0});
  CHECK(curves[1].x == std::vector<double>{30});
}

TEST_CASE("points are in order, and for a row written twice the later value counts", "[plot]") {
  DrawnLog log;
  log_record(log, 0, 20, "loss", 2);
  log_record(log, 0, 10, "loss", 9);
  log_record(log, 0, 10, "loss", 1);
  const auto curve = chart_of({log.named("a")}, {}).panels.at(0).curves.at(0);
  CHECK(curve.x == std::vector<double>{10, 20});
  CHECK(curve.y == std::vector<double>{1, 2});
}

TEST_CASE("an unknown record is refused with the known ones", "[plot]") {
  const auto log = usual_log();
  const auto error = usage_error_of({log.named("a")}, {.records = {"training_los"}});
  CHECK_THAT(error, Catch::Contains("did you mean 'training_loss'?")
                      && Catch::Contains("learning_rate, test_loss, training_loss"));
  DrawnLog others;
  log_record(others, 0, 1, "speed", 1);
  CHECK_THAT(usage_error_of({others.named("a")}, {}), Catch::Contains("there are: speed"));
  CHECK_THAT(usage_error_of({}, {}), Catch::Contains("there are: none"));
  DrawnLog negative;
  log_record(negative, 0, 1, "loss", -1);
  CHECK_THAT(usage_error_of({negative.named("a")}, {.log = true}), Catch::Contains("above 0"));
  DrawnLog nan;
  log_record(nan, 0, 1, "loss", NAN);
  CHECK_THAT(usage_error_of({nan.named("a")}, {}), Catch::Contains("finite"));
}

TEST_CASE("smoothing keeps constants, starts at the first value and keeps gaps", "[plot]") {
  CHECK(smoothed({3, 3, 3}, 0.9)[2] == Approx(3));
  const auto values = smoothed({1, NAN, 3, 5}, 0.5);
  CHECK(values[0] == Approx(1));
  CHECK(std::isnan(values[1]));
  CHECK(values[2] == Approx((0.5 * 1 + 3) / 1.5));
  CHECK(values[3] == Approx((0.25 * 1 + 0.5 * 3 + 5) / 1.75));
  CHECK(smoothed({0, 1}, 0.9)[1] == Approx(1 / 1.9)); // not 0.1, as with an infinite past
  CHECK(smoothed({1, 2}, 0) == std::vector<double>{1, 2});
  CHECK(smoothed({}, 0.5).empty());
}

TEST_CASE("times of a log are read, and other texts are refused", "[plot][L18]") {
  CHECK(unix_time_of("1970-01-01T00:00:01.500Z") == 1.5);
  CHECK(unix_time_of("2000-02-29T12:34:56.500Z") == 951827696.5);
  for (const auto* text : {"", "yesterday", "2000-02-29T12:34:56.500", "2000-02-29T12:34:nanZ"})
    CHECK(std::isnan(unix_time_of(text)));
}

TEST_CASE("the names of axes are read and printed", "[plot]") {
  for (const auto* word : {"batches", "epochs", "examples", "seconds", "time"}) {
    Against against{};
    REQUIRE(from_text(word, against));
    CHECK(to_string(against) == word);
  }
  Against against{};
  CHECK_FALSE(from_text("epoch", against));
}
