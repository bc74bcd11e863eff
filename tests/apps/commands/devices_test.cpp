#include "apps/commands/devices.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

TEST_CASE("troupe devices lists the processor, and each card with memory and capability",
          "[devices]") {
  DeviceList list;
  list.cards.push_back({1, "NVIDIA H100", 80'000'000'000, 79'000'000'000, 9, 0, 132});
  const auto text = devices_text(list, 16);
  CHECK_THAT(text, Contains("cpu     16 cores\n"));
  CHECK_THAT(text, Contains("cuda:1  NVIDIA H100, 80.0 GB (79.0 GB free), capability 9.0, 132"));
  CHECK_THAT(devices_text({{}, "there is none"}, 1), Contains("no graphics card: there is none\n"));
}

TEST_CASE("troupe devices succeeds with or without a card", "[devices]") {
  const WorkFolder folder;
  const auto ran = troupe_program(folder.path(), "devices");
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("cpu ") && (Contains("cuda:0") || Contains("no graphics card: ")));
}

TEST_CASE("without a card --gpu fails with the cure before a folder is made", "[devices]") {
  const WorkFolder folder;
  const auto ran = shell(folder.path(), "CUDA_VISIBLE_DEVICES= \"$troupe\" train --gpu -q");
  CHECK(ran.code == 69);
  CHECK_THAT(ran.error, Contains("train with training.device: cpu instead"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "runs"));
}

TEST_CASE("a configuration that no card can train is refused before a folder is made",
          "[devices]") {
  const WorkFolder folder;
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const auto ran = troupe_program(folder.path(), "train -q " + arguments);
    CAPTURE(arguments);
    CHECK(ran.code == 78);
    CHECK_THAT(ran.error, Contains(why));
  };
  refused("training.device=gpu", "there is no device 'gpu'; give cpu, cuda, or cuda:N");
  refused("--gpu model.name=lenet", "(conv2d) has no version for a graphics card");
  refused("--gpu training.threads=2", "training.threads is 2, but a graphics card trains");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "runs"));
}
