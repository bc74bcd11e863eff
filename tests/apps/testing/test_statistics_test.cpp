#include "apps/testing/test_statistics.hpp"

#include <catch2/catch.hpp>

#include <tuple>

using namespace troupe;

namespace {

Metrics metrics_of(double loss, double right, double count) {
  Metrics metrics;
  metrics.add_mean("loss", loss * count, count);
  metrics.add_mean("accuracy", right, count);
  return metrics;
}

} // namespace

TEST_CASE("the aggregated line has the total, extremes and deviation of the episodes", "[M42]") {
  TestStatistics statistics;
  Metrics whole;
  for (const auto& [loss, right, examples] :
       {std::tuple{1, 1, 4}, std::tuple{2, 2, 4}, std::tuple{3, 6, 8}}) {
    const auto batch = metrics_of(loss, right, examples);
    statistics.add(batch, examples);
    whole.merge(batch);
  }
  CHECK(statistics.rows_csv()
        == "episode,loss,acc,batch_size\n0,1,0.25,4\n1,2,0.5,4\n2,3,0.75,8\n");
  CHECK(statistics.aggregate_csv(whole.values())
        == "episode,episodes_aggregated,samples_aggregated,loss,loss_min,loss_max,loss_std,acc,"
           "acc_min,acc_max,acc_std\n"
           "3,3,16,2.25,1,3,1,0.5625,0.25,0.75,0.25\n");
}

TEST_CASE("an undefined metric is an empty field and not a minimum", "[M42][T26]") {
  const auto with_r2 = [](double spread) { // targets 1 and 1 + spread, predictions 0.5 too high
    Metrics metrics;
    metrics.r_squared().add<double>(std::vector{1.5, 1.5 + spread}, std::vector{1, 1 + spread}, 1);
    return metrics;
  };
  TestStatistics statistics, constant;
  statistics.add(with_r2(1), 2);
  statistics.add(with_r2(0), 2);
  CHECK(statistics.rows_csv() == "episode,r2,batch_size\n0,0,2\n1,,2\n");
  statistics.add(with_r2(2), 2);
  CHECK(statistics.aggregate_csv({{"r2", 0.5}})
        == "episode,episodes_aggregated,samples_aggregated,r2,r2_min,r2_max,r2_std\n"
           "3,3,6,0.5,0,0.75,0.5303300858899106\n");
  constant.add(with_r2(0), 2);
  CHECK_THAT(constant.aggregate_csv({{"r2", 0}}, {"r2"}), Catch::EndsWith("\n1,1,2,,,,\n"));
}

TEST_CASE("the deviation of one episode is 0", "[M42]") {
  TestStatistics statistics;
  const auto batch = metrics_of(2, 1, 1);
  statistics.add(batch, 1);
  CHECK(statistics.aggregate_csv(batch.values()).find("2,2,2,0,1,1,1,0\n") != std::string::npos);
}

TEST_CASE("a test has the statistics of problem and model", "[M42][M32]") {
  TestStatistics statistics;
  const auto batch = metrics_of(2, 1, 1);
  statistics.add(batch, 4, {{"seq_length", 3.5}, {"first", 1}});
  statistics.add(batch, 2, {{"seq_length", 4.5}, {"first", 1}});
  CHECK(statistics.rows_csv()
        == "episode,loss,acc,batch_size,seq_length,first\n0,2,1,4,3.5,1\n1,2,1,2,4.5,1\n");
  const auto aggregate = statistics.aggregate_csv(batch.values());
  CHECK(aggregate.find(
          "acc_std,seq_length,seq_length_min,seq_length_max,seq_length_std,first,first_min")
        != std::string::npos);
  CHECK(aggregate.find(",4,3.5,4.5,0.7071067811865476,1,1,1,0\n") != std::string::npos);
}
