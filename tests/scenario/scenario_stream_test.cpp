// Frames that follow each other closely: one is read while another is measured and a third is stored. Their order, their units and
// what hosts wait for stay as they are for one at a time.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

std::string name_of(int n) { return fmt::format("stream{:02}", n); }

void deliver(const Cell& cell, int from, int to) {
  for (int n = from; n < to; ++n)
    cell.deliver(name_of(n), frame_of_box(good_height_um, static_cast<std::uint32_t>(n) + 1));
}

/// The frames of all results.
std::multiset<std::string> measured_frames(const Cell& cell) {
  std::multiset<std::string> names;
  for (const auto& result : cell.results()) names.insert(result["frame_id"]);
  return names;
}

TEST(ScenarioStream, KeepsTheOrderOfDelivery) {
  Cell cell;
  cell.start();
  const auto host = cell.connect();
  deliver(cell, 0, 20);
  for (int n = 0; n < 20; ++n) {
    const auto line = host->result();
    EXPECT_EQ(line.frame, name_of(n));
    EXPECT_EQ(line.sequence, static_cast<std::uint64_t>(n) + 1);
    EXPECT_EQ(line.decision, "PASS");
  }
  EXPECT_EQ(cell.results().size(), 20u);
}

// A host that waits for the end of what is in work would wait for the last frame of the day.
TEST(ScenarioStream, AHostThatWaitsForTheEndIsAnsweredBetweenBoards) {
  Cell cell;
  cell.start();
  const auto host = cell.connect(), waiting = cell.connect();
  waiting->send("DATA:PUSH OFF");
  deliver(cell, 0, 240);
  EXPECT_EQ(host->result().decision, "PASS");
  const std::string answer = waiting->ask("*OPC?;:DATA:COUN?");
  ASSERT_EQ(answer.substr(0, 2), "1;") << answer;
  EXPECT_LT(std::stoi(answer.substr(2)), 240) << "not when the stream ends";
}

TEST(ScenarioStream, WhatCameBeforeItWasArmedAgainIsInvalid) {
  Cell cell;
  Program& datumd = cell.start();
  const auto host = cell.connect();
  deliver(cell, 0, 10);
  EXPECT_EQ(host->result().decision, "PASS");
  EXPECT_EQ(host->command("ABOR;INIT"), "0,\"No error\"");
  deliver(cell, 10, 11);
  for (std::string frame; frame != name_of(10);) {
    const auto line = host->result();
    frame = line.frame;
    const nlohmann::json stored = cell.results().at(line.sequence - 1);
    if (frame == name_of(10)) {
      EXPECT_EQ(line.decision, "PASS");
    } else if (line.decision == "INVALID") {
      EXPECT_EQ(stored["reason"], "FRAME_EARLY");
    }
  }
  EXPECT_FALSE(datumd.has_ended());
  const auto results = measured_frames(cell);
  const std::vector<std::string> failed = cell.list("drop/failed");
  for (int n = 0; n < 11; ++n)
    EXPECT_TRUE(results.count(name_of(n)) == 1 || std::count(failed.begin(), failed.end(), name_of(n)) == 1)
        << name_of(n) << " is lost";
}

TEST(ScenarioStream, ADuplicateBehindItsOriginalIsMeasuredOnce) {
  Cell cell;
  cell.start();
  const auto host = cell.connect();
  const std::string frame = frame_of_box(good_height_um, 1);
  for (int i = 0; i < 3; ++i) {
    cell.deliver("same", frame);
    // Claimed, so that the next one does not replace it.
    while (std::filesystem::exists(cell.drop() / "same.ptr")) ASSERT_NE(host->ask("SYST:STAT?"), "");
  }
  cell.deliver("other", frame_of_box(good_height_um, 2));
  EXPECT_EQ(host->result().frame, "same");
  EXPECT_EQ(host->result().frame, "other");
  EXPECT_EQ(cell.results().size(), 2u);
}

// Boards behind one whose result could not be stored wait for it, however far they had come.
TEST(ScenarioStream, AStoreThatFailsKeepsTheOrder) {
  Cell cell;
  cell.start();
  const auto host = cell.connect();
  deliver(cell, 0, 1);
  EXPECT_EQ(host->result().frame, name_of(0));
  // Another program holds the store for longer than datumd waits for it.
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((cell.path() / "results.db").c_str(), &other), SQLITE_OK);
  sqlite3_busy_timeout(other, 10'000);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  deliver(cell, 1, 12);
  const Deadline deadline = timeout();
  while (fields(host->ask("SYST:STAT?")).at(0) != "IDLE")
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_EQ(host->command("*CLS;INIT"), "0,\"No error\"");
  while (cell.results().size() < 12 && std::chrono::steady_clock::now() < deadline)
    ASSERT_NE(host->ask("SYST:STAT?"), "");
  const nlohmann::json results = cell.results();
  ASSERT_EQ(results.size(), 12u);
  for (int n = 0; n < 12; ++n) {
    const auto& result = results[static_cast<std::size_t>(n)];
    EXPECT_EQ(result["frame_id"], name_of(n));
    if (result["decision"] != "PASS") EXPECT_EQ(result["reason"], "FRAME_EARLY");
  }
  EXPECT_EQ(results[1]["decision"], "PASS") << "it was in work, and is measured first";
}

// Whatever of it was read ahead, measured or on its way to the disk.
TEST(ScenarioStream, AKillLosesNothingAndRepeatsNothing) {
  Cell cell;
  cell.start();
  {
    const auto host = cell.connect();
    deliver(cell, 0, 12);
    for (int n = 0; n < 4; ++n) EXPECT_EQ(host->result().frame, name_of(n));
  }
  cell.daemon().signal(SIGKILL);
  cell.daemon().wait();
  cell.start();
  const auto host = cell.connect();
  const Deadline deadline = timeout();
  while (cell.results().size() < 12 && std::chrono::steady_clock::now() < deadline)
    ASSERT_NE(host->ask("SYST:STAT?"), "");
  const auto frames = measured_frames(cell);
  for (int n = 0; n < 12; ++n) EXPECT_EQ(frames.count(name_of(n)), 1u) << name_of(n);
  for (const auto& result : cell.results()) EXPECT_EQ(result["decision"], "PASS") << result["detail"];
}

}  // namespace
}  // namespace datum::scenario
