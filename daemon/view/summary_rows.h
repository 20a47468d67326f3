// Rows of the index's table `summary`: a BoardSummary as bytes. Its words are numbers of the table `word`, so that another program
// version reads them. A row's bytes are those of this computer: the index never leaves it.
#pragma once

#include <filesystem>
#include <optional>
#include <unordered_map>
#include <vector>

#include "daemon/report/lot.h"
#include "daemon/report/read_result.h"
#include "daemon/store/sqlite.h"

namespace datum {

class SummaryWriter {
 public:
  SummaryWriter(sqlite3* db, const std::filesystem::path& file);
  void add(const StoredResult& result, const ReadResult& read);

 private:
  std::uint32_t stored_id(std::uint32_t word);

  WordBook words_;
  std::vector<std::uint32_t> stored_;  // by number of words_; 0: not yet
  sqlite::Statement word_, id_, summary_;
};

class SummaryReader {
 public:
  /// Words of the summaries are of `words`.
  SummaryReader(sqlite3* db, const std::filesystem::path& file, WordBook& words);
  /// None: the index does not have it.
  std::optional<BoardSummary> read(std::uint64_t sequence);

 private:
  std::uint32_t word_of(std::uint32_t stored);

  WordBook& words_;
  std::unordered_map<std::uint32_t, std::uint32_t> known_;
  sqlite::Statement text_, summary_;
};

}  // namespace datum
