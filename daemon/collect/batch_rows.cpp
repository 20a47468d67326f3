// The rows of a plan, into the database.
#include <fmt/format.h>

#include "daemon/collect/batch_writer.h"
#include "daemon/collect/sql_rows.h"
#include "daemon/sign/hex.h"

namespace datum {
namespace {

std::string sql_day(std::int64_t day) { return sql_time(day * us_per_day).substr(0, 10); }

void add_entries(pqxx::transaction_base& work, const BatchRows& rows) {
  if (!rows.entries.empty()) {
    CopyRows<5> copy(work, "inbox", {"store", "link", "sha256", "before", "received"});
    NumberTexts number;
    for (const auto& entry : rows.entries) {
      number.clear();
      const std::string sha256 = "\\x" + entry.sha256, before = "\\x" + entry.before,
                        received = sql_time(entry.received_us);
      copy.add({number(entry.at.first), number(entry.at.second), sha256.c_str(),
                entry.before.empty() ? nullptr : before.c_str(), received.c_str()});
    }
    copy.end();
  }
  for (const auto& [at, text] : rows.statements)
    run(work, "INSERT INTO statement VALUES ($1::int, $2::bigint, $3)", std::to_string(at.first),
        std::to_string(at.second), text);
  for (const auto& [at, body] : rows.unproven)
    run(work, "INSERT INTO unproven VALUES ($1::int, $2::bigint, $3::bytea)", std::to_string(at.first),
        std::to_string(at.second), sql_bytes(body));
  for (const auto& [store, link] : rows.proven)
    run(work, "DELETE FROM unproven WHERE store = $1::int AND link = $2::bigint", std::to_string(store),
        std::to_string(link));
}

void add_units(pqxx::transaction_base& work, const BatchRows& rows) {
  if (rows.units.empty()) return;
  SqlArray products, units, cells, entered, first, first_decisions, last, last_decisions, attempts, invalid;
  for (const auto& [key, a] : rows.units) {
    products.add(key.product);
    units.add(key.unit);
    cells.add(key.cell);
    entered.add(sql_time(a.entered_us));
    first.add(a.first_us ? std::optional(sql_time(*a.first_us)) : std::nullopt);
    first_decisions.add(a.first_us ? std::optional(a.first_decision) : std::nullopt);
    last.add(sql_time(a.last_us));
    last_decisions.add(a.last_decision);
    attempts.add(a.attempts);
    invalid.add(a.invalid);
  }
  run(work,
      "INSERT INTO unit AS u (product, unit, cell, entered, first, first_decision, last, last_decision, "
      "attempts, invalid) "
      "SELECT * FROM unnest($1::int[], $2::text[], $3::int[], $4::timestamptz[], $5::timestamptz[], "
      "$6::smallint[], $7::timestamptz[], "
      "$8::smallint[], $9::int[], $10::int[]) "
      "ON CONFLICT (product, unit, cell) DO UPDATE SET entered = least(u.entered, excluded.entered), "
      "first_decision = CASE WHEN u.first IS NULL OR excluded.first < u.first THEN excluded.first_decision "
      "ELSE u.first_decision END, "
      "first = least(u.first, excluded.first), "
      "last_decision = CASE WHEN excluded.last >= u.last THEN excluded.last_decision ELSE u.last_decision "
      "END, "
      "last = greatest(u.last, excluded.last), attempts = u.attempts + excluded.attempts, invalid = "
      "u.invalid + excluded.invalid",
      products.text(), units.text(), cells.text(), entered.text(), first.text(), first_decisions.text(),
      last.text(), last_decisions.text(), attempts.text(), invalid.text());
}

void add_board_sums(pqxx::transaction_base& work, const BatchRows& rows) {
  if (rows.board_sums.empty()) return;
  SqlArray cells, recipes, makings, days, series, decisions, reasons, boards;
  for (const auto& [key, n] : rows.board_sums) {
    cells.add(key.cell);
    recipes.add(key.recipe);
    makings.add(key.making);
    days.add_text(sql_day(key.day));
    series.add(key.series);
    decisions.add(key.decision);
    reasons.add(key.reason);
    boards.add(n);
  }
  run(work,
      "INSERT INTO board_sums AS s SELECT * FROM unnest($1::int[], $2::int[], $3::int[], $4::date[], "
      "$5::smallint[], $6::smallint[], "
      "$7::int[], $8::bigint[]) ON CONFLICT (cell, recipe, making, day, series, decision, reason) DO UPDATE "
      "SET boards = s.boards + excluded.boards",
      cells.text(), recipes.text(), makings.text(), days.text(), series.text(), decisions.text(),
      reasons.text(), boards.text());
}

/// high * 2^64 + low, of up to 188 bits: PostgreSQL's numeric makes one number of the two.
void add_sums(pqxx::transaction_base& work, const BatchRows& rows) {
  if (rows.sums.empty()) return;
  SqlArray cells, characteristics, makings, days, series, n, totals, high, low, lowest, highest, pass,
      inconclusive, fail, invalid, u;
  for (const auto& [key, s] : rows.sums) {
    cells.add(key.cell);
    characteristics.add(key.characteristic);
    makings.add(key.making);
    days.add_text(sql_day(key.day));
    series.add(key.series);
    n.add(s.values.n);
    totals.add_text(fmt::format("{}", s.values.sum));
    high.add_text(fmt::format("{}", s.values.squares_high));
    low.add_text(fmt::format("{}", s.values.squares_low));
    lowest.add(s.lowest);
    highest.add(s.highest);
    pass.add(s.pass);
    inconclusive.add(s.inconclusive);
    fail.add(s.fail);
    invalid.add(s.invalid);
    u.add(s.largest_u);
  }
  run(work,
      "INSERT INTO sums AS s SELECT c, k, m, d, e, n, t, h * 18446744073709551616 + l, lo, hi, p, i, f, v, u "
      "FROM unnest($1::int[], "
      "$2::int[], $3::int[], $4::date[], $5::smallint[], $6::bigint[], $7::numeric[], $8::numeric[], "
      "$9::numeric[], $10::bigint[], "
      "$11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::real[]) "
      "x(c, k, m, d, e, n, t, h, l, lo, hi, p, i, f, v, u) "
      "ON CONFLICT (cell, characteristic, making, day, series) DO UPDATE SET n = s.n + excluded.n, total = "
      "s.total + excluded.total, "
      "squares = s.squares + excluded.squares, lowest = least(s.lowest, excluded.lowest), highest = "
      "greatest(s.highest, excluded.highest), "
      "pass = s.pass + excluded.pass, inconclusive = s.inconclusive + excluded.inconclusive, fail = s.fail + "
      "excluded.fail, "
      "invalid = s.invalid + excluded.invalid, largest_u = greatest(s.largest_u, excluded.largest_u)",
      cells.text(), characteristics.text(), makings.text(), days.text(), series.text(), n.text(),
      totals.text(), high.text(), low.text(), lowest.text(), highest.text(), pass.text(), inconclusive.text(),
      fail.text(), invalid.text(), u.text());
}

bool add_alarm(pqxx::transaction_base& work, const Alarm& a) {
  // Null terminated parameters: bytes travel as hex.
  const std::string raw = sql_bytes(a.raw);
  return run(work,
             "INSERT INTO alarm AS a (kind, name, cell, store_id, link, detail, entry_sha256, raw, bytes, "
             "first_seen, last_seen) VALUES "
             "($1, $2, nullif($3, ''), nullif($4, ''), nullif($5::bigint, 0), $6, $7, nullif($8::bytea, ''), "
             "nullif($9::bigint, 0), "
             "$10::timestamptz, $10::timestamptz) "
             "ON CONFLICT (kind, name) DO UPDATE SET times = a.times + 1, last_seen = excluded.last_seen "
             "RETURNING times",
             a.kind, a.name, a.cell, a.store_id, std::to_string(a.link), a.detail, a.entry_sha256, raw,
             std::to_string(a.bytes), sql_time(a.seen_us))[0][0]
             .as<std::uint64_t>() == 1;
}

}  // namespace

void copy_boards(pqxx::transaction_base& work, const char* table, const BatchRows& rows) {
  if (rows.boards.empty()) return;
  CopyRows<12> copy(work, table,
                    {"measured", "received", "link", "sequence", "store", "recipe", "making", "reason",
                     "decision", "series", "place", "unit"});
  NumberTexts number;
  for (const auto& b : rows.boards) {
    number.clear();
    const std::string measured = sql_time(b.measured_us), received = sql_time(b.received_us);
    copy.add({measured.c_str(), received.c_str(), number(b.link), number(b.sequence), number(b.store),
              number(b.recipe), number(b.making), number(b.reason), number(b.decision), number(b.series),
              b.place.c_str(), b.unit.c_str()});
  }
  copy.end();
}

void copy_measurements(pqxx::transaction_base& work, const char* table, const BatchRows& rows) {
  if (rows.measurements.empty()) return;
  CopyRows<8> copy(work, table,
                   {"measured", "link", "count", "store", "characteristic", "u", "decision", "reason"});
  NumberTexts number;
  std::int64_t measured_us = -1;
  std::string measured;
  for (const auto& m : rows.measurements) {
    number.clear();
    if (m.measured_us != measured_us) measured = sql_time(measured_us = m.measured_us);
    copy.add({measured.c_str(), number(m.link), m.count ? number(*m.count) : nullptr, number(m.store),
              number(m.characteristic), number(static_cast<float>(m.u)), number(m.decision),
              number(m.reason)});
  }
  copy.end();
}

std::vector<std::string> add_rows(pqxx::transaction_base& work, const BatchRows& rows) {
  add_entries(work, rows);
  copy_boards(work, "board", rows);
  copy_measurements(work, "measurement", rows);
  add_units(work, rows);
  add_board_sums(work, rows);
  add_sums(work, rows);
  std::vector<std::string> fresh;
  for (const Alarm& alarm : rows.alarms)
    if (add_alarm(work, alarm))
      fresh.push_back(alarm.cell.empty() ? fmt::format("{}: {}", alarm.kind, alarm.detail)
                                         : fmt::format("{}: {}, entry {} of store {}: {}", alarm.kind,
                                                       alarm.cell, alarm.link, alarm.store_id, alarm.detail));
  return fresh;
}

std::string sql_time(std::int64_t utc_us) {
  const std::int64_t day = utc_us >= 0 ? utc_us / us_per_day : (utc_us - us_per_day + 1) / us_per_day;
  const std::int64_t us = utc_us - day * us_per_day;
  const std::string date = day_name(day);
  return fmt::format("{}-{}-{} {:02}:{:02}:{:02}.{:06}+00", date.substr(0, 4), date.substr(4, 2),
                     date.substr(6, 2), us / 3'600'000'000, us / 60'000'000 % 60, us / 1'000'000 % 60,
                     us % 1'000'000);
}

std::string sql_bytes(std::string_view bytes) {
  return "\\x" + hex_of(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace datum
