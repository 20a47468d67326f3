// Rows for PostgreSQL: arrays as parameters of a statement, and COPY.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

/// An array's literal, for a parameter "$1::bigint[]".
class SqlArray {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> SqlArray& add(T value) { return put(fmt::format("{}", value)); }
  SqlArray& add(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return put(quoted + '"');
  }
  template <class T>
  SqlArray& add(const std::optional<T>& value) {
    return value ? add(*value) : put("NULL");
  }
  SqlArray& add_text(const std::string& plain) { return put(plain); }
  std::string text() const { return '{' + elements_ + '}'; }

 private:
  SqlArray& put(std::string_view element) {
    if (!elements_.empty()) elements_ += ',';
    elements_ += element;
    return *this;
  }
  std::string elements_;
};

/// "2026-11-21 07:18:17.123456+00" of microseconds since 1970.
std::string sql_time(std::int64_t utc_us);
/// Bytes as "\x...".
std::string sql_bytes(std::string_view bytes);

template <class... Parameters>
pqxx::result run(pqxx::transaction_base& work, const std::string& sql, const Parameters&... parameters) {
#if PQXX_VERSION_MAJOR > 7 || (PQXX_VERSION_MAJOR == 7 && PQXX_VERSION_MINOR >= 9)
  return work.exec(sql, pqxx::params{parameters...});
#else
  return work.exec_params(sql, parameters...);
#endif
}

/// COPY into one table of the search path.
template <std::size_t columns>
class CopyRows {
 public:
  CopyRows(pqxx::transaction_base& work, const char* table, const std::array<std::string, columns>& names)
#if PQXX_VERSION_MAJOR >= 7
      : stream_(pqxx::stream_to::raw_table(work, table, work.conn().quote_columns(names))){}
#else
      : stream_(work, table, names) {
  }
#endif
        /// Null pointer: null.
        void add(const std::array<const char*, columns>& row) {
    stream_ << row;
  }
  void end() { stream_.complete(); }

 private:
  pqxx::stream_to stream_;
};

/// Texts of numbers for one row, without an allocation each.
class NumberTexts {
 public:
  template <class T>
  const char* operator()(T value) {
    char* const begin = at_;
    at_ = fmt::format_to(at_, "{}", value);
    *at_++ = '\0';
    return begin;
  }
  void clear() { at_ = buffer_.data(); }

 private:
  std::array<char, 512> buffer_{};
  char* at_ = buffer_.data();
};

}  // namespace datum
