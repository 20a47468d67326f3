// The exposition: its grammar and values, and agreement of table, manual and alert rules.
#include "daemon/metrics/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "daemon/metrics/cell_metrics.h"
#include "tests/daemon/metrics/exposition_grammar.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::exposition_test {
namespace {

using ::testing::IsEmpty;
using testing::parse_metrics;

constexpr MonotonicNs ms = 1'000'000;

/// A board triggered at 1 s, with a verdict 30 ms after its frame.
BoardTimes some_times() {
  BoardTimes t;
  t.triggered_ns = 1000 * ms;
  t.noticed_ns = 1008 * ms, t.taken_ns = 1010 * ms, t.read_ns = 1020 * ms, t.turn_ns = 1020 * ms;
  t.complete_ns = 1021 * ms, t.begun_ns = 1022 * ms, t.measured_ns = 1040 * ms;
  t.stored_ns = 1043 * ms, t.announced_ns = 1044 * ms;
  t.plan_ns = 2 * ms, t.heights_ns = 9 * ms, t.evidence_ns = 3 * ms;
  return t;
}

ServiceReading a_service() {
  ServiceReading s;
  s.version = "0.1.0 \"quoted\" back\\slash\nline";
  s.cell = "cell-1";
  s.backend = "cpu avx2 x2";
  s.facts = std::make_shared<ServiceSnapshot>(look_at_service({"/no/such/store", {{"store", "/"}}}));
  s.controller.emplace();
  s.controller->hottest_degc = 51.5;
  s.controller->throttled_by = {"gpu: thermal"};
  s.controller->gpu.emplace();
  s.controller->gpu->clock_mhz = 1980;
  s.controller->gpu->memory_bytes = 80e9;
  s.controller->gpu->memory_free_bytes = 61e9;
  s.worker_restarts = {{"boards", 2}, {"stages", 0}};
  s.oldest_utc_s = 1'700'000'000;
  static constexpr std::array<double, 2> bounds{0.001, 0.01};
  s.retention = RetentionSnapshot{3, 1, Histogram(bounds), false, true, 256 << 20, {{"frames", {7, 4096}}}};
  s.retention->slices_s.observe(0.002);
  return s;
}

class Metrics : public ::testing::Test {
 protected:
  std::string text(MetricsForm form = MetricsForm::prometheus) {
    return metrics.text(cell, a_service(), form);
  }
  testing::FreshFolder folder;
  testing::TestCell cell{folder / "results.db"};
  CellMetrics metrics;
};

TEST_F(Metrics, EveryLineIsOfItsFormat) {
  metrics.board(testing::board(), some_times());
  cell.control().meter().command("tcp 127.0.0.1:1", true, 30'000);
  for (const auto form : {MetricsForm::prometheus, MetricsForm::openmetrics}) {
    const auto parsed = parse_metrics(text(form), form == MetricsForm::openmetrics);
    EXPECT_THAT(parsed.wrong, IsEmpty());
    EXPECT_GT(parsed.samples.size(), 150u);
  }
}

TEST_F(Metrics, TheGrammarSeesWhatIsWrong) {
  EXPECT_FALSE(parse_metrics("a 1\n", false).wrong.empty()) << "no family";
  const std::string head = "# HELP a x\n# TYPE a counter\n";
  EXPECT_TRUE(parse_metrics(head + "a 1\n", false).wrong.empty());
  EXPECT_FALSE(parse_metrics(head + "a 1\na 2\n", false).wrong.empty()) << "twice";
  EXPECT_FALSE(parse_metrics(head + "a{b=\"\"\"} 1\n", false).wrong.empty()) << "an unescaped quote";
  EXPECT_FALSE(parse_metrics(head + "a 1\n", true).wrong.empty()) << "OpenMetrics: _total and # EOF";
  EXPECT_FALSE(
      parse_metrics("# HELP h x\n# TYPE h histogram\nh_bucket{le=\"1.0\"} 3\nh_bucket{le=\"+Inf\"} 2\n"
                    "h_sum 1\nh_count 2\n",
                    false)
          .wrong.empty())
      << "buckets fall";
}

TEST(ExpositionText, IsToTheLetter) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::array<double, 2> bounds{0.5, 1.0};
  Histogram h(bounds);
  for (const double v : {0.5, 7.0}) h.observe(v);
  for (const auto form : {MetricsForm::prometheus, MetricsForm::openmetrics}) {
    Exposition e(form);
    e.add(Metric::backend_info, 1, {{"backend", "a\"b\\c\nd\x01\xc3\xa9"}});
    for (const double v : {infinity, -infinity, std::nan(""), 21.5}) e.add(Metric::temperature, v);
    e.add(Metric::command_seconds, h, {{"link", "x"}});
    e.add(Metric::log_lines_lost, 2);
    const bool open = form == MetricsForm::openmetrics;
    const std::string lost = open ? "datumd_log_lines_lost" : "datumd_log_lines_lost_total";
    EXPECT_EQ(
        e.text(),
        "# HELP datumd_command_duration_seconds From the beginning of a command's execution to its end.\n"
        "# TYPE datumd_command_duration_seconds histogram\n"
        "datumd_command_duration_seconds_bucket{link=\"x\",le=\"0.5\"} 1\n"
        "datumd_command_duration_seconds_bucket{link=\"x\",le=\"1.0\"} 1\n"
        "datumd_command_duration_seconds_bucket{link=\"x\",le=\"+Inf\"} 2\n"
        "datumd_command_duration_seconds_sum{link=\"x\"} 7.5\n"
        "datumd_command_duration_seconds_count{link=\"x\"} 2\n"
        "# HELP datumd_backend_info Who measured last.\n"
        "# TYPE datumd_backend_info gauge\n"
        "datumd_backend_info{backend=\"a\\\"b\\\\c\\nd???\"} 1\n"
        "# HELP datumd_cell_temperature_celsius As a host reported it last.\n"
        "# TYPE datumd_cell_temperature_celsius gauge\n"
        "datumd_cell_temperature_celsius +Inf\n"
        "datumd_cell_temperature_celsius -Inf\n"
        "datumd_cell_temperature_celsius NaN\n"
        "datumd_cell_temperature_celsius 21.5\n"
        "# HELP " +
            lost + " Lines that the journal did not take.\n# TYPE " + lost +
            " counter\n"
            "datumd_log_lines_lost_total 2\n" +
            (open ? "# EOF\n" : ""));
  }
}

TEST_F(Metrics, BoardsAreCountedByWhatBecameOfThem) {
  const auto of = [&](const char* labels) {
    return parse_metrics(text(), false).value("datumd_boards_total", labels);
  };
  EXPECT_EQ(of("decision=\"INVALID\",reason=\"FLOOR_INLIER_RATIO\""), 0)
      << "a first fault must show as an increase";
  metrics.board(testing::board(), some_times());
  metrics.board(testing::board(), some_times());
  EXPECT_EQ(of("decision=\"INVALID\",reason=\"FLOOR_INLIER_RATIO\""), 2);
  EXPECT_EQ(of("decision=\"PASS\",reason=\"NONE\""), 0);
}

TEST_F(Metrics, LatenciesFallIntoTheirBuckets) {
  metrics.board(testing::board(), some_times());
  const auto m = parse_metrics(text(), false);
  EXPECT_EQ(m.value("datumd_frame_to_verdict_seconds_bucket", "le=\"0.02\""), 0);
  EXPECT_EQ(m.value("datumd_frame_to_verdict_seconds_bucket", "le=\"0.05\""), 1);
  EXPECT_NEAR(*m.value("datumd_frame_to_verdict_seconds_sum"), 0.030, 1e-12);
  EXPECT_NEAR(*m.value("datumd_trigger_to_result_seconds_sum"), 0.044, 1e-12);
  EXPECT_NEAR(*m.value("datumd_verdict_to_stored_seconds_sum"), 0.003, 1e-12);
  EXPECT_NEAR(*m.value("datumd_stage_duration_seconds_sum", "stage=\"heights\""), 0.009, 1e-12);
  EXPECT_NEAR(*m.value("datumd_stage_duration_seconds_sum", "stage=\"decide\""), 0.004, 1e-12);
  EXPECT_EQ(m.value("datumd_stage_duration_seconds_count", "stage=\"inspect\""), 0);
  EXPECT_NEAR(*m.value("datumd_stage_duration_seconds_sum", "stage=\"queue\""), 0.001, 1e-12);
}

TEST_F(Metrics, ABoundHoldsWhatIsExactlyAtIt) {
  constexpr std::array<double, 2> bounds{0.5, 1.0};
  Histogram h(bounds);
  for (const double v : {0.5, 0.75, 1.0, 7.0}) h.observe(v);
  EXPECT_EQ(h.counts(), (std::vector<std::uint64_t>{1, 2, 1}));
  EXPECT_EQ(h.sum(), 9.25);
}

TEST(BoardTimesTest, StepsFollowEachOtherWithoutGaps) {
  const BoardTimes t = some_times();
  MonotonicNs sum = 0;
  std::string names;
  for (const BoardStep& step : steps_of(t)) sum += step.took_ns, names += step.name + " ";
  EXPECT_EQ(sum, t.announced_ns - t.noticed_ns);
  EXPECT_EQ(names, "notice read turn position queue plan heights evidence decide store announce ");
}

TEST(BoardTimesTest, TheirJsonIsReadAgain) {
  const auto steps = steps_of(some_times()), read = steps_from_json(to_json(steps));
  ASSERT_EQ(read.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(read[i].name, steps[i].name);
    EXPECT_EQ(read[i].took_ns, steps[i].took_ns);
  }
  EXPECT_THROW(steps_from_json("{\"steps\": [{\"us\": 1}]}"), std::runtime_error);
  EXPECT_THROW(steps_from_json(R"({"steps": [{"step": "read", "us": 1e300}]})"), std::runtime_error);
}

TEST(BoardTimesTest, EveryStepHasAMeaning) {
  BoardTimes part = some_times();
  part.plan_ns = part.heights_ns = part.evidence_ns = 0;
  for (const BoardTimes& t : {some_times(), part})
    for (const BoardStep& step : steps_of(t))
      EXPECT_EQ(std::count_if(board_step_kinds.begin(), board_step_kinds.end(),
                              [&](const BoardStepKind& k) { return step.name == k.name; }),
                1)
          << step.name;
}

TEST_F(Metrics, ABoardWithoutAFrameHasNoTimeOfOne) {
  BoardTimes none;
  none.triggered_ns = 1000 * ms;
  none.begun_ns = none.measured_ns = none.stored_ns = none.announced_ns = 2000 * ms;
  metrics.board(testing::board(), none);
  const auto m = parse_metrics(text(), false);
  EXPECT_EQ(m.value("datumd_frame_to_verdict_seconds_count"), 0);
  EXPECT_EQ(m.value("datumd_trigger_to_result_seconds_count"), 1);
}

TEST_F(Metrics, HostsHaveAnAccountForEachLink) {
  HostMeter& meter = cell.control().meter();
  meter.command("tcp 127.0.0.1:1000", true, 30'000);
  meter.command("tcp 127.0.0.1:2000", false, 3'000'000);
  ++meter.of("serial /dev/x").announced;
  const auto m = parse_metrics(text(), false);
  EXPECT_EQ(m.value("datumd_commands_total", "link=\"host.tcp\",outcome=\"done\""), 1);
  EXPECT_EQ(m.value("datumd_commands_total", "link=\"host.tcp\",outcome=\"refused\""), 1);
  EXPECT_EQ(m.value("datumd_command_duration_seconds_bucket", "link=\"host.tcp\",le=\"5e-05\""), 1);
  EXPECT_EQ(m.value("datumd_command_duration_seconds_count", "link=\"host.tcp\""), 2);
  EXPECT_EQ(m.value("datumd_results_announced_total", "link=\"host.serial\""), 1);
}

TEST_F(Metrics, EventsAndLinesAreCounted) {
  metrics.heard(4, Event::link_lost);
  metrics.heard(6, Event::none);
  const auto m = parse_metrics(text(), false);
  EXPECT_EQ(m.value("datumd_events_total", "event=\"link_lost\""), 1);
  EXPECT_EQ(m.value("datumd_events_total", "event=\"link_back\""), 0);
  EXPECT_EQ(m.value("datumd_log_lines_total", "priority=\"warning\""), 1);
  EXPECT_EQ(m.value("datumd_log_lines_total", "priority=\"info\""), 1);
}

TEST_F(Metrics, TheProcessIsSeen) {
  const auto m = parse_metrics(text(), false);
  EXPECT_GT(*m.value("process_resident_memory_bytes"), 1e6);
  EXPECT_LT(*m.value("process_resident_memory_bytes"), 4e9);
  EXPECT_GE(*m.value("process_open_fds"), 3);
  EXPECT_GE(*m.value("process_threads"), 1);
  EXPECT_GT(*m.value("process_start_time_seconds"), 1e9);
  EXPECT_GT(*m.value("datumd_free_bytes", "place=\"store\""), 0);
  EXPECT_FALSE(m.value("datumd_store_bytes")) << "there is none";
  EXPECT_EQ(m.value("datumd_gpu_clock_hertz", "gpu=\"\""), 1.98e9);
  EXPECT_EQ(m.value("datumd_controller_throttled", "by=\"gpu: thermal\""), 1);
}

TEST_F(Metrics, RetentionAndTheGpuAreSeen) {
  const auto m = parse_metrics(text(), false);
  EXPECT_EQ(m.value("datumd_store_results"), 0);
  EXPECT_EQ(m.value("datumd_store_oldest_timestamp_seconds"), 1.7e9);
  EXPECT_EQ(m.value("datumd_reserve_bytes"), 256 << 20);
  EXPECT_EQ(m.value("datumd_room_short"), 1);
  EXPECT_EQ(m.value("datumd_kept_files", "kind=\"frames\""), 7);
  EXPECT_EQ(m.value("datumd_kept_bytes", "kind=\"frames\""), 4096);
  EXPECT_EQ(m.value("datumd_results_removed_total"), 3);
  EXPECT_NEAR(*m.value("datumd_retention_age_seconds"), static_cast<double>(cell.monotonic_ns() - 1) * 1e-9,
              1e-9);
  EXPECT_EQ(m.value("datumd_retention_slice_duration_seconds_bucket", "le=\"0.001\""), 0);
  EXPECT_EQ(m.value("datumd_retention_slice_duration_seconds_bucket", "le=\"0.01\""), 1);
  EXPECT_EQ(m.value("datumd_retention_clock_doubted"), 0);
  EXPECT_EQ(m.value("datumd_gpu_worker_restarts_total", "worker=\"boards\""), 2);
  EXPECT_EQ(m.value("datumd_gpu_memory_bytes", "gpu=\"\""), 80e9);
  EXPECT_EQ(m.value("datumd_gpu_memory_free_bytes", "gpu=\"\""), 61e9);
}

// Prometheus' own checker, where it is installed (Debian: prometheus).
TEST_F(Metrics, PromtoolFindsNothing) {
  if (std::system("command -v promtool >/dev/null") != 0) GTEST_SKIP() << "promtool is not installed";
  metrics.board(testing::board(), some_times());
  const auto file = folder.write("metrics.txt", text());
  EXPECT_EQ(std::system(("promtool check metrics < " + file.string()).c_str()), 0);
  EXPECT_EQ(std::system("promtool check rules " DATUM_SOURCE_DIR "/systemd/prometheus-alerts.yml"), 0);
}

// An alert on a missing metric never fires.
TEST_F(Metrics, AlertsNameWhatThereIs) {
  std::ifstream in(DATUM_SOURCE_DIR "/systemd/prometheus-alerts.yml");
  const std::string rules{std::istreambuf_iterator<char>(in), {}};
  std::set<std::string> known{"up"};
  for (const MetricFamily& f : metric_families()) {
    known.insert(f.name);
    if (f.kind == MetricKind::histogram) known.insert(std::string(f.name) + "_bucket");
  }
  static const std::regex name(R"(\b((?:datumd|process)_[a-z_]+)\b)");
  int found = 0;
  for (std::sregex_iterator i(rules.begin(), rules.end(), name), end; i != end; ++i, ++found)
    EXPECT_TRUE(known.count((*i)[1])) << (*i)[1];
  EXPECT_GT(found, 10);
}

TEST(MetricTable, NamesFollowPrometheus) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < metric_families().size(); ++i) {
    const MetricFamily& f = metric_families()[i];
    const std::string name = f.name;
    EXPECT_EQ(static_cast<std::size_t>(f.metric), i) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.size() > 6 && name.substr(name.size() - 6) == "_total", f.kind == MetricKind::counter)
        << name;
    EXPECT_TRUE(std::regex_match(name, std::regex("(datumd|process)_[a-z_]+"))) << name;
    for (const char* scaled : {"_ms", "_us", "_um", "_mm", "_mhz", "_kib", "_mib"})
      EXPECT_EQ((name + "_").find(std::string(scaled) + "_"), std::string::npos)
          << name << ": base units only";
    EXPECT_EQ(std::string(f.help).back(), '.') << name;
  }
}

}  // namespace
}  // namespace datum::exposition_test
