#include "model/device/devices.hpp"

#include "base/text/byte_size.hpp"
#include "base/text/text.hpp"

#include <dlfcn.h>

namespace troupe {

namespace {

constexpr int least_capability = 8; // major; older cards lack tf32 and bfloat16

struct LoadedLibrary {
  DeviceLibrary* library = nullptr;
  std::string without;
};

LoadedLibrary load_library() {
  // Never closed: CUDA's threads must not outlive their code.
  auto* const handle = dlopen(device_library_name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string why = dlerror();
    const auto missing = why.starts_with(device_library_name);
    return {nullptr, missing ? "this program is built without CUDA, which a graphics card needs; "
                               "install CUDA, configure with -DTROUPE_CUDA=ON and build "
                               "(docs/how-to/gpu.md)"
                             : "the library " + std::string{device_library_name}
                                 + " cannot be loaded (" + why
                                 + "); put CUDA's libraries on LD_LIBRARY_PATH "
                                   "(docs/how-to/gpu.md)"};
  }
  auto* const entry = dlsym(handle, device_entry);
  if (entry == nullptr)
    return {nullptr, std::string{device_library_name}
                       + " has another version than this program; rebuild both"};
  return {reinterpret_cast<DeviceEntry>(entry)(), ""};
}

const LoadedLibrary& loaded_library() {
  static const auto loaded = load_library();
  return loaded;
}

} // namespace

DeviceChoice device_choice(const std::string& text) {
  if (text == "cpu")
    return {};
  if (text == "cuda")
    return {true, 0};
  constexpr std::string_view prefix = "cuda:";
  int number = 0;
  const auto digits = text.starts_with(prefix) ? text.substr(prefix.size()) : "";
  if (!is_digits(digits) || digits.size() >= 4)
    throw std::invalid_argument("there is no device '" + text
                                + "'; give cpu, cuda, or cuda:N for card N as `troupe devices` "
                                  "lists them");
  for (const auto digit : digits)
    number = 10 * number + (digit - '0');
  return {true, number};
}

DeviceList list_devices() {
  const auto& loaded = loaded_library();
  DeviceList list{{}, loaded.without};
  if (loaded.library != nullptr)
    list.cards = loaded.library->devices(list.without);
  return list;
}

DeviceFacts usable_card(int number, std::uint64_t bytes) {
  const auto list = list_devices();
  const auto cpu = "; train with training.device: cpu instead";
  if (list.cards.empty())
    throw NoDevice(list.without + cpu);
  for (const auto& card : list.cards) {
    if (card.number != number)
      continue;
    const auto who = "card cuda:" + std::to_string(number) + " (" + card.name + ")";
    if (card.major < least_capability)
      throw NoDevice(who + " has compute capability " + std::to_string(card.major) + "."
                     + std::to_string(card.minor) + "; Troupe needs "
                     + std::to_string(least_capability) + ".0 or more" + cpu);
    if (card.free_bytes < bytes)
      throw NoDevice(
        who + " has " + byte_size_text(card.free_bytes) + " of free memory, and the run needs "
        + byte_size_text(bytes)
        + "; end what else runs there, or give a smaller batch_size, a smaller model or another "
          "card");
    return card;
  }
  throw NoDevice("there is no card cuda:" + std::to_string(number) + ": this machine has "
                 + std::to_string(list.cards.size())
                 + ", numbered from 0; `troupe devices` lists them");
}

std::unique_ptr<DeviceRun> begin_device_run(const DevicePlan& plan) {
  usable_card(plan.device, 0);
  return loaded_library().library->begin(plan);
}

} // namespace troupe
