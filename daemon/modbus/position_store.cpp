#include "daemon/modbus/position_store.h"

#include "daemon/store/sqlite.h"

namespace datum::modbus {

HeldPosition highest_position(const std::filesystem::path& file, const std::string& store_id) {
  HeldPosition highest;
  if (!std::filesystem::exists(file)) return highest;
  for (const auto& [host, acknowledged] : PositionStore(file).load(store_id))
    if (acknowledged > highest.sequence) highest = {acknowledged, host};
  return highest;
}

struct PositionStore::Impl {
  std::filesystem::path file;
  sqlite::Connection db;
};

PositionStore::PositionStore(const std::filesystem::path& file)
    : impl_(new Impl{file, sqlite::open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)}) {
  sqlite::execute(impl_->db.get(), file, "PRAGMA journal_mode = WAL");
  sqlite::execute(impl_->db.get(), file, "PRAGMA synchronous = FULL");
  sqlite::execute(impl_->db.get(), file,
                  "CREATE TABLE IF NOT EXISTS position (host TEXT PRIMARY KEY, store_id TEXT NOT NULL, "
                  "acknowledged INTEGER NOT NULL)");
}

PositionStore::~PositionStore() = default;

std::map<std::string, std::uint64_t> PositionStore::load(const std::string& store_id) {
  std::map<std::string, std::uint64_t> positions;
  sqlite::Statement rows(impl_->db.get(), impl_->file,
                         "SELECT host, acknowledged FROM position WHERE store_id = ?1");
  rows.bind(1, store_id);
  while (rows.step()) positions[rows.text(0)] = static_cast<std::uint64_t>(rows.integer(1));
  return positions;
}

void PositionStore::save(const std::string& store_id, const std::map<std::string, std::uint64_t>& positions) {
  sqlite3* db = impl_->db.get();
  sqlite::execute(db, impl_->file, "BEGIN IMMEDIATE");
  try {
    sqlite::Statement put(db, impl_->file, "INSERT OR REPLACE INTO position VALUES (?1, ?2, ?3)");
    for (const auto& [host, acknowledged] : positions) {
      put.bind(1, host).bind(2, store_id).bind(3, static_cast<std::int64_t>(acknowledged)).step();
      put.reset();
    }
    sqlite::execute(db, impl_->file, "COMMIT");
  } catch (...) {
    sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

}  // namespace datum::modbus
