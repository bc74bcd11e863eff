#include "actors/checkpoint/separate_parts.hpp"

#include "actors/log/record_file.hpp"
#include "base/files/durable_file.hpp"
#include "model/formats/safetensors.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace troupe {

namespace {

std::uint64_t write_tensors(const std::filesystem::path& path, const NamedParameters& tensors) {
  DurableFile file{path};
  std::uint64_t size = 0;
  write_safetensors(
    [&](const void* data, std::size_t bytes) {
      file.write(data, bytes);
      size += bytes;
    },
    tensors);
  file.commit();
  return size;
}

NamedParameters parameters_for_others(const SavedTrainer& trainer) {
  return {trainer.layout,
          trainer.parameters.values,
          {{"batches", std::to_string(trainer.position.batches)}}};
}

/// Each slot of each parameter becomes an array "<parameter>.<slot>".
NamedParameters slots_for_others(const SavedTrainer& trainer) {
  NamedParameters slots;
  slots.metadata = {{"batches", std::to_string(trainer.position.batches)},
                    {"steps", std::to_string(trainer.optimizer_steps)}};
  for (const auto& [name, value] : trainer.settings)
    slots.metadata[name] = shortest(value);
  for (const auto& slot : trainer.optimizer_slots)
    for (const auto& parameter : trainer.layout.parameters())
      slots.layout.add(parameter.name + "." + slot.name, parameter.shape);
  slots.values = Block::uninitialized(slots.layout.size());
  auto to = slots.values.edit().begin();
  for (const auto& slot : trainer.optimizer_slots) {
    const auto from = slot.values.view();
    to = std::copy(from.begin(), from.end(), to);
  }
  return slots;
}

/// An object for each worker, in their order.
std::string positions_text(const std::vector<SavedTrainer>& trainers) {
  auto workers = nlohmann::ordered_json::array();
  const auto count = [](std::uint64_t x) { return Value{static_cast<std::int64_t>(x)}; };
  for (const auto& trainer : trainers) {
    const auto& position = trainer.position;
    Records records{{"batches", count(position.batches)},
                    {"epochs", count(position.epochs)},
                    {"examples", count(position.examples)},
                    {"seconds", Value{position.seconds}},
                    {"training_seconds", Value{position.training_seconds}},
                    {"loss", Value{trainer.loss}},
                    {"learning_rate", Value{trainer.learning_rate}}};
    for (const auto& [timeline, time] : position.timelines)
      records[timeline] = Value{time};
    workers.push_back(json_of(records));
  }
  return json_line({{"workers", workers}});
}

/// Copies the complete lines among the first bytes of a log; later rows follow them.
std::uint64_t copy_log(const LogLength& log, const std::filesystem::path& path) {
  std::ifstream from{log.path, std::ios::binary};
  if (!from)
    throw IoError("cannot read the log '" + log.path
                  + "' for the part 'log'; leave it out of checkpoint.separate");
  DurableFile file{path};
  std::string text;
  std::uint64_t left = log.bytes, written = 0;
  std::vector<char> piece(std::size_t{1} << 20);
  while (left > 0) {
    from.read(piece.data(),
              static_cast<std::streamsize>(std::min<std::uint64_t>(piece.size(), left)));
    const auto got = static_cast<std::size_t>(from.gcount());
    if (got == 0)
      break;
    left -= got;
    text.append(piece.data(), got);
    const auto whole = text.rfind('\n') + 1; // npos + 1 is 0
    file.write(text.data(), whole);
    written += whole;
    text.erase(0, whole);
  }
  file.commit();
  return written;
}

} // namespace

std::filesystem::path path_of_part(const std::filesystem::path& state, SeparatePart part) {
  const auto ending = [&]() -> std::string {
    switch (part) {
    case SeparatePart::parameters: break;
    case SeparatePart::model:
    case SeparatePart::optimizer: return ".safetensors";
    case SeparatePart::log: return ".jsonl";
    case SeparatePart::position: return ".json";
    }
    return state.extension().string();
  };
  auto path = state;
  path.replace_filename(state.stem().string() + "_" + to_string(part) + ending());
  return path;
}

std::uint64_t write_part(const std::filesystem::path& state, SeparatePart part,
                         const WriteRun& request) {
  const auto path = path_of_part(state, part);
  const auto& trainers = request.run.trainers;
  switch (part) {
  case SeparatePart::parameters: return save_run(path, request.run, RunPart::parameters);
  case SeparatePart::model: return write_tensors(path, parameters_for_others(trainers.at(0)));
  case SeparatePart::optimizer: return write_tensors(path, slots_for_others(trainers.at(0)));
  case SeparatePart::log: return copy_log(request.log_file, path);
  case SeparatePart::position: break;
  }
  const auto text = positions_text(trainers);
  write_file(path, text);
  return text.size();
}

} // namespace troupe
