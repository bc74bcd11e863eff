#include "base/exit_codes.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Matchers::Contains;

namespace {

/// A folder with one short run.
struct TrainedFolder {
  TrainedFolder() {
    REQUIRE(troupe_program(work.path(), "train -q training.batches=2 " + small_digits).code == 0);
  }
  /// The program's message for a refused command.
  std::string refusal(ExitCode code, const std::string& arguments) const {
    const auto ran = troupe_program(work.path(), arguments);
    CHECK(ran.code == static_cast<int>(code));
    return ran.error;
  }
  WorkFolder work;
};

} // namespace

TEST_CASE("a refused export says why and writes no file", "[exchange]") {
  const TrainedFolder trained;
  CHECK_THAT(trained.refusal(ExitCode::usage, "export latest -o model.pt"),
             Contains("'model.pt' does not say its format") && Contains(".safetensors"));
  CHECK_THAT(trained.refusal(ExitCode::io, "export runs/none -o model.npz"),
             Contains("there is no 'runs/none'"));
  CHECK_THAT(trained.refusal(ExitCode::io, "export latest -o nowhere/model.npz"),
             Contains("nowhere"));
  const auto alone = troupe_program(trained.work.path(), "export latest -o model.npz");
  REQUIRE(alone.code == 0);
  CHECK_THAT(trained.refusal(ExitCode::io, "export model.npz -o model.onnx"),
             Contains("config.yaml") && Contains("folder of a run"));
  CHECK_FALSE(std::filesystem::exists(trained.work.path() / "model.onnx"));
}

TEST_CASE("a prediction from an input of the wrong shape is refused with both shapes",
          "[exchange]") {
  const TrainedFolder trained;
  REQUIRE(troupe_program(trained.work.path(), "export latest -o model.npz").code == 0);
  CHECK_THAT(trained.refusal(ExitCode::data, "predict latest -i model.npz:linear0.bias -o y.npy"),
             Contains("has the shape [16]") && Contains("[any, 28, 28]"));
  CHECK_THAT(trained.refusal(ExitCode::io, "predict latest -i none.npy -o y.npy"),
             Contains("none.npy does not exist"));
  CHECK_THAT(trained.refusal(ExitCode::usage, "predict latest -i none.npy -o y.txt"),
             Contains("'y.txt'") && Contains("ends in .npy"));
  CHECK_FALSE(std::filesystem::exists(trained.work.path() / "y.npy"));
}

TEST_CASE("parameters of another model are refused with the first difference", "[exchange]") {
  const TrainedFolder trained;
  const auto script = R"(
    first=$(readlink -f runs/latest)
    "$troupe" train -q training.batches=2 problem.train=600 model.hidden='[8]' >/dev/null
    cp runs/latest/state.bin "$first/other.bin"
    "$troupe" export "$first/other.bin" -o model.onnx)";
  const auto ran = shell(trained.work.path(), script);
  CHECK(ran.code == static_cast<int>(ExitCode::data));
  CHECK_THAT(ran.error, Contains("is not of the model") && Contains("linear0.weight"));
}
