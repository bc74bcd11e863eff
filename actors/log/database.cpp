#include "actors/log/database.hpp"

#include <sqlite3.h>

#include <cmath>
#include <limits>

namespace troupe {

namespace {

std::string cure_of(int code, Database::Access access) {
  if (access == Database::Access::read && (code & 0xff) == SQLITE_CANTOPEN)
    return "name a store that a run with log.store.path has written";
  switch (code & 0xff) {
  case SQLITE_BUSY:
  case SQLITE_LOCKED: return "another program holds it; end that program or wait for it";
  case SQLITE_FULL: return "make room on its disk";
  case SQLITE_IOERR: return "see whether its disk is full or gone";
  case SQLITE_READONLY:
  case SQLITE_PERM:
  case SQLITE_AUTH:
  case SQLITE_CANTOPEN: return "name a file in a folder that is there and may be written";
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT: return "name another file, or move this one away";
  default: return "name another file";
  }
}

} // namespace

Database::Database(std::string path, Access access)
  : path_(std::move(path)),
    access_(access),
    connection_(nullptr, &sqlite3_close_v2) {
  sqlite3* connection = nullptr;
  const auto flags
    = access == Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const auto code = sqlite3_open_v2(path_.c_str(), &connection, flags, nullptr);
  connection_.reset(connection); // has to be closed even if opening failed
  if (code != SQLITE_OK)
    fail();
}

void Database::set_patience(std::chrono::milliseconds patience) {
  sqlite3_busy_timeout(connection_.get(), static_cast<int>(patience.count()));
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail();
}

void Database::roll_back() noexcept {
  if (sqlite3_get_autocommit(connection_.get()) == 0)
    sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Database::fail() const {
  const auto code = connection_ ? sqlite3_errcode(connection_.get()) : SQLITE_NOMEM;
  const std::string reason = connection_ ? sqlite3_errmsg(connection_.get()) : "out of memory";
  throw StoreError("the store '" + path_ + "' cannot be "
                   + (access_ == Access::write ? "written" : "read") + ": " + reason + "; "
                   + cure_of(code, access_));
}

Database::Statement::Statement(Database& database, const std::string& sql)
  : database_(&database),
    statement_(nullptr, &sqlite3_finalize) {
  sqlite3_stmt* statement = nullptr;
  const auto code
    = sqlite3_prepare_v2(database.connection_.get(), sql.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK)
    database.fail();
}

Database::Statement& Database::Statement::with(std::int64_t number) {
  sqlite3_bind_int64(statement_.get(), ++bound_, number);
  return *this;
}

Database::Statement& Database::Statement::with(const std::string& text) {
  sqlite3_bind_text(statement_.get(), ++bound_, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

Database::Statement& Database::Statement::with(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return with(*text);
  if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement_.get(), ++bound_, *real);
    return *this;
  }
  const auto* flag = std::get_if<bool>(&value);
  return with(flag != nullptr ? std::int64_t{*flag} : std::get<std::int64_t>(value));
}

bool Database::Statement::next() {
  const auto code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    database_->fail();
  return code == SQLITE_ROW;
}

void Database::Statement::run() {
  while (next()) {
  }
  sqlite3_reset(statement_.get());
  bound_ = 0;
}

std::int64_t Database::Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Database::Statement::real(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL
           ? std::numeric_limits<double>::quiet_NaN()
           : sqlite3_column_double(statement_.get(), column);
}

std::string Database::Statement::text(int column) const {
  const auto* letters = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return letters == nullptr ? "" : std::string{reinterpret_cast<const char*>(letters), size};
}

Value Database::Statement::value(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
  case SQLITE_INTEGER: return Value{number(column)};
  case SQLITE_FLOAT:
  case SQLITE_NULL: return Value{real(column)};
  default: return Value{text(column)};
  }
}

} // namespace troupe
