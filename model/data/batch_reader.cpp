#include "model/data/batch_reader.hpp"

#include "base/exception_text.hpp"

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
  } catch (...) {
    batch.error = exception_text();
  }
}

} // namespace troupe
