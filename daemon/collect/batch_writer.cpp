#include "daemon/collect/batch_writer.h"

#include <fmt/format.h>

#include "config/toml_reader.h"
#include "daemon/collect/sql_rows.h"
#include "daemon/sign/hex.h"

namespace datum {
namespace {

void add(BatchReport& to, BatchReport&& part) {
  to.entries += part.entries;
  to.results += part.results;
  to.measurements += part.measurements;
  to.repeated += part.repeated;
  for (std::string& alarm : part.alarms) to.alarms.push_back(std::move(alarm));
}

std::string bytes_of(const char* hex_with_mark) {  // "\x..." of a bytea
  const auto bytes = bytes_of_hex(std::string_view(hex_with_mark).substr(2));
  return bytes ? std::string(bytes->begin(), bytes->end()) : std::string();
}

}  // namespace

BatchWriter::BatchWriter(const std::string& connection_string, const CollectSettings& settings,
                         std::function<std::int64_t()> now_us)
    : settings_(settings), database_(connection_string), partitions_(settings, std::move(now_us)) {
  with_database_errors([&] {
    pqxx::work work(database_.connection());
    catalogue_ = read_catalogue(work, refused_);
    partitions_.read(work);
  });
}

KnownBefore BatchWriter::look_up(pqxx::transaction_base& work, const Wanted& wanted) const {
  KnownBefore known;
  if (!wanted.entries.empty()) {
    SqlArray stores, links;
    for (const auto& [store, link] : wanted.entries) {
      stores.add(store);
      links.add(link);
    }
    for (const auto& row :
         run(work,
             "SELECT i.store, i.link, encode(i.sha256, 'hex'), encode(i.before, 'hex'), u.body::text "
             "FROM unnest($1::int[], $2::bigint[]) x(store, link) JOIN inbox i USING (store, link) "
             "LEFT JOIN unproven u USING (store, link)",
             stores.text(), links.text())) {
      KnownEntry& entry = known.entries[{row[0].as<int>(), row[1].as<std::uint64_t>()}];
      entry.sha256 = row[2].c_str();
      if (!row[3].is_null()) entry.before = row[3].c_str();
      if (!row[4].is_null()) entry.unproven_body = bytes_of(row[4].c_str());
    }
  }
  if (!wanted.units.empty()) {
    SqlArray products, units, cells;
    for (const UnitKey& key : wanted.units) {
      products.add(key.product);
      units.add(key.unit);
      cells.add(key.cell);
    }
    for (const auto& row : run(work,
                               "SELECT u.product, u.unit, u.cell FROM unnest($1::int[], $2::text[], "
                               "$3::int[]) x(product, unit, cell) "
                               "JOIN unit u USING (product, unit, cell)",
                               products.text(), units.text(), cells.text()))
      known.units.insert({row[0].as<int>(), row[1].c_str(), row[2].as<int>()});
  }
  return known;
}

BatchReport BatchWriter::commit(const std::function<void(BatchPlan&)>& fill, const Wanted& wanted) {
  BatchReport report;
  with_database_errors([&] {
    pqxx::work work(database_.connection());
    BatchPlan plan(catalogue_, look_up(work, wanted), refused_);
    fill(plan);
    const BatchRows& rows = plan.rows();
    partitions_.make_for(work, rows);
    write_catalogue(work, catalogue_);
    report.alarms = add_rows(work, rows);
    work.commit();
    report.entries = rows.entries.size();
    report.results = rows.results;
    report.measurements = rows.measurements.size();
    report.repeated = rows.repeated;
  });
  return report;
}

BatchReport BatchWriter::write(const std::vector<Delivered>& batch) {
  return write_part(batch, 0, batch.size());
}

BatchReport BatchWriter::write_part(const std::vector<Delivered>& batch, std::size_t first,
                                    std::size_t last) {
  std::vector<const Delivered*> part;
  for (std::size_t i = first; i < last; ++i) part.push_back(&batch[i]);
  try {
    return commit(
        [&](BatchPlan& plan) {
          for (const Delivered* message : part) plan.take(*message);
        },
        wanted_of(part, catalogue_));
  } catch (const DatabaseRefusal& refusal) {
    // What the plan said of the catalogue is not in the database.
    with_database_errors([&] {
      pqxx::work work(database_.connection());
      catalogue_ = read_catalogue(work, refused_);
      partitions_.read(work);
    });
    if (last - first > 1) {
      const std::size_t middle = first + (last - first) / 2;
      BatchReport report = write_part(batch, first, middle);
      add(report, write_part(batch, middle, last));
      return report;
    }
    const Delivered& message = batch[first];
    Delivered poison{message.raw,
                     message.received_us,
                     Refusal{fmt::format("was refused by the database: {}", refusal.what())},
                     {}};
    return commit([&](BatchPlan& plan) { plan.take(poison); }, {});
  }
}

void BatchWriter::remove_old() {
  with_database_errors([&] { partitions_.remove_old(database_.connection()); });
}

}  // namespace datum
