// Partitions of the rows that are kept by days: measurements by day, boards by month, UTC. Rows of times far from now lie in the default
// partition, so that a cell with a wrong clock makes no partitions.
#pragma once

#include <cstdint>
#include <functional>
#include <pqxx/pqxx>
#include <set>
#include <string>

#include "daemon/collect/batch_plan.h"
#include "daemon/collect/collect_settings.h"

namespace datum {

class Partitions {
 public:
  Partitions(const CollectSettings& settings, std::function<std::int64_t()> now_us)
      : measurement_days_(settings.measurement_days),
        board_days_(settings.board_days),
        now_us_(std::move(now_us)) {}

  void read(pqxx::transaction_base& work);
  /// Makes those that the rows need.
  void make_for(pqxx::transaction_base& work, const BatchRows& rows);
  /// Removes what is older than the settings keep it, by this computer's clock and the server's, whichever is behind.
  void remove_old(pqxx::connection& connection);

 private:
  void make(pqxx::transaction_base& work, const std::string& table, std::int64_t from_day,
            std::int64_t to_day);

  int measurement_days_, board_days_;
  std::function<std::int64_t()> now_us_;
  std::set<std::string> names_;       // that exist
  std::set<std::string> by_default_;  // whose rows lie in the default partition already
};

/// "20261121" of a day since 1970.
std::string day_name(std::int64_t day);
/// First days of the month that a day lies in, and of the next.
std::pair<std::int64_t, std::int64_t> month_of(std::int64_t day);

}  // namespace datum
