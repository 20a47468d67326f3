// datumd-batch: an archive measured by processes that are killed, on a full disk, from frames that change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <random>
#include <sstream>

#include "daemon/batch/batch_output.h"
#include "daemon/batch/manifest.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int boards = 8;

/// Of what 'datumd-batch run' says at its end.
auto MeasuredUnits(int measured, int had) {
  return ::testing::ContainsRegex("units: " + std::to_string(measured) + " measured in [0-9.]+ s, " +
                                  std::to_string(had) + " had their output");
}

/// Frames f1 to f8 in two lots; every third is bad.
struct Archive {
  Archive() {
    for (int n = 1; n <= boards; ++n) cell.write(file(n), bytes(n));
  }
  static std::string file(int n) {
    return "archive/lot" + std::to_string(n % 2) + "/f" + std::to_string(n) + ".ptr";
  }
  static std::string bytes(int n) {
    return frame_of_box(n % 3 == 0 ? bad_height_um : good_height_um, static_cast<std::uint32_t>(n));
  }
  static std::vector<std::string> words(std::vector<std::string> words) {
    words.insert(words.begin(), "datumd-batch");
    return words;
  }
  Outcome batch(const std::vector<std::string>& more) const { return run(words(more), cell.path()); }
  Outcome plan(const std::string& name) const {
    return batch({"manifest", name, "--archive", "archive", "--sensor", "sensor.toml", "--recipe",
                  "recipes/box.toml", "--backend", "cpu"});
  }
  /// Bytes of the merged batch.
  std::string merged(const std::string& name) const {
    const Outcome out = batch({"merge", name, "-o", name + ".db"});
    EXPECT_EQ(out.status, 0) << out.output;
    return slurp(cell.path() / (name + ".db"));
  }
  /// Of a batch that nothing disturbed.
  std::string undisturbed() const {
    EXPECT_EQ(plan("quiet").status, 0);
    const Outcome out = batch({"run", "quiet", "--workers", "1"});
    EXPECT_EQ(out.status, 0) << out.output;
    return merged("quiet");
  }
  fs::path output(const std::string& name, std::size_t unit) const {
    return output_file(cell.path() / name, Manifest::load(cell.path() / name).key(unit));
  }
  std::ptrdiff_t outputs(const std::string& name) const {
    std::ptrdiff_t count = 0;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(cell.path() / name / "outputs", none))
      count += entry.path().extension() == ".json";
    return count;
  }

  Cell cell;
};

std::vector<pid_t> children_of(pid_t parent) {
  const std::string id = std::to_string(parent);
  std::ifstream in("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; in >> child;) children.push_back(child);
  return children;
}

TEST(ScenarioBatch, AnArchiveIsMeasuredOnce) {
  const Archive a;
  const Outcome planned = a.plan("b");
  EXPECT_EQ(planned.status, 0) << planned.output;
  EXPECT_THAT(planned.output, HasSubstr("units: 8 for backend cpu, 0 frames or results without"));
  EXPECT_EQ(a.batch({"status", "b"}).status, 75);
  const Outcome first = a.batch({"run", "b", "--part", "1/2", "--workers", "2"});
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_THAT(first.output, MeasuredUnits(4, 0));
  const Outcome all = a.batch({"run", "b", "--workers", "2", "--lanes", "2"});
  EXPECT_THAT(all.output, MeasuredUnits(4, 4));
  EXPECT_THAT(a.batch({"run", "b"}).output, MeasuredUnits(0, 8));
  const Outcome status = a.batch({"status", "b"});
  EXPECT_EQ(status.status, 0) << status.output;
  EXPECT_TRUE(a.merged("b") == a.undisturbed()) << "whatever the parts, workers and lanes";
  EXPECT_EQ(a.plan("b").status, 64) << "a manifest is never replaced";
  EXPECT_EQ(a.batch({"merge", "b", "-o", "b.db"}).status, 78) << "nor is a file";
  const Outcome record = run({"datumctl", "results", "--store", "b.db"}, a.cell.path());
  EXPECT_NE(record.status, 0);
  EXPECT_THAT(record.output, HasSubstr("never verdicts of record"));
}

TEST(ScenarioBatch, KilledWorkersAndRunsLeaveEqualBytes) {
  const Archive a;
  ASSERT_EQ(a.plan("b").status, 0);
  std::mt19937 random(7);
  for (int kills = 0, runs = 0; kills < 6; ++runs) {
    if (a.batch({"status", "b"}).status == 0) fs::remove_all(a.cell.path() / "b" / "outputs");
    Program run(Archive::words({"run", "b", "--workers", "2", "--attempts", "100"}), a.cell.path(),
                "run" + std::to_string(runs) + ".log");
    run.says("measured by");
    run.signal(SIGSTOP);  // its workers measure what they were told to
    const auto workers = children_of(run.pid());
    if (!workers.empty()) ::kill(workers[random() % workers.size()], SIGKILL), ++kills;
    const bool itself = kills % 2 == 0;
    if (itself) run.signal(SIGKILL);
    run.signal(SIGCONT);
    const int status = run.wait();
    EXPECT_TRUE(itself || status == 0) << "another worker measures what one left: " << run.output();
  }
  const Outcome last = a.batch({"run", "b", "--workers", "2"});
  EXPECT_EQ(last.status, 0) << last.output;
  EXPECT_TRUE(a.merged("b") == a.undisturbed());
}

TEST(ScenarioBatch, TwoRunsOfTheSameUnitsLeaveEqualBytes) {
  const Archive a;
  ASSERT_EQ(a.plan("b").status, 0);
  Program one(Archive::words({"run", "b", "--workers", "1"}), a.cell.path(), "one.log");
  Program other(Archive::words({"run", "b", "--workers", "1"}), a.cell.path(), "other.log");
  EXPECT_EQ(one.wait(), 0) << one.output();
  EXPECT_EQ(other.wait(), 0) << other.output();
  EXPECT_EQ(a.outputs("b"), boards);
  EXPECT_TRUE(a.merged("b") == a.undisturbed());
}

TEST(ScenarioBatch, ADamagedOutputIsMadeAgain) {
  const Archive a;
  const std::string good = a.undisturbed();
  const fs::path file = a.output("quiet", 3);
  const std::string before = slurp(file);
  std::ofstream(file, std::ios::binary) << before.substr(0, before.size() / 2);
  const Outcome status = a.batch({"status", "quiet"});
  EXPECT_EQ(status.status, 75) << status.output;
  EXPECT_THAT(
      status.output,
      HasSubstr("damaged: " + (fs::path("quiet") / fs::relative(file, a.cell.path() / "quiet")).string()));
  const Outcome again = a.batch({"run", "quiet", "--workers", "1"});
  EXPECT_THAT(again.output, MeasuredUnits(1, 7));
  EXPECT_TRUE(slurp(file) == before);
}

TEST(ScenarioBatch, AFullDiskIsTriedAgainLater) {
  const Archive a;
  ASSERT_EQ(a.plan("b").status, 0);
  // Files of at most two blocks stand for a full disk: a write is refused in the same way.
  const Outcome full =
      run({"/bin/sh", "-c", "ulimit -f 2; trap '' XFSZ; exec " DATUM_BIN "/datumd-batch run b --workers 2"},
          a.cell.path());
  EXPECT_EQ(full.status, 75) << full.output;
  EXPECT_THAT(full.output, HasSubstr("stopped: "));
  EXPECT_THAT(full.output, HasSubstr("mend that and run it again"));
  EXPECT_EQ(a.outputs("b"), 0);
  EXPECT_EQ(a.batch({"run", "b"}).status, 0);
  EXPECT_TRUE(a.merged("b") == a.undisturbed());
}

TEST(ScenarioBatch, AFrameThatChangedIsNamedAndTheOthersGoOn) {
  const Archive a;
  ASSERT_EQ(a.plan("b").status, 0);
  a.cell.write(Archive::file(3), Archive::bytes(4));  // another board under its name
  a.cell.write(Archive::file(5), Archive::bytes(5).substr(0, 1000));
  fs::remove(a.cell.path() / Archive::file(6));
  const Outcome run = a.batch({"run", "b", "--workers", "2", "--attempts", "2"});
  EXPECT_EQ(run.status, 65) << run.output;
  EXPECT_THAT(run.output, MeasuredUnits(5, 0));
  EXPECT_THAT(run.output, HasSubstr("(frame f3): frame f3 with sha256 "));
  EXPECT_THAT(run.output, HasSubstr("lot1/f3.ptr has other bytes"));
  EXPECT_THAT(run.output, HasSubstr("(frame f5): "));
  EXPECT_THAT(run.output, HasSubstr("(frame f6): frame f6 with sha256 "));
  const Outcome status = a.batch({"status", "b"});
  EXPECT_EQ(status.status, 65) << status.output;
  EXPECT_THAT(status.output, HasSubstr("units: 5 done, 3 missing, 0 damaged, 3 of them in poison"));
  EXPECT_EQ(a.batch({"run", "b"}).status, 65) << "they are not tried again by themselves";
  EXPECT_EQ(a.batch({"merge", "b", "-o", "b.db"}).status, 78);
  for (const int n : {3, 5, 6}) a.cell.write(Archive::file(n), Archive::bytes(n));
  EXPECT_EQ(a.batch({"run", "b", "--again"}).status, 0);
  EXPECT_TRUE(a.merged("b") == a.undisturbed());
}

TEST(ScenarioBatch, WhatIsNoFrameIsNamedInTheManifest) {
  const Archive a;
  a.cell.write("archive/lot0/cut.ptr", Archive::bytes(1).substr(0, 100));
  a.cell.write("archive/notes.json", "{}");
  a.cell.write("archive/readme.txt", "not asked for");
  fs::create_symlink("/etc/passwd", a.cell.path() / "archive/link.ptr");
  const Outcome planned = a.plan("b");
  EXPECT_EQ(planned.status, 0) << planned.output;
  for (const char* name :
       {"not in the manifest: link.ptr: is a symbolic link", "not in the manifest: lot0/cut.ptr: ",
        "not in the manifest: notes.json: ", "units: 8 for backend cpu, 3 frames or results without"})
    EXPECT_THAT(planned.output, HasSubstr(name));
  EXPECT_EQ(a.batch({"run", "b"}).status, 0);
  EXPECT_THAT(a.batch({"status", "b"}).output, HasSubstr("3 not in the manifest"));
}

TEST(ScenarioBatch, AHostileManifestReadsNothingBesideItsFrames) {
  const Archive a;
  ASSERT_EQ(a.plan("b").status, 0);
  const Manifest good = Manifest::load(a.cell.path() / "b");
  BatchUnit unit = good.unit(0);
  a.cell.write("secret/secret.ptr", Archive::bytes(1));
  unit.asked.frame_source = "../secret/secret.ptr";
  a.cell.write("b/manifest.jsonl", manifest_text(good.head(), {unit}, {}));
  const Outcome run = a.batch({"run", "b", "--attempts", "1"});
  EXPECT_EQ(run.status, 65) << run.output;
  EXPECT_THAT(run.output, HasSubstr(" is no longer in "));
  EXPECT_THAT(run.output, Not(HasSubstr("secret/secret.ptr")));
  BoardVerdict& asked = unit.asked;
  asked.recipe_sha256 = "../../../etc/passwd";
  a.cell.write("b/manifest.jsonl", manifest_text(good.head(), {unit}, {}));
  EXPECT_THAT(a.batch({"run", "b", "--attempts", "1"}).output, HasSubstr("is not in the batch"));
  ManifestHead head = good.head();
  head.code = "0.1.0 another";
  a.cell.write("b/manifest.jsonl", manifest_text(head, {unit}, {}));
  const Outcome other = a.batch({"run", "b"});
  EXPECT_EQ(other.status, 78);
  EXPECT_THAT(other.output, HasSubstr("the manifest is for datumd 0.1.0 another"));
}

TEST(ScenarioBatch, AnAuditFindsAnAlteredOutput) {
  const Archive a;
  a.undisturbed();
  const Outcome same = a.batch({"audit", "quiet", "--percent", "100"});
  EXPECT_EQ(same.status, 0) << same.output;
  EXPECT_THAT(
      same.output,
      HasSubstr("audit by backend cpu of 8 of 8 units: 8 the same bytes, 0 other bytes, 0 not compared"));
  EXPECT_THAT(a.batch({"audit", "quiet"}).output, HasSubstr("of 1 of 8 units: 1 the same bytes"));
  // A right sum over another number: what a machine with another arithmetic would write.
  const std::string key = Manifest::load(a.cell.path() / "quiet").key(2);
  BoardVerdict verdict = verdict_from_json(find_output(a.cell.path() / "quiet", key).output.verdict);
  verdict.components.at(0).checks.at(0).value += 1e-9;
  write_beside_others(a.output("quiet", 2), output_text(key, "cpu", verdict));
  const Outcome other = a.batch({"audit", "quiet", "--percent", "100"});
  EXPECT_EQ(other.status, 1) << other.output;
  EXPECT_THAT(other.output, HasSubstr("OTHER BYTES: unit " + key + " (frame f"));
  EXPECT_THAT(other.output, HasSubstr("/components/0/checks/0/value_um: "));
}

// The test worker fails with its second order; it stands for datumd-gpu, and measures on the CPU.
TEST(ScenarioBatch, WhatAGpuFailsAtIsMeasuredByAGpu) {
  const Archive a;
  const datum::testing::FreshFolder programs;
  fs::copy_file(fs::path(DATUM_BIN) / "datumd-batch", programs / "datumd-batch");
  fs::copy_file(DATUM_TEST_WORKER_PROGRAM, programs / "datumd-gpu");
  const auto batch = [&](std::vector<std::string> words, const std::string& how) {
    words.insert(words.begin(), (programs / "datumd-batch").string());
    Program program(words, a.cell.path(), how + words[1] + ".log",
                    {{"CUDA_VISIBLE_DEVICES", "0,1"}, {"DATUM_TEST_WORKER", how}});
    const int status = program.wait();
    return Outcome{status, program.output()};
  };
  const Outcome planned = batch({"manifest", "b", "--archive", "archive", "--sensor", "sensor.toml",
                                 "--recipe", "recipes/box.toml", "--backend", "cuda"},
                                "well");
  EXPECT_EQ(planned.status, 0) << planned.output;
  const Outcome none = batch({"run", "b"}, "dies");
  EXPECT_EQ(none.status, 75) << none.output;
  EXPECT_EQ(a.outputs("b"), 0);
  const Outcome faulty = batch({"run", "b", "--lanes", "2"}, "fault");
  EXPECT_EQ(faulty.status, 75) << faulty.output;
  EXPECT_THAT(faulty.output, HasSubstr("later: unit "));  // a FAIL is measured twice, once mirrored
  EXPECT_THAT(faulty.output, HasSubstr("an illegal memory access was encountered"));
  EXPECT_GT(a.outputs("b"), 0);
  const Manifest manifest = Manifest::load(a.cell.path() / "b");
  for (std::size_t i = 0; i < manifest.size(); ++i)
    if (const std::string id = manifest.unit(i).asked.frame_id; id == "f3" || id == "f6")
      EXPECT_FALSE(fs::exists(a.output("b", i))) << "the CPU measures nothing under the GPU's name";
  const Outcome well = batch({"run", "b"}, "well");
  EXPECT_EQ(well.status, 0) << well.output;
  const std::string key = Manifest::load(a.cell.path() / "b").key(0);
  EXPECT_EQ(find_output(a.cell.path() / "b", key).output.backend, "cuda");
  const Outcome audit = batch({"audit", "b", "--percent", "100", "--backend", "cpu"}, "well");
  EXPECT_EQ(audit.status, 0) << audit.output;
  EXPECT_THAT(audit.output, HasSubstr("audit by backend cpu of 8 of 8 units: 8 the same bytes"));
}

TEST(ScenarioBatch, AStoreIsReadAndComparedAsWhatIfDoes) {
  Archive a;
  a.cell.start();
  {
    const auto host = a.cell.connect();
    host->command("DATA:PUSH ON");
    for (int n = 1; n <= 3; ++n) {
      a.cell.deliver("f" + std::to_string(n), Archive::bytes(n));
      host->result();
    }
  }
  a.cell.daemon().signal(SIGTERM);
  a.cell.daemon().wait();
  const std::string store = slurp(a.cell.path() / "results.db");
  a.cell.write("edited.toml", Cell::recipe_text(300));
  const Outcome planned =
      a.batch({"manifest", "b", "--config", "datumd.toml", "--recipe", "edited.toml", "--backend", "cpu"});
  EXPECT_EQ(planned.status, 0) << planned.output;
  EXPECT_EQ(a.batch({"run", "b"}).status, 0);
  const Outcome merged = a.batch({"merge", "b", "-o", "b.db"});
  EXPECT_EQ(merged.status, 0) << merged.output;
  const Outcome tried =
      run({"datumctl", "recipe", "what-if", "edited.toml", "--config", "datumd.toml"}, a.cell.path());
  const std::string flip = tried.output.substr(0, tried.output.find("boards: "));
  EXPECT_THAT(flip, HasSubstr("result 3: FAIL -> PASS\n  B1 FAIL -> PASS (median 70"));
  EXPECT_THAT(merged.output, HasSubstr(flip));
  EXPECT_THAT(merged.output, HasSubstr("boards: 3 measured, 1 with another verdict"));
  // By the recipe of then, from the text that the store keeps: nothing changes.
  const Outcome then =
      a.batch({"manifest", "then", "--config", "datumd.toml", "--last", "2", "--backend", "cpu"});
  EXPECT_THAT(then.output, HasSubstr("units: 2 for"));
  EXPECT_EQ(a.batch({"run", "then"}).status, 0);
  EXPECT_THAT(a.batch({"merge", "then", "-o", "then.db"}).output,
              HasSubstr("boards: 2 measured, 0 with another verdict"));
  // The README's own lines.
  const std::string readme = slurp(DATUM_SOURCE_DIR "/daemon/batch/README.md");
  const std::size_t begin = readme.find("```sh\n") + 6;
  std::string lines =
      "set -e; PATH=" DATUM_BIN ":$PATH\n" + readme.substr(begin, readme.find("```", begin) - begin);
  for (const auto& [there, here] :
       {std::pair{"/etc/datumd/datumd.toml", "datumd.toml"}, std::pair{"mainboard", "box"}})
    lines.replace(lines.find(there), std::string(there).size(), here);
  const Outcome shown = run({"/bin/sh", "-c", lines}, a.cell.path());
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_THAT(shown.output, HasSubstr("boards: 3 measured, 1 with another verdict"));
  EXPECT_TRUE(slurp(a.cell.path() / "results.db") == store) << "the store is only read";
}

TEST(ScenarioBatch, AnArchiveOfAMovingStageIsMeasuredAtItsPositions) {
  const datum::testing::FreshFolder folder;
  const std::string config = DATUM_SOURCE_DIR "/config/";
  fs::create_directory(folder / "archive");
  const auto in = [&](const std::vector<std::string>& words) { return run(words, folder.path()); };
  ASSERT_EQ(in({"virtual-sensor", "--recipe", config + "recipes/demo-board.toml", "--twin",
                config + "twins/demo.toml", "--calibration", config + "calibrations/demo.toml", "--position",
                "120.8,79.4,35.1", "--drop", "archive", "--format", "tiff16"})
                .status,
            0);
  std::string frame;
  for (const auto& entry : fs::directory_iterator(folder / "archive"))
    if (entry.path().extension() == ".json") frame = entry.path().filename();
  folder.write("positions.csv", "# FRAME,X_MM,Y_MM,Z_MM\n" + frame + ",120.8,79.4,35.1\n");
  folder.write("none.csv", "another.json,0,0,0\n");
  const auto decision = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> words{"datumd-batch",
                                   "manifest",
                                   name,
                                   "--archive",
                                   "archive",
                                   "--sensor",
                                   config + "sensors/virtual.toml",
                                   "--recipe",
                                   config + "recipes/demo-board.toml",
                                   "--backend",
                                   "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome planned = in(words);
    if (planned.status != 0) return planned.output;
    if (const Outcome measured = in({"datumd-batch", "run", name}); measured.status != 0)
      return measured.output;
    const Manifest manifest = Manifest::load(folder.path() / name);
    if (manifest.size() == 0) return manifest.unmeasurable().at(0).why;
    const BoardVerdict verdict =
        verdict_from_json(find_output(folder.path() / name, manifest.key(0)).output.verdict);
    EXPECT_EQ(verdict.calibration, "demo-cell-2026-01");
    return std::string(name_of(verdict.decision));
  };
  const std::string calibration = config + "calibrations/demo.toml";
  EXPECT_EQ(decision("at", {"--calibration", calibration, "--positions", "positions.csv"}), "PASS");
  EXPECT_NE(decision("elsewhere", {"--calibration", calibration}), "PASS");
  EXPECT_THAT(decision("unknown", {"--calibration", calibration, "--positions", "none.csv"}),
              HasSubstr("states no position of it"));
  EXPECT_THAT(decision("uncalibrated", {}), HasSubstr("is in machine coordinates, and needs --calibration"));
}

}  // namespace
}  // namespace datum::scenario
