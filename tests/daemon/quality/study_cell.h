// A study of the worked values through datumctl, in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "config/toml_reader.h"
#include "daemon/quality/study/study_file.h"
#include "tests/daemon/quality/gauge_sets.h"
#include "tests/daemon/quality/quality_boards.h"
#include "tests/fresh_folder.h"
#include "tests/house/output_of.h"

namespace datum::testing {

/// A cell's folder with a store, a recipe, and boards of the worked study.
class StudyOfACell : public ::testing::Test {
 public:
  StudyOfACell() : store_(folder_ / "results.db") {
    std::filesystem::copy_file(std::string(DATUM_SOURCE_DIR) + "/config/recipes/demo-board.toml", recipe_);
    sha256_ = load_recipe(recipe_).sha256;
    put(1200, "SN-before");
  }

  Output ctl(const std::string& arguments) const {
    return output_of(std::string(DATUMCTL) + " " + arguments);
  }
  Output study(const std::string& arguments) const {
    return ctl("study " + arguments + " --store " + (folder_ / "results.db").string());
  }
  Output start(const std::string& more = "") const {
    return study("start grr-1 --recipe " + recipe_.string() +
                 " --parts P1,P2,P3,P4,P5 --operators A,B,C --trials 2 --by 'A. Smith' --seed 7 " + more);
  }

  std::uint64_t put(std::optional<double> um, const std::string& unit = "") {
    BoardVerdict v = valued_board(++boards_, um, unit);
    v.recipe = "demo-board";
    v.recipe_sha256 = sha256_;
    store_.store(v);
    return v.sequence;
  }

  quality::StudyFile file() const { return quality::StudyFile::open(folder_ / "studies", "grr-1"); }
  double value_of(const quality::PlannedRun& run) const {
    const quality::GaugeData a = gauge_set_a();
    const std::size_t part = run.part[1] - '1', op = run.op[0] - 'A';
    return static_cast<double>(a.cells[part][op][static_cast<std::size_t>(run.trial - 1)]) / 10;
  }
  void measure_all() {
    while (const auto next = file().next()) {
      put(value_of(file().runs()[*next]), file().runs()[*next].part);
      ASSERT_EQ(study("next grr-1 --result last").status, 0);
    }
  }

  FreshFolder folder_;
  std::filesystem::path recipe_ = folder_ / "demo-board.toml";
  std::string sha256_;
  ResultStore store_;
  int boards_ = 0;
};

/// Of any kind, through the cell, with values of its runs by `value_at`.
struct StudyOfAKind : StudyOfACell {
  Output begin(const std::string& options) const {
    return study("start k-1 --recipe " + recipe_.string() + " --by 'A. Smith' --seed 7 " + options);
  }
  quality::StudyFile kind_file() const { return quality::StudyFile::open(folder_ / "studies", "k-1"); }
  template <class Value>
  void measure(Value value_at) {
    while (const auto next = kind_file().next()) {
      const quality::PlannedRun run = kind_file().runs()[*next];
      put(value_at(*next, run), run.part);
      ASSERT_EQ(study("next k-1 --result last").status, 0);
    }
  }
  std::string references(const std::string& lines) const {
    return " --references " +
           folder_.write("masters.csv", "part,component,characteristic,reference_um,u_um\n" + lines).string();
  }
};

}  // namespace datum::testing
