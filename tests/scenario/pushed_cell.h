// A cell whose host is pushed each result, and what tests of its daemon do with it again and again.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {

struct PushedCell {
  explicit PushedCell(const CellOptions& options = {}) : cell(options) {}

  void start() {
    cell.start();
    connect();
  }
  void connect() {
    host = cell.connect();
    host->command("DATA:PUSH ON");
  }
  void kill() {
    cell.daemon().signal(SIGKILL);
    cell.daemon().wait();
    start();
  }
  /// A frame's pushed result.
  plc::ResultLine measure(double height_um) {
    const std::uint32_t n = ++frames;
    cell.deliver("f" + std::to_string(n), frame_of_box(height_um, n));
    return host->result();
  }
  /// datumctl beside the cell.
  Outcome ctl(std::vector<std::string> words) const {
    words.insert(words.begin(), "datumctl");
    for (const char* word : {"--config", "datumd.toml"}) words.push_back(word);
    return run(words, cell.path());
  }
  /// A statement on the store's database.
  void sql(const char* text) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open((cell.path() / "results.db").c_str(), &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 10'000);
    EXPECT_EQ(sqlite3_exec(db, text, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  mutable Cell cell;
  std::unique_ptr<Host> host;
  std::uint32_t frames = 0;
};

}  // namespace datum::scenario
