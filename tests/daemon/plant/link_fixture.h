// A store, a link to a broker in memory, and a clock that the test moves.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "daemon/plant/plant_link.h"
#include "daemon/store/result_store.h"
#include "tests/daemon/plant/test_broker.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::testing {

constexpr MonotonicNs of_second = 1'000'000'000, of_minute = 60 * of_second, of_hour = 60 * of_minute;

struct LinkFixture : ::testing::Test {
  LinkFixture() {
    settings.url = "amqp://127.0.0.1";
    settings.host = "127.0.0.1";
    settings.secret = false;
    settings.handle = "Datumd.Cell.0001";
    settings.messages = "cfx";
    settings.entries = "entries";
  }

  void add(int n, const std::string& unit = "") {
    ResultStore store(file);
    for (int i = 0; i < n; ++i) {
      BoardVerdict board = testing::board();
      if (!unit.empty()) board.unit_id = unit;
      store.store(board);
    }
    whole_.clear();
  }
  void start(const PlantPosition& from = {}) {
    PlantLinkActions actions;
    actions.access = [this] {
      return BrokerAccess{broker.port(), {settings.handle, settings.host, user, "secret", certificate}};
    };
    actions.keep = [this](const PlantPosition& position) {
      if (!unkept.empty()) throw std::runtime_error(unkept);
      kept = position;
    };
    actions.log = [this](int, const std::string& text) { log.push_back(text); };
    actions.utc = [] { return std::string("2026-11-29T00:00:00Z"); };
    actions.status = [this](const std::string& text) { status = text; };
    link = std::make_unique<PlantLink>(file, settings, from, actions);
  }
  /// Both sides until nothing moves.
  void settle() {
    do link->on_ready(now);
    while (broker.step(now));
    EXPECT_LE(kept.place.link, accepted_up_to()) << "the position is ahead of what was accepted";
  }
  void run(MonotonicNs span) {
    const MonotonicNs end = now + span;
    settle();
    for (auto due = link->deadline(); due && *due <= end; due = link->deadline()) {
      now = std::max(now, *due);
      link->on_deadline(now);
      settle();
    }
    now = end;
  }

  /// What the store holds, in its order.
  const std::vector<PlantMessage>& whole() {
    if (whole_.empty()) {
      PlantFeed feed(file, settings, {});
      whole_.clear();
      for (; const PlantMessage* next = feed.front(); feed.pop()) whole_.push_back(*next);
    }
    return whole_;
  }
  std::uint64_t accepted_up_to() {
    std::uint64_t up_to = 0;
    for (const PlantMessage& message : whole()) {
      if (broker.accepted.count(message.id) == 0) break;
      if (message.completes) up_to = message.completes->place.link;
    }
    return up_to;
  }
  std::size_t missing() {
    return static_cast<std::size_t>(std::count_if(
        whole().begin(), whole().end(), [this](const auto& m) { return broker.stored.count(m.id) == 0; }));
  }
  std::string said() const {
    std::string all;
    for (const std::string& line : log) all += line + "\n";
    return all;
  }

  /// The broker behaves from here on, and everything arrives.
  void expect_recovery(MonotonicNs within = of_minute) {
    broker.behaviour = {};
    broker.is_mute = false;
    run(within);
    EXPECT_EQ(missing(), 0u);
    EXPECT_EQ(kept.place.link, whole().back().completes->place.link);
    EXPECT_THAT(status, ::testing::HasSubstr("connected"));
  }
  std::vector<std::string> durable_ids() const {
    std::vector<std::string> ids;
    for (const Taken& taken : broker.taken)
      if (taken.durable) ids.push_back(taken.id);
    return ids;
  }

  FreshFolder folder;
  const std::filesystem::path file = folder / "results.db";
  PlantSettings settings;
  TestBroker broker;
  MonotonicNs now = of_second;
  PlantPosition kept;
  std::string unkept, status, user;
  bool certificate = false;
  std::vector<std::string> log;
  std::unique_ptr<PlantLink> link;

 private:
  std::vector<PlantMessage> whole_;
};

}  // namespace datum::testing
