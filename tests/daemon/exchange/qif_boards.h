// QIF documents of test boards.
#pragma once

#include <string>
#include <vector>

#include "daemon/exchange/qif.h"
#include "daemon/store/result_export.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::testing {

/// With a study of these characteristics where there are any.
inline std::string document_of(const std::vector<BoardVerdict>& boards,
                               const std::vector<QifStatistics>& statistics = {}) {
  QifFile file;
  for (const BoardVerdict& board : boards) file.describe(row_of(board, to_json(board)), board);
  std::string text = file.begin(!statistics.empty());
  for (const BoardVerdict& board : boards) text += file.result(board);
  text += file.components();
  for (const BoardVerdict& board : boards) text += file.component(board);
  if (!statistics.empty())
    text += file.begin_study(
        {"mainboard", "a study", {{"confidence", "0.95"}}, boards.size(), statistics.size()});
  for (const QifStatistics& of : statistics) text += file.statistics(of);
  return text + file.end();
}

inline BoardVerdict result_of(std::uint64_t sequence) {
  BoardVerdict board = datum::testing::board();
  board.sequence = sequence;
  board.store_id = "store";
  board.reason = Reason::none;  // of the board as a whole; one of its parts is INVALID
  return board;
}

/// One row of each kind of QIF's characteristics, with one limit, two, and a nominal or none.
inline BoardVerdict of_all_kinds(std::uint64_t sequence) {
  BoardVerdict board = result_of(sequence);
  auto& checks = board.components[0].checks;
  const auto add = [&](Check check, double value) {
    checks.push_back(checks[0]);
    checks.back().check = check;
    checks.back().value = value;
    checks.back().u = 0.1;
  };
  add({Characteristic::tilt, 0, std::nullopt, std::nullopt, 800.0}, 123.456);
  add({Characteristic::presence, 0, std::nullopt, 900.0, std::nullopt}, 987.5);
  add({Characteristic::paste_volume, 0, 100.0, 70.0, 130.0}, 101.25);
  add({Characteristic::offset_x, 0, 0.0, -100.0, 100.0}, -12.5);
  add({Characteristic::rotation, 0, 0.0, -500.0, 500.0}, -0.5);
  add({Characteristic::flatness, 0, std::nullopt, std::nullopt, 50.0}, 7);
  add({Characteristic::thickness, 0, 1600.0, 1500.0, 1700.0}, 1601);
  add({Characteristic::percentile, 0.99, 1160.0, 1140.0, 1180.0}, 1161);
  return board;
}

/// Of characteristic `place` over two results, the second INVALID.
inline QifStatistics numbers_of(std::size_t place) {
  QifStatistics of;
  of.characteristic = place;
  of.results = {0, 1};
  of.excluded = {1};
  of.counts = {{"TotalNumber", 2}, {"EffectiveNumber", 1}, {"NumberOutOfTolerance", 0}};
  of.values = {
      {"Average", 1160.25}, {"Maximum", 1160.25}, {"Minimum", 1160.25}, {"StandardDeviation", 0.125}};
  of.indices = {{"Cpk", 1.5}, {"Ppk", 1.25}};
  of.attributes = {{"distribution", "normal"}};
  return of;
}

}  // namespace datum::testing
