// A statement of SQLite as a value that cleans up after itself.
#pragma once

#include <cstdint>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <utility>

namespace mirab::service {

/// A statement that was prepared once. Reset when it goes out of use.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& text) {
    sqlite3_prepare_v3(database, text.c_str(), static_cast<int>(text.size()) + 1, SQLITE_PREPARE_PERSISTENT,
                       &handle_, nullptr);
  }
  ~Statement() { sqlite3_finalize(handle_); }
  Statement(Statement&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;

  Statement& bind(int at, std::uint64_t number) {
    sqlite3_bind_int64(handle_, at, static_cast<sqlite3_int64>(number));
    return *this;
  }
  /// The text must live until the statement is reset.
  Statement& bind(int at, std::string_view text) {
    sqlite3_bind_text64(handle_, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
  }
  Statement& bind(int at, double number) {
    sqlite3_bind_double(handle_, at, number);
    return *this;
  }
  Statement& bind_bytes(int at, std::string_view bytes) {
    sqlite3_bind_blob64(handle_, at, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
    return *this;
  }
  int step() { return handle_ == nullptr ? SQLITE_ERROR : sqlite3_step(handle_); }
  /// Runs to the end, and is ready for the next time.
  int run() {
    int code = step();
    while (code == SQLITE_ROW) code = step();
    reset();
    return code == SQLITE_DONE ? SQLITE_OK : code;
  }
  void reset() {
    if (handle_ == nullptr) return;  // it could not be prepared: the file is of another form
    sqlite3_reset(handle_);
    sqlite3_clear_bindings(handle_);
  }
  std::uint64_t number(int at) const { return static_cast<std::uint64_t>(sqlite3_column_int64(handle_, at)); }
  double real(int at) const { return sqlite3_column_double(handle_, at); }
  std::string text(int at) const {
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(handle_, at));
    return bytes == nullptr ? std::string()
                            : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_, at)));
  }

 private:
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace mirab::service
