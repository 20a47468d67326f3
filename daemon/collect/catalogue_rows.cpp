// The catalogue, from the database and to it.
#include <fmt/format.h>

#include "daemon/collect/database.h"
#include "daemon/collect/sql_rows.h"

namespace datum {
namespace {

std::optional<double> number_in(const pqxx::row& row, int column) {
  if (row[column].is_null()) return std::nullopt;
  return row[column].as<double>();
}

void read_names(pqxx::transaction_base& work, Catalogue& to) {
  for (const auto& row : work.exec("SELECT product, name FROM product"))
    to.products.known(row[1].c_str(), row[0].as<int>());
  for (const auto& row : work.exec("SELECT recipe, product, sha256 FROM recipe"))
    to.recipes.known(Catalogue::joined(row[1].c_str(), row[2].c_str()), row[0].as<int>());
  for (const auto& row : work.exec("SELECT making, calibration_sha256, code FROM making"))
    to.makings.known(Catalogue::joined(row[1].c_str(), row[2].c_str()), row[0].as<int>());
  for (const auto& row : work.exec("SELECT reason, name FROM reason"))
    to.reasons.known(row[1].c_str(), row[0].as<int>());
  for (const auto& row :
       work.exec("SELECT characteristic, recipe, reference, package, name, unit, parameter, nominal, "
                 "lower_limit, upper_limit FROM characteristic")) {
    const MeasuredCharacteristic what{row[2].c_str(),    row[3].c_str(),      row[4].c_str(),
                                      row[5].c_str(),    row[6].as<double>(), number_in(row, 7),
                                      number_in(row, 8), number_in(row, 9)};
    to.characteristics.known(Catalogue::joined(row[1].c_str(), what.key()), row[0].as<int>());
  }
}

void read_cells(pqxx::transaction_base& work, Catalogue& to) {
  for (const auto& row : work.exec("SELECT cell, handle, store, coalesce(link, 0), coalesce(sequence, 0), "
                                   "coalesce((extract(epoch FROM measured) * 1000000)::bigint, 0), "
                                   "coalesce((extract(epoch FROM received) * 1000000)::bigint, 0), "
                                   "coalesce(recipe, ''), coalesce(unit, ''), coalesce(decision, 3), "
                                   "coalesce(reason, '') FROM cell ORDER BY cell")) {
    CatalogueCell cell;
    cell.cell = row[0].as<int>();
    cell.handle = row[1].c_str();
    if (!row[2].is_null()) cell.store = row[2].as<int>();
    cell.link = row[3].as<std::uint64_t>();
    cell.sequence = row[4].as<std::uint64_t>();
    cell.measured_us = row[5].as<std::int64_t>();
    cell.received_us = row[6].as<std::int64_t>();
    cell.recipe = row[7].c_str();
    cell.unit = row[8].c_str();
    cell.decision = row[9].as<int>();
    cell.reason = row[10].c_str();
    cell.is_new = cell.is_changed = false;
    to.add(std::move(cell));
  }
}

void read_stores(pqxx::transaction_base& work, Catalogue& to) {
  std::map<int, std::vector<LinkRange>> gaps;
  for (const auto& row : work.exec("SELECT store, first, last FROM gap ORDER BY store, first"))
    gaps[row[0].as<int>()].push_back({row[1].as<std::uint64_t>(), row[2].as<std::uint64_t>()});
  for (const auto& row :
       work.exec("SELECT store, cell, store_id, parent, first, newest, newest_sha256, head, removed_to, "
                 "(extract(epoch FROM begun) * 1000000)::bigint FROM store ORDER BY store")) {
    CatalogueStore store;
    store.store = row[0].as<int>();
    store.cell = row[1].as<int>();
    store.store_id = row[2].c_str();
    if (!row[3].is_null()) store.parent = row[3].as<int>();
    store.first = row[4].as<std::uint64_t>();
    store.chain = ChainState(row[5].as<std::uint64_t>(), gaps[store.store]);
    store.newest_sha256 = row[6].c_str();
    store.head = row[7].as<std::uint64_t>();
    store.removed_to = row[8].as<std::uint64_t>();
    store.begun_us = row[9].as<std::int64_t>();
    store.is_new = store.is_changed = false;
    to.add(std::move(store));
  }
}

void write_names(pqxx::transaction_base& work, Catalogue& from) {
  const auto pairs = [&](Numbered& names, const char* sql) {
    SqlArray numbers, first, second;
    const auto fresh = names.take_fresh();
    for (const auto& [key, number] : fresh) {
      const auto end = key.find('\n');
      numbers.add(number);
      first.add(std::string_view(key).substr(0, end));
      second.add(end == key.npos ? std::string_view() : std::string_view(key).substr(end + 1));
    }
    if (!fresh.empty()) run(work, sql, numbers.text(), first.text(), second.text());
  };
  const std::string from_arrays = " FROM unnest($1::int[], $2::text[], $3::text[]) x(n, a, b)";
  pairs(from.products, ("INSERT INTO product SELECT n, a || b" + from_arrays).c_str());
  pairs(from.recipes, ("INSERT INTO recipe SELECT n, a::int, b" + from_arrays).c_str());
  pairs(from.makings, ("INSERT INTO making SELECT n, a, b" + from_arrays).c_str());
  pairs(from.reasons, ("INSERT INTO reason SELECT n, a || b" + from_arrays).c_str());
}

void write_characteristics(pqxx::transaction_base& work, Catalogue& from) {
  if (from.fresh_characteristics.empty()) return;
  SqlArray numbers, recipes, references, packages, names, units, parameters, nominals, lowers, uppers;
  for (const auto& [number, recipe, what] : from.fresh_characteristics) {
    numbers.add(number);
    recipes.add(recipe);
    references.add(what.reference);
    packages.add(what.package);
    names.add(what.characteristic);
    units.add(what.unit);
    parameters.add(what.parameter);
    nominals.add(what.nominal);
    lowers.add(what.lower);
    uppers.add(what.upper);
  }
  run(work,
      "INSERT INTO characteristic (characteristic, recipe, reference, package, name, unit, parameter, "
      "nominal, lower_limit, upper_limit) "
      "SELECT * FROM unnest($1::int[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], "
      "$7::float8[], $8::float8[], "
      "$9::float8[], $10::float8[])",
      numbers.text(), recipes.text(), references.text(), packages.text(), names.text(), units.text(),
      parameters.text(), nominals.text(), lowers.text(), uppers.text());
  from.fresh_characteristics.clear();
  from.characteristics.take_fresh();
}

void write_cells(pqxx::transaction_base& work, Catalogue& from) {
  SqlArray numbers, handles, stores, links, sequences, measured, received, recipes, units, decisions, reasons;
  bool any = false;
  for (CatalogueCell& cell : from.cells()) {
    if (!cell.is_changed) continue;
    any = true;
    cell.is_new = cell.is_changed = false;
    numbers.add(cell.cell);
    handles.add(cell.handle);
    stores.add(cell.store);
    links.add(cell.link);
    sequences.add(cell.sequence);
    measured.add(sql_time(cell.measured_us));
    received.add(sql_time(cell.received_us));
    recipes.add(cell.recipe);
    units.add(cell.unit);
    decisions.add(cell.decision);
    reasons.add(cell.reason);
  }
  if (!any) return;
  run(work,
      "INSERT INTO cell (cell, handle, store, link, sequence, measured, received, recipe, unit, decision, "
      "reason) "
      "SELECT c, h, s, nullif(l, 0), nullif(q, 0), CASE WHEN s IS NOT NULL THEN m END, CASE WHEN s IS NOT "
      "NULL THEN r END, p, u, d, e "
      "FROM unnest($1::int[], $2::text[], $3::int[], $4::bigint[], $5::bigint[], $6::timestamptz[], "
      "$7::timestamptz[], $8::text[], "
      "$9::text[], $10::smallint[], $11::text[]) x(c, h, s, l, q, m, r, p, u, d, e) "
      "ON CONFLICT (cell) DO UPDATE SET store = excluded.store, link = excluded.link, sequence = "
      "excluded.sequence, "
      "measured = excluded.measured, received = excluded.received, recipe = excluded.recipe, unit = "
      "excluded.unit, "
      "decision = excluded.decision, reason = excluded.reason "
      "WHERE cell.store IS NULL OR (cell.store = excluded.store AND excluded.link > cell.link) OR "
      "(cell.store <> excluded.store AND excluded.measured > cell.measured)",
      numbers.text(), handles.text(), stores.text(), links.text(), sequences.text(), measured.text(),
      received.text(), recipes.text(), units.text(), decisions.text(), reasons.text());
}

void write_stores(pqxx::transaction_base& work, Catalogue& from) {
  SqlArray numbers, cells, ids, parents, firsts, newest, hashes, heads, removed, begun;
  SqlArray gap_stores, gap_firsts, gap_lasts;
  bool any = false;
  for (CatalogueStore& store : from.stores()) {
    if (!store.is_changed) continue;
    any = true;
    store.is_new = store.is_changed = false;
    numbers.add(store.store);
    cells.add(store.cell);
    ids.add(store.store_id);
    parents.add(store.parent);
    firsts.add(store.first);
    newest.add(store.chain.newest());
    hashes.add(store.newest_sha256);
    heads.add(store.head);
    removed.add(store.removed_to);
    begun.add(sql_time(store.begun_us));
    for (const LinkRange& gap : store.chain.gaps()) {
      gap_stores.add(store.store);
      gap_firsts.add(gap.first);
      gap_lasts.add(gap.last);
    }
  }
  if (!any) return;
  run(work,
      "INSERT INTO store (store, cell, store_id, parent, first, newest, newest_sha256, head, removed_to, "
      "begun) "
      "SELECT * FROM unnest($1::int[], $2::int[], $3::text[], $4::int[], $5::bigint[], $6::bigint[], "
      "$7::text[], $8::bigint[], "
      "$9::bigint[], $10::timestamptz[]) "
      "ON CONFLICT (store) DO UPDATE SET parent = excluded.parent, first = excluded.first, newest = "
      "excluded.newest, "
      "newest_sha256 = excluded.newest_sha256, head = excluded.head, removed_to = excluded.removed_to, begun "
      "= excluded.begun",
      numbers.text(), cells.text(), ids.text(), parents.text(), firsts.text(), newest.text(), hashes.text(),
      heads.text(), removed.text(), begun.text());
  // A gap keeps the time since which something of it is missing.
  run(work,
      "WITH former AS (DELETE FROM gap WHERE store = ANY ($1::int[]) RETURNING *) "
      "INSERT INTO gap SELECT x.store, x.first, x.last, coalesce((SELECT min(f.since) FROM former f WHERE "
      "f.store = x.store AND "
      "f.first <= x.last AND f.last >= x.first), now()) "
      "FROM unnest($2::int[], $3::bigint[], $4::bigint[]) x(store, first, last)",
      numbers.text(), gap_stores.text(), gap_firsts.text(), gap_lasts.text());
}

}  // namespace

Catalogue read_catalogue(pqxx::transaction_base& work, std::set<std::string>& refused) {
  Catalogue catalogue;
  read_names(work, catalogue);
  read_cells(work, catalogue);
  read_stores(work, catalogue);
  refused.clear();
  for (const auto& row : work.exec("SELECT DISTINCT entry_sha256 FROM alarm WHERE kind IN ('CONFLICT', "
                                   "'BROKEN', 'FOLLOWS') AND entry_sha256 <> ''"))
    refused.insert(row[0].c_str());
  return catalogue;
}

void write_catalogue(pqxx::transaction_base& work, Catalogue& catalogue) {
  write_names(work, catalogue);
  write_characteristics(work, catalogue);
  write_cells(work, catalogue);
  write_stores(work, catalogue);
}

}  // namespace datum
