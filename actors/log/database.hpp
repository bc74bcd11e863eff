// RAII wrappers for SQLite.
#pragma once

#include "base/failure.hpp"
#include "base/records.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace troupe {

/// A store that cannot be read or written; the message has the reason and the cure.
class StoreError : public IoError {
  using IoError::IoError;
};

/// A connection to a database in a file.
class Database {
public:
  enum class Access { read, write }; ///< write: creates a missing file

  /// One statement; its parameters `?1`, `?2` ... are bound in order.
  class Statement {
  public:
    Statement& with(std::int64_t number);
    Statement& with(const std::string& text);
    /// Binds a truth value as 0 or 1, and NaN as NULL: SQLite has neither.
    Statement& with(const Value& value);
    /// Advances to the next row of the result. @returns false after the last one. @throws
    /// StoreError
    bool next();
    /// Runs a statement without a result, and resets it for other parameters.
    void run();

    std::int64_t number(int column) const;
    double real(int column) const; ///< NULL: NaN
    std::string text(int column) const;
    Value value(int column) const; ///< NULL: NaN

  private:
    friend class Database;
    Statement(Database& database, const std::string& sql);
    Database* database_;
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
    int bound_ = 0;
  };

  /// @throws StoreError if the file cannot be opened. A file that is no database is only detected
  /// at the first statement.
  Database(std::string path, Access access);

  /// How long a statement waits for another program that locks the file.
  void set_patience(std::chrono::milliseconds patience);
  /// @throws StoreError
  Statement prepare(const std::string& sql) { return {*this, sql}; }
  void run(const std::string& sql);
  /// Rolls back the open transaction, if there is one.
  void roll_back() noexcept;

private:
  [[noreturn]] void fail() const;

  std::string path_;
  Access access_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection_;
};

} // namespace troupe
