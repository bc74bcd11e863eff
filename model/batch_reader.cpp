#include "troupe/model/batch_reader.hpp"

#include <exception>

namespace troupe {

void BatchReader::read(Step cursor, ReadBatch& batch) {
  batch.cursor = cursor;
  batch.error.clear();
  order_.rows(cursor, batch.rows);
  problem_->gather(Section::train, batch.rows, batch.batch);
}

void BatchReader::try_to_read(Step cursor, ReadBatch& batch) {
  try {
    read(cursor, batch);
  } catch (const std::exception& e) {
    batch.error = e.what();
  }
}

} // namespace troupe
