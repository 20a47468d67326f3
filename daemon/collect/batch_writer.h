// Writes batches of messages into the database: all of a batch in one transaction, or nothing of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/collect/batch_plan.h"
#include "daemon/collect/collect_settings.h"
#include "daemon/collect/database.h"
#include "daemon/collect/partitions.h"

namespace datum {

struct BatchReport {
  std::uint64_t entries = 0, results = 0, measurements = 0, repeated = 0;
  std::vector<std::string> alarms;  // that were not seen before, in words
};

class BatchWriter {
 public:
  /// `now_us`: since 1970, for the age of what is removed. Throws what Database throws.
  BatchWriter(const std::string& connection_string, const CollectSettings& settings,
              std::function<std::int64_t()> now_us);

  /// When it returns, all of it is committed, and each message may be accepted. A message that the database refuses is committed as an alarm.
  /// Throws DatabaseAway: nothing is committed, or it is not known whether; make another writer and give it the batch again.
  BatchReport write(const std::vector<Delivered>& batch);
  /// Removes rows that are older than the settings keep them, and nothing else.
  void remove_old();
  Database& database() { return database_; }

 private:
  BatchReport write_part(const std::vector<Delivered>& batch, std::size_t first, std::size_t last);
  BatchReport commit(const std::function<void(BatchPlan&)>& fill, const Wanted& wanted);
  KnownBefore look_up(pqxx::transaction_base& work, const Wanted& wanted) const;

  const CollectSettings& settings_;
  Database database_;
  std::set<std::string> refused_;
  Catalogue catalogue_;
  Partitions partitions_;
};

/// COPY of a plan's boards and of its measurements into a table of such rows.
void copy_boards(pqxx::transaction_base& work, const char* table, const BatchRows& rows);
void copy_measurements(pqxx::transaction_base& work, const char* table, const BatchRows& rows);

/// Adds the rows of a plan; returns the alarms that are new.
std::vector<std::string> add_rows(pqxx::transaction_base& work, const BatchRows& rows);

}  // namespace datum
