// What a model learns from: a problem provides named inputs and targets and describes each, so that
// a model is built without repeating sizes and a mismatch is found before the first batch
// (compatibility.hpp).
#pragma once

#include "base/text/enum_names.hpp"
#include "model/data/batch.hpp"
#include "model/tensor/layout.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// A part of the data.
enum class Section {
  train,      ///< the model learns from it
  validation, ///< measured during training, to choose settings and the best model
  test,       ///< measured at the end
};
/// How configurations write the values.
constexpr auto enum_names(Section) { return name_list("train", "validation", "test"); }

/// What an element of a field is.
enum class ElementType {
  float32,     ///< a number
  class_index, ///< a class, 0 .. classes - 1
};
/// How configurations write the values.
constexpr auto enum_names(ElementType) { return name_list("float32", "class_index"); }

inline constexpr std::int32_t masked_class = -1; ///< in a masked field: this position does not
                                                 ///< count

/// One named array of every batch.
struct FieldSpec {
  std::string name; ///< "images"; unique among the inputs, and among the targets
  ElementType type = ElementType::float32; ///< of each element
  Shape shape;         ///< the first dimension is the batch, `any_size`; [any, 28, 28]
  Index classes = 0;   ///< number of classes of a class_index; vocabulary size where float32 holds
                       ///< tokens as integers; else 0
  bool masked = false; ///< some elements are `masked_class`: no class to predict, or padding after
                       ///< tokens
  double unit = 1; ///< scale of a standardised target: 1 is this much in the data's own unit, in
                   ///< which metrics are reported
  TROUPE_FIELDS(name, type, shape, classes, masked, unit);

  Index width() const; ///< elements per example: the product of shape without its first dimension
};

/// "images float32 [any, 28, 28]"
std::string to_string(const FieldSpec& field);

/// The fields of a problem's batches.
struct DataSpec {
  std::vector<FieldSpec> inputs;  ///< in their order in each batch
  std::vector<FieldSpec> targets; ///< in their order in each batch
  Index streams = 0;              ///< row k + streams continues row k; 0: rows are independent
  TROUPE_FIELDS(inputs, targets, streams);
};

/// A source of examples in three sections.
///
/// All functions are const and safe to call from several threads at once: the trainers of one
/// process and its evaluator share one problem. A problem draws no random rows: BatchOrder decides
/// which rows are read, and in which order.
class Problem {
public:
  virtual ~Problem() = default;

  /// As the configuration calls it: "csv".
  virtual std::string name() const = 0;
  /// The same as long as the problem lives.
  virtual const DataSpec& spec() const = 0;

  /// Examples in the section; may be 0 for validation and test.
  virtual Index size(Section section) const = 0;

  /// True if rows beyond `size(train)` exist, without end: epoch e then reads the rows from
  /// e * size(train) on, on any worker, so that a row determines its epoch.
  virtual bool endless() const { return false; }

  /// The number of passes over the training section; 0: no limit.
  virtual Epoch epochs() const { return 0; }

  /// The number of epochs until training examples have their full difficulty; 0: no curriculum.
  virtual Epoch curriculum_epochs() const { return 0; }

  /// The length of the longest training sequences in an epoch; 0: no curriculum.
  virtual Index curriculum_length(Epoch) const { return 0; }

  /// True if a good loss may end the run only after these epochs.
  virtual bool curriculum_must_finish() const { return true; }

  /// Copies examples into `batch`, in the order of `rows` (0 .. size - 1; any number where
  /// endless). Implementations set `batch.size`, and resize `batch.inputs` and `batch.targets` as
  /// `spec` says, for instance with `resize` of split.hpp, so that the memory of earlier batches is
  /// reused.
  virtual void gather(Section section, std::span<const Index> rows, Batch& batch) const = 0;

  /// Names of the classes, for display; empty if they have only numbers.
  virtual std::vector<std::string> class_names() const { return {}; }

  /// How the problem reads its files: a line for each point that may not be as they
  /// intended.
  virtual std::vector<std::string> reading_notes() const { return {}; }
};

} // namespace troupe
