// A store in a fresh folder with its index, for tests of the pages.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/view/result_index.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/fresh_folder.h"

namespace datum::testing {

inline constexpr std::chrono::milliseconds no_hurry{600'000};

struct ViewedStore {
  FreshFolder folder;
  std::filesystem::path store = folder / "results.db", index = folder / "view.db";

  /// A board of recipe `recipe` with one component U1 of this value.
  static BoardVerdict one(const std::string& unit, Decision decision, double value, const std::string& at,
                          const std::string& recipe = "mainboard") {
    BoardVerdict v = board();
    v.unit_id = unit;
    v.decision = decision;
    v.reason = Reason::none;
    v.measured_at = at;
    v.recipe = recipe;
    v.components = {
        component("U1", decision, value, decision == Decision::invalid ? Reason::floor_sides : Reason::none)};
    return v;
  }
  void keep(std::vector<BoardVerdict> boards) const {
    ResultStore writer(store);
    for (BoardVerdict& v : boards) writer.store(v);
  }
  /// Brings the index up to the store, in small batches.
  void follow(std::size_t batch = 2) const {
    ResultIndex writer(index, ResultIndex::Access::writing);
    for (;;) {
      ResultReader reader(store, no_hurry);
      if (writer.take(reader, batch) < batch) return;
    }
  }
};

}  // namespace datum::testing
