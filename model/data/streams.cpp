#include "model/data/streams.hpp"

#include <stdexcept>

namespace troupe {

Index streams_of(const DataSpec& data) {
  if (data.streams < 1)
    throw std::invalid_argument("carry: true carries the state from one batch to the next, but the "
                                "sequences of a batch do not continue in the next; set "
                                "problem.streams of text to training.batch_size, or remove carry");
  return data.streams;
}

void check_streams(const DataSpec& data, const BatchOrderOptions& order) {
  if (data.streams == 0)
    return;
  const auto because = "; the problem has " + std::to_string(data.streams)
                       + " streams that continue from batch to batch";
  if (order.batch_size != data.streams)
    throw std::invalid_argument("training.batch_size is " + std::to_string(order.batch_size)
                                + because + ", so set both to the same number");
  if (order.shuffle)
    throw std::invalid_argument("training.shuffle is true" + because + ", so set it to false");
  if (order.shards > 1)
    throw std::invalid_argument(std::to_string(order.shards)
                                + " workers share the training examples" + because
                                + ", so set training.workers to 1");
}

} // namespace troupe
