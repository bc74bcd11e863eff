// What a model learns from: a problem gives named inputs and targets, and says of each what it
// looks like, so that a model is built without repeating sizes and a mismatch is found before the
// first batch (handshake.hpp).
#pragma once

#include "model/data/batch.hpp"
#include "model/tensor/layout.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

enum class Section { train, validation, test };

std::string to_string(Section section); ///< "train", "validation", "test"

enum class ElementType {
  float32,     ///< a number
  class_index, ///< a class, 0 .. classes - 1
};

std::string to_string(ElementType type); ///< "float32", "class_index"

inline constexpr std::int32_t masked_class = -1; ///< in a masked field: this place does not count

/// One named array of every batch.
struct FieldSpec {
  std::string name;
  ElementType type = ElementType::float32;
  Shape shape;       ///< the first size is the batch's, `any_size`; [any, 28, 28]
  Index classes = 0; ///< number of classes where the type is class_index; where float32 holds whole
                     ///< numbers that stand for tokens, how many tokens there are; else 0
  bool masked = false; ///< some are `masked_class`: no class to predict; padding behind tokens
  double unit = 1;     ///< of a target that was standardised: its 1 is so much in the data's own
                       ///< unit, in which metrics are told
  FIELDS(name, type, shape, classes, masked, unit);

  Index width() const; ///< elements per example: the product of shape without its first size
};

/// "images float32 [any, 28, 28]"
std::string to_string(const FieldSpec& field);

struct DataSpec {
  std::vector<FieldSpec> inputs;
  std::vector<FieldSpec> targets;
  Index streams = 0; ///< row k + streams goes on where row k ends; 0: rows stand by themselves
  FIELDS(inputs, targets, streams);
};

/// A source of examples in three sections.
///
/// All functions are const and safe to call from several threads at once: the trainers of one
/// process and its evaluator share one problem. Nothing random happens here: which rows are asked
/// for, and in which order, is BatchOrder's matter.
class Problem {
public:
  virtual ~Problem() = default;

  virtual std::string name() const = 0;
  virtual const DataSpec& spec() const = 0;

  /// Examples in the section; may be 0 for validation and test.
  virtual Index size(Section section) const = 0;

  /// True where rows beyond `size(train)` exist, without end: epoch e then reads the rows from
  /// e * size(train) on, whichever worker reads them, so that a row tells of its epoch.
  virtual bool endless() const { return false; }

  /// How many passes over the training section there are; 0: as many as anyone wants.
  virtual Epoch epochs() const { return 0; }

  /// How many epochs it takes until training examples no longer become harder; 0: no curriculum.
  virtual Epoch curriculum_epochs() const { return 0; }

  /// The length of the longest training sequences of an epoch; 0: no curriculum.
  virtual Index curriculum_length(Epoch) const { return 0; }

  /// Whether a loss that is good enough may end the run only after those epochs.
  virtual bool curriculum_must_finish() const { return true; }

  /// Copies examples into `batch`, in the order of `rows` (0 .. size - 1; any number where
  /// endless). Implementations set `batch.size` to their number, and resize `batch.inputs` and
  /// `batch.targets` to what `spec` says of so many, as `resize` of problems/split.hpp does, so
  /// that the memory of earlier batches is reused.
  virtual void gather(Section section, std::span<const Index> rows, Batch& batch) const = 0;

  /// What the classes are called, for people; empty where they have only numbers.
  virtual std::vector<std::string> class_names() const { return {}; }

  /// What its files have been read as, for people, a line for each thing that they may have meant
  /// otherwise.
  virtual std::vector<std::string> reading() const { return {}; }
};

} // namespace troupe
