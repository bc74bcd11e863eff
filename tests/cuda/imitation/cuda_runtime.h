// A card that is imitated on the host, with as much of CUDA's interface as cuda/ uses, so that its
// sources run without a card. The threads of a block are fibers that take turns at barriers; blocks
// and launches follow each other, so that no race shows. New memory holds NaN.
#pragma once

#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#define __host__
#define __device__
#define __global__
#define __shared__ static // blocks follow each other, and fibers share what is static
#define CUDART_VERSION 13000

// -- threads ---------------------------------------------------------------------------------------

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

inline dim3 threadIdx{}, blockIdx{}, blockDim{}, gridDim{};

namespace imitation {

constexpr std::size_t stack_bytes = 32768;
constexpr unsigned warp_size = 32;

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<char[]> stack;
  dim3 place;
  bool done = false;
};

/// The running block.
struct RunningBlock {
  std::vector<Fiber> fibers;
  ucontext_t main{};
  unsigned current = 0;
  std::function<void()> body;
  double exchanged[1024] = {};
};

inline RunningBlock running;

inline void enter() {
  running.body();
  running.fibers[running.current].done = true;
  swapcontext(&running.fibers[running.current].context, &running.main);
}

inline void give_way() {
  swapcontext(&running.fibers[running.current].context, &running.main);
}

/// Every fiber runs until its next barrier; between two barriers of a kernel all take one turn.
inline void run_block(unsigned threads) {
  if (running.fibers.size() < threads)
    running.fibers.resize(threads);
  for (unsigned t = 0; t < threads; ++t) {
    auto& fiber = running.fibers[t];
    if (!fiber.stack)
      fiber.stack = std::make_unique<char[]>(stack_bytes);
    fiber.done = false;
    fiber.place = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = &running.main;
    makecontext(&fiber.context, enter, 0);
  }
  for (auto any = true; any;) {
    any = false;
    for (unsigned t = 0; t < threads; ++t) {
      if (running.fibers[t].done)
        continue;
      any = true;
      running.current = t;
      threadIdx = running.fibers[t].place;
      swapcontext(&running.main, &running.fibers[t].context);
    }
  }
}

inline std::recursive_mutex& card() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// What is launched while a graph is captured.
inline std::vector<std::function<void()>>* capturing = nullptr;

inline void carry_out(std::function<void()> work) {
  const std::lock_guard lock{card()};
  if (capturing != nullptr)
    capturing->push_back(std::move(work));
  else
    work();
}

template <class Kernel>
auto launch(Kernel kernel, dim3 grid, dim3 block) {
  return [=](auto... arguments) {
    carry_out([=] {
      gridDim = grid;
      blockDim = block;
      running.body = [=] { kernel(arguments...); };
      for (unsigned b = 0; b < grid.x; ++b) {
        blockIdx = {b};
        run_block(block.x * block.y * block.z);
      }
    });
  };
}

} // namespace imitation

inline void __syncthreads() { imitation::give_way(); }

template <class T>
T __shfl_xor_sync(unsigned, T value, int distance) {
  auto& block = imitation::running;
  const auto t = block.current;
  block.exchanged[t] = static_cast<double>(value);
  imitation::give_way();
  const auto other = static_cast<T>(block.exchanged[t ^ static_cast<unsigned>(distance)]);
  imitation::give_way();
  return other;
}

using std::isfinite;

// -- the runtime -----------------------------------------------------------------------------------

enum cudaError_t {
  cudaSuccess,
  cudaErrorInsufficientDriver,
  cudaErrorStubLibrary,
  cudaErrorNoDevice,
  cudaErrorNotReady,
  cudaErrorInvalidValue
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum { cudaHostAllocDefault, cudaStreamNonBlocking, cudaEventDisableTiming };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };

struct ImitatedStream {};
struct ImitatedEvent {};
struct ImitatedGraph {
  std::vector<std::function<void()>> work;
};
using cudaStream_t = ImitatedStream*;
using cudaEvent_t = ImitatedEvent*;
using cudaGraph_t = ImitatedGraph*;
using cudaGraphExec_t = ImitatedGraph*;

struct cudaDeviceProp {
  char name[64];
  std::size_t totalGlobalMem;
  int major, minor, multiProcessorCount;
};

inline const char* cudaGetErrorString(cudaError_t) { return "the imitated card failed"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) {
  const auto* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  *count = visible != nullptr && *visible == 0 ? 0 : 1;
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
inline cudaError_t cudaSetDevice(int number) {
  return number == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int) {
  *to = {"imitated card", std::size_t{4} << 30, 9, 0, 1};
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{4} << 30;
  return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** to, std::size_t bytes) {
  *to = std::malloc(bytes);
  std::memset(*to, 0xFF, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaHostAlloc(void** to, std::size_t bytes, int) { return cudaMalloc(to, bytes); }
inline cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t) {
  return imitation::capturing != nullptr ? cudaErrorInvalidValue
                                         : cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, int) {
  *stream = new ImitatedStream;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return imitation::capturing != nullptr ? cudaErrorInvalidValue : cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, int) {
  *event = new ImitatedEvent;
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, int) { return cudaSuccess; }
inline cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  imitation::card().lock();
  imitation::capturing = new std::vector<std::function<void()>>;
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = new ImitatedGraph{std::move(*imitation::capturing)};
  delete std::exchange(imitation::capturing, nullptr);
  imitation::card().unlock();
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* to, cudaGraph_t graph, int) {
  *to = new ImitatedGraph{*graph};
  return cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return cudaGraphDestroy(graph); }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t) {
  const std::lock_guard lock{imitation::card()};
  for (const auto& work : graph->work)
    work();
  return cudaSuccess;
}
