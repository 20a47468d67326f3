#include "tests/faults/parser_cell.h"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstring>

#include "tests/drivers/sensor/tiny_files.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int side = 200;

}  // namespace

std::string sidecar_of(const std::string& image, double pitch_mm, double z_scale_um) {
  return fmt::format(
      R"({{"schema_version":1,"sensor_serial":"S-1","job":{{"name":"a","hash":"b"}},"frame_id":"{0}",)"
      R"("capture_time":{{"ns":1,"clock":"unknown"}},"x":{{"scale":{1},"offset":0,"unit":"mm"}},)"
      R"("y":{{"scale":{1},"offset":0,"unit":"mm"}},"z":{{"scale":{2},"offset":0,"unit":"um"}},)"
      R"("invalid_value":-32768,"handedness":"right","height_file":"{0}"}})",
      image, pitch_mm, z_scale_um);
}

void expect_good(scenario::Host& host, const plc::ResultLine& line, Findings& findings) {
  if (line.decision == "PASS") return;
  const std::string verdict = host.ask("FETC:JSON?");
  if (line.decision != "INVALID" || verdict.find("FLOOR_SECOND_LEVEL") == std::string::npos)
    findings.expect(false, line.frame + " is " + line.decision + ": " + verdict);
  else
    findings.count("of them INVALID by their noise");
}

void ParserCell::start() {
  cell_.start();
  reader_ = cell_.connect();
  reader_->send("DATA:PUSH ON\n");
}

void ParserCell::put(const std::string& name) {
  fs::rename(cell_.path() / "outbox" / name, cell_.drop() / name);
}

double ParserCell::board(std::uint32_t noise, int variant) {
  findings_.count("good boards");
  const std::string name = fmt::format("good{}", ++boards_);
  write_good(name, scenario::frame_of_box(scenario::good_height_um, noise), variant);
  const auto from = Clock::now();
  put(name + ".json");
  for (;;) {
    const auto line = reader_->result();
    if (line.frame != name + ".tif") {
      expect_refused(line);
      continue;
    }
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - from).count();
    expect_good(*reader_, line, findings_);
    return ms;
  }
}

/// The .ptr's heights in another format.
void ParserCell::write_good(const std::string& name, const std::string& ptr, int variant) {
  constexpr double count_um = 0.05;
  std::vector<std::int16_t> counts(std::size_t{side} * side);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    float um = 0;
    std::memcpy(&um, ptr.data() + 32 + i * sizeof um, sizeof um);
    counts[i] = static_cast<std::int16_t>(std::lround(um / count_um) + variant);
  }
  testing::TiffOptions lzw;
  lzw.compression = 5;
  testing::write_tiff(cell_.path() / "outbox" / (name + ".tif"), side, side, counts, lzw);
  cell_.write("outbox/" + name + ".json", sidecar_of(name + ".tif", 0.05, count_um));
  put(name + ".tif");
}

void ParserCell::expect_refused(const plc::ResultLine& line) {
  findings_.expect(line.decision != "PASS", line.frame + ", damaged, is PASS");
  --waiting_;
}

void ParserCell::await_damaged() {
  while (waiting_ > 0) expect_refused(reader_->result());
}

void ParserCell::clean() {
  for (const char* folder : {"drop/done", "drop/failed"})
    for (const auto& entry : fs::directory_iterator(cell_.path() / folder)) {
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
    }
}

void ParserCell::finish() {
  scenario::Program& daemon = cell_.daemon();
  findings_.expect(!daemon.has_ended(), "it ended:\n" + daemon.output());
  findings_.expect(daemon.output().find("did not survive") == std::string::npos,
                   "an input ended datumd-parse; see drop/failed");
  daemon.signal(SIGTERM);
  findings_.expect(daemon.wait() == 0, "it failed:\n" + daemon.output());
}

}  // namespace datum::faults
