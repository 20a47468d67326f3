#include "daemon/store/chain_reader.h"

#include <fmt/format.h>

#include "daemon/store/store_rows.h"
#include "daemon/store/store_schema.h"

namespace datum {

ChainReader::ChainReader(const std::filesystem::path& store)
    : file_(store), db_(sqlite::open(store, SQLITE_OPEN_READONLY)) {
  sqlite3_busy_timeout(db_.get(), 2000);
  if (const auto schema = readable_schema(db_.get(), file_); schema < 3)
    throw StoreError(StoreError::Kind::corrupt,
                     fmt::format("{}: a store of schema {} is brought forward by its writer first",
                                 file_.string(), schema));
  sqlite::execute(db_.get(), file_, "BEGIN");
  id_ = store_id_of(db_.get(), file_);
  former_ = former_ids_of(db_.get(), file_);
}

ChainPlace ChainReader::head() const {
  sqlite::Statement row(
      db_.get(), file_,
      (std::string(link_columns) +
       "WHERE statement IS NULL OR statement NOT LIKE '{\"what\":\"removed\"%' ORDER BY link "
       "DESC LIMIT 1")
          .c_str());
  if (!row.step()) return {};
  const ChainEntry head = link_of(row);
  return {head.link, head.sha256};
}

std::optional<ChainPlace> ChainReader::place(std::uint64_t link) const {
  sqlite::Statement row(db_.get(), file_, (std::string(link_columns) + "WHERE link = ?1").c_str());
  row.bind(1, static_cast<std::int64_t>(link));
  if (!row.step()) return std::nullopt;
  return ChainPlace{link, row.text(3)};
}

std::string ChainReader::body_of(const ChainEntry& link, sqlite::Statement& row) const {
  const std::string& id = id_at_link(former_, link.link, id_);
  if (link.sequence == 0) return chain_body(id, link.statement);
  sqlite::Run result(row);
  result->bind(1, static_cast<std::int64_t>(link.sequence));
  if (!result->step())
    throw StoreError(StoreError::Kind::corrupt,
                     fmt::format("{}: result {} is missing", file_.string(), link.sequence));
  return chain_body(row_of(row, id));
}

void ChainReader::bodies_after(std::uint64_t link,
                               const std::function<bool(const ChainPlace&, const std::string&)>& take) const {
  sqlite::Statement links(db_.get(), file_,
                          (std::string(link_columns) + "WHERE link > ?1 ORDER BY link").c_str());
  links.bind(1, static_cast<std::int64_t>(link));
  sqlite::Statement result(db_.get(), file_, (std::string(result_columns) + "WHERE sequence = ?1").c_str());
  while (links.step()) {
    const ChainEntry at = link_of(links);
    if (!take({at.link, at.sha256}, body_of(at, result))) return;
  }
}

}  // namespace datum
