#include "cuda/card_run.hpp"

namespace troupe {

namespace {

class CudaLibrary : public DeviceLibrary {
public:
  std::vector<DeviceFacts> devices(std::string& why) override {
    int count = 0;
    const auto result = cudaGetDeviceCount(&count);
    if (result == cudaErrorInsufficientDriver || result == cudaErrorStubLibrary) {
      why = "this machine has no driver for NVIDIA's graphics cards, or one older than CUDA "
            + version_text() + " needs; install a newer one";
      return {};
    }
    if (result == cudaErrorNoDevice || (result == cudaSuccess && count == 0)) {
      why = "this machine has no graphics card that CUDA can use; if there is one, "
            "CUDA_VISIBLE_DEVICES may hide it";
      return {};
    }
    if (result != cudaSuccess) {
      why = std::string{"CUDA cannot list the graphics cards ("} + cudaGetErrorString(result)
            + "); run nvidia-smi to see whether the driver works";
      return {};
    }
    std::vector<DeviceFacts> all;
    for (int i = 0; i < count; ++i)
      all.push_back(facts_of(i));
    return all;
  }

  std::unique_ptr<DeviceRun> begin(const DevicePlan& plan) override {
    return std::make_unique<CardRun>(plan);
  }

private:
  static std::string version_text() {
    return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
  }

  static DeviceFacts facts_of(int number) {
    cudaDeviceProp properties{};
    check_cuda(cudaGetDeviceProperties(&properties, number), "listing cards");
    DeviceFacts facts;
    facts.number = number;
    facts.name = properties.name;
    facts.bytes = properties.totalGlobalMem;
    facts.free_bytes = properties.totalGlobalMem;
    facts.major = properties.major;
    facts.minor = properties.minor;
    facts.processors = properties.multiProcessorCount;
    std::size_t free = 0, total = 0;
    if (cudaSetDevice(number) == cudaSuccess && cudaMemGetInfo(&free, &total) == cudaSuccess)
      facts.free_bytes = free;
    return facts;
  }
};

} // namespace

extern "C" DeviceLibrary* troupe_device_library_1() {
  static CudaLibrary library;
  return &library;
}

} // namespace troupe
