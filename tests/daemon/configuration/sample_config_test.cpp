// config/datumd.toml documents every key, so it is loaded and compared with the loader's keys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "daemon/configuration/daemon_config.h"
#include "drivers/cmm/presets.h"
#include "drivers/profile/sensor_profile_file.h"
#include "tests/fresh_folder.h"
#include "tests/sample_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using testing::known_keys;
using testing::shown_keys;
using testing::slurp;

const fs::path shipped = fs::path(DATUM_SOURCE_DIR) / "config";

/// Every key of the sample; a CMM demands the other trigger mode.
std::string with_every_key(const std::string& sample) {
  std::string text = testing::with_every_key(sample);
  return text.replace(text.find("trigger = \"on_frame\""), 20, "trigger = \"bus\"");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// A cell as installed, but with its state in the test's folder.
class SampleConfig : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy(shipped, folder.path() / "etc", fs::copy_options::recursive);
    fs::create_directories(folder.path() / "state");
  }
  fs::path with_state_here(const std::string& text) {
    return folder.write("etc/datumd.toml",
                        replaced(text, "/var/lib/datumd", (folder.path() / "state").string()));
  }
  const std::string sample = slurp(shipped / "datumd.toml");
  const std::int64_t now_utc_s = 1'780'000'000;  // 2026-05-28, within the demonstration's calibration
  testing::FreshFolder folder;
};

TEST_F(SampleConfig, LoadsWithItsProfileCalibrationsAndRecipes) {
  EXPECT_THAT(lines_of(check_cell(with_state_here(sample), now_utc_s)), ::testing::IsEmpty());
}

TEST_F(SampleConfig, LoadsWithEveryOptionalKey) {
  const std::string whole = with_every_key(sample);
  ASSERT_NE(whole.find("\n[cmm.pairing]\n"), std::string::npos);
  EXPECT_THAT(check_config(with_state_here(whole), now_utc_s), ::testing::IsEmpty());
}

TEST_F(SampleConfig, StatesTheDefaultsThatTheCodeHas) {
  const DaemonConfig plain = load_daemon_config(with_state_here(sample));
  const DaemonConfig whole = load_daemon_config(with_state_here(with_every_key(sample)));
  EXPECT_EQ(plain.file_drop.rescan_ms, whole.file_drop.rescan_ms);
  EXPECT_EQ(plain.file_drop.settle_ms, whole.file_drop.settle_ms);
  EXPECT_EQ(plain.file_drop.images_timeout_ms, whole.file_drop.images_timeout_ms);
  EXPECT_EQ(plain.file_drop.max_frame_mpix, whole.file_drop.max_frame_mpix);
  EXPECT_EQ(plain.arm_at_start, whole.arm_at_start);
  EXPECT_EQ(plain.frame_timeout_ms, whole.frame_timeout_ms);
  EXPECT_EQ(plain.late_frame_ms, whole.late_frame_ms);
  EXPECT_EQ(plain.temperature_max_age_s, whole.temperature_max_age_s);
  EXPECT_EQ(plain.backend.kind, whole.backend.kind);
  EXPECT_EQ(plain.backend.threads, whole.backend.threads);
  EXPECT_EQ(plain.control.reserved, whole.control.reserved);
  EXPECT_EQ(plain.tcp->role, whole.tcp->role);
  EXPECT_EQ(SerialLinkSettings{}.role, whole.serial->role);
  EXPECT_EQ(CommandServerSettings{}.role, whole.gocator_host->role);
  EXPECT_EQ(modbus::TcpSettings{}.role, whole.modbus_tcp->role);
  EXPECT_EQ(modbus::SerialLineSettings{}.role, whole.modbus_serial->role);
  EXPECT_EQ(plain.tcp->address, whole.tcp->address);
  EXPECT_EQ(plain.tcp->port, whole.tcp->port);
  EXPECT_EQ(plain.tcp->most_connections, whole.tcp->most_connections);
  const auto per_address = [](const auto& s) {
    return most_per_address({s.most_connections, s.most_per_address, s.address});
  };
  EXPECT_EQ(per_address(*plain.tcp), per_address(*whole.tcp));
  EXPECT_EQ(per_address(CommandServerSettings{"127.0.0.1", 0, 16}), per_address(*whole.gocator_host));
  EXPECT_EQ(per_address(modbus::TcpSettings{}), per_address(*whole.modbus_tcp));
  EXPECT_EQ(plain.tcp->idle_s, whole.tcp->idle_s);
  EXPECT_EQ(CommandServerSettings{}.idle_s, whole.gocator_host->idle_s);
  EXPECT_EQ(plain.tcp->commands_per_second, whole.tcp->commands_per_second);
  EXPECT_TRUE(plain.tcp->allow.everybody());
  EXPECT_FALSE(whole.tcp->allow.allows("192.168.2.1:1024")) << "an example";
  EXPECT_EQ(plain.tcp->push_results, whole.tcp->push_results);
  EXPECT_FALSE(whole.serial->gocator);
  const GocatorSettings gocator, &shown = *whole.gocator_host->gocator;
  EXPECT_EQ(
      std::tie(gocator.asynchronous, gocator.delimiter, gocator.terminator, gocator.invalid, gocator.format),
      std::tie(shown.asynchronous, shown.delimiter, shown.terminator, shown.invalid, shown.format));
  EXPECT_EQ(SerialLinkSettings{}.push_results, whole.serial->push_results);
  EXPECT_EQ(line_format(SerialSettings{}), line_format(whole.serial->line));

  const modbus::TcpSettings modbus_nominal, &modbus_file = *whole.modbus_tcp;
  EXPECT_EQ(modbus_nominal.address, modbus_file.address);
  EXPECT_EQ(modbus_nominal.port, modbus_file.port);
  EXPECT_EQ(modbus_nominal.most_connections, modbus_file.most_connections);
  EXPECT_EQ(modbus_nominal.idle_s, modbus_file.idle_s);
  const modbus::SerialLineSettings rtu_nominal, &rtu_file = *whole.modbus_serial;
  EXPECT_EQ(rtu_nominal.line.parity, rtu_file.line.parity);
  EXPECT_EQ(rtu_nominal.line.stop_bits, rtu_file.line.stop_bits);
  EXPECT_EQ(rtu_nominal.unit, rtu_file.unit);

  const ScannerSettings scanner, &scanner_file = *whole.scanner;
  EXPECT_EQ(line_format(scanner.line), line_format(scanner_file.line));
  EXPECT_EQ(
      std::tie(scanner.prefix, scanner.suffix, scanner.silence_ms, scanner.duplicate_ms, scanner.late_ms,
               scanner.valid_s, scanner.format, scanner.identifier),
      std::tie(scanner_file.prefix, scanner_file.suffix, scanner_file.silence_ms, scanner_file.duplicate_ms,
               scanner_file.late_ms, scanner_file.valid_s, scanner_file.format, scanner_file.identifier));

  const CalibrateSettings nominal, &calibrate = *whole.calibrate;
  EXPECT_EQ(nominal.touch_timeout_ms, calibrate.touch_timeout_ms);
  EXPECT_EQ(nominal.outwards, calibrate.outwards);
  EXPECT_EQ(nominal.squareness_rad, calibrate.squareness_rad);
  EXPECT_EQ(nominal.scale_ppm, calibrate.scale_ppm);
  EXPECT_EQ(nominal.u_squareness_rad, calibrate.u_squareness_rad);
  EXPECT_EQ(nominal.u_scale_ppm, calibrate.u_scale_ppm);
  EXPECT_EQ(nominal.u_position_um, calibrate.u_position_um);
  EXPECT_EQ(nominal.valid_days, calibrate.valid_days);
  EXPECT_EQ(nominal.temperature_window_k, calibrate.temperature_window_k);
  EXPECT_EQ(nominal.max_residual_um, calibrate.max_residual_um);
  EXPECT_EQ(nominal.probe_radius_limit_um, calibrate.probe_radius_limit_um);
  EXPECT_EQ(nominal.probe_checked_by, calibrate.probe_checked_by);
  EXPECT_EQ(HoleSettings{}.gauge_valid_h, whole.holes->gauge_valid_h);
  EXPECT_EQ(nominal.drift_limit_um, calibrate.drift_limit_um);
  EXPECT_EQ(nominal.drift_limit_mdeg, calibrate.drift_limit_mdeg);

  const CmmSettings code, &file = *whole.cmm;
  EXPECT_EQ(code.delimiters, file.delimiters);
  EXPECT_EQ(code.grouping, file.grouping);
  EXPECT_EQ(code.group_window_ms, file.group_window_ms);
  EXPECT_EQ(code.max_age_ms, file.max_age_ms);
  EXPECT_EQ(code.touch, file.touch);
  EXPECT_EQ(code.framing.terminator, file.framing.terminator);
  EXPECT_EQ(code.framing.max_length, file.framing.max_length);
  EXPECT_EQ(code.poll.period_ms, file.poll.period_ms);
  EXPECT_EQ(code.poll.timeout_ms, file.poll.timeout_ms);
  EXPECT_EQ(code.pairing.tolerance_um, file.pairing.tolerance_um);
  EXPECT_EQ(code.pairing.window_ms, file.pairing.window_ms);
  EXPECT_EQ(code.pairing.position_timeout_ms, file.pairing.position_timeout_ms);
  EXPECT_EQ(code.pairing.latency_ms, file.pairing.latency_ms);
  EXPECT_EQ(AxisSettings{}.max_mm, file.axes.at(0).max_mm);
}

/// The sample with a network sensor, whose lines begin with `mark`, in place of the drop folder.
std::string with_network_sensor(const std::string& sample, const std::string& kind, const std::string& mark) {
  std::string text;
  bool block = false;
  for (const std::string& line : testing::lines_of(sample)) {
    block = line == mark + "kind = \"" + kind + "\"" || (block && line.starts_with('#'));
    const bool of_a_folder = line.rfind("drop_folder", 0) == 0;
    if (!of_a_folder) text += (block && line.rfind(mark, 0) == 0 ? line.substr(2) : line) + "\n";
  }
  return text;
}
std::string with_gocator(const std::string& sample) { return with_network_sensor(sample, "gocator", "#|"); }
std::string with_genicam(const std::string& sample) { return with_network_sensor(sample, "genicam", "#-"); }

TEST_F(SampleConfig, LoadsWithAGocator) {
  const fs::path file = with_state_here(with_gocator(sample));
  EXPECT_THAT(check_config(file, now_utc_s), ::testing::IsEmpty());
  const DaemonConfig c = load_daemon_config(file);
  ASSERT_TRUE(c.gocator);
  const gocator::Settings code, &shown = *c.gocator;
  EXPECT_EQ(code.address, shown.address);
  EXPECT_EQ(code.control_port, shown.control_port);
  EXPECT_EQ(code.health_port, shown.health_port);
  EXPECT_EQ(code.data_port, shown.data_port);
  EXPECT_EQ(code.trigger, shown.trigger);
  EXPECT_EQ(code.start, shown.start);
  EXPECT_EQ(code.answer_ms, shown.answer_ms);
  EXPECT_EQ(code.watch_ms, shown.watch_ms);
  EXPECT_EQ(code.stall_ms, shown.stall_ms);
  EXPECT_EQ(code.max_age_ms, shown.max_age_ms);
  EXPECT_EQ(code.max_message_mib, shown.max_message_mib);
  EXPECT_EQ(shown.job, "board-a.job");
  EXPECT_THAT(shown.step_nm, ::testing::ElementsAre(35000, 35000, 1000));
  EXPECT_EQ(deliveries_folder(c), *shown.archive);
}

TEST_F(SampleConfig, ShowsEveryKeyOfAGocator) {
  const auto known =
      known_keys(folder, with_gocator(sample), "sensor.gocator",
                 [](const fs::path& file, config::Problems& p) { load_daemon_config(file, p); });
  EXPECT_FALSE(known.empty());
  auto shown = shown_keys(sample, "sensor.gocator");
  shown.erase("kind");  // belongs to the next alternative
  EXPECT_EQ(known, shown);
}

TEST_F(SampleConfig, LoadsWithAGenicamCamera) {
  const fs::path file = with_state_here(with_genicam(sample));
  EXPECT_THAT(check_config(file, now_utc_s), ::testing::IsEmpty());
  const DaemonConfig c = load_daemon_config(file);
  ASSERT_TRUE(c.genicam);
  const genicam::Settings code, &shown = *c.genicam;
  EXPECT_EQ(code.trigger, shown.trigger);
  EXPECT_EQ(code.socket_buffer_kib, shown.socket_buffer_kib);
  EXPECT_EQ(code.connect_ms, shown.connect_ms);
  EXPECT_EQ(code.answer_ms, shown.answer_ms);
  EXPECT_EQ(code.watch_ms, shown.watch_ms);
  EXPECT_EQ(code.stall_ms, shown.stall_ms);
  EXPECT_EQ(code.max_age_ms, shown.max_age_ms);
  EXPECT_EQ(code.max_frame_mib, shown.max_frame_mib);
  EXPECT_EQ(shown.address, "192.168.1.20");
  EXPECT_EQ(shown.packet_size, 8192);
  EXPECT_THAT(shown.resolution_um, ::testing::ElementsAre(50, 50, 0.5));
}

TEST_F(SampleConfig, ShowsEveryKeyOfAGenicamCamera) {
  auto known = known_keys(folder, with_genicam(sample), "sensor.genicam",
                          [](const fs::path& file, config::Problems& p) { load_daemon_config(file, p); });
  EXPECT_EQ(known.erase("name") + known.erase("serial"), 2u) << "told beside the address";
  EXPECT_EQ(known, shown_keys(sample, "sensor.genicam"));
}

TEST_F(SampleConfig, AFringeSensorsProfileShowsEveryKeyAndTheDefaults) {
  const std::string profile = slurp(shipped / "sensors/fringe.toml");
  const auto known = known_keys(folder, testing::with_every_key(profile), "fringe",
                                [](const fs::path& file, config::Problems& p) {
                                  p.attempt([&] { config::load_sensor_profile(file); });
                                });
  EXPECT_FALSE(known.empty());
  EXPECT_EQ(known, shown_keys(profile, "fringe"));
  const fs::path whole = folder.write("etc/sensors/whole.toml", testing::with_every_key(profile));
  EXPECT_EQ(config::load_sensor_profile(shipped / "sensors/fringe.toml").fringe->shift,
            config::load_sensor_profile(whole).fringe->shift);
}

// Only the calibration is missing, since it is made on the sensor.
TEST_F(SampleConfig, AFringeCellLacksItsCalibrationAndIsToldWhereKindAndProfileContradict) {
  const fs::path file = folder.path() / "etc/demo-fringe.toml";
  EXPECT_THAT(check_config(file, now_utc_s),
              ::testing::ElementsAre(::testing::HasSubstr("etc/fringe/fp-0001.toml")));
  folder.write("etc/demo-fringe.toml", replaced(slurp(file), "kind = \"fringe\"", "kind = \"file_drop\""));
  EXPECT_THAT(check_config(file, now_utc_s),
              ::testing::Contains(::testing::HasSubstr("has a table [fringe], but sensor.kind is not")));
  EXPECT_EQ(load_daemon_config(shipped / "demo-fringe.toml").file_drop.images_timeout_ms, 1000);
  EXPECT_EQ(deliveries_folder(load_daemon_config(shipped / "demo-fringe.toml")), shipped / "drop");
}

TEST_F(SampleConfig, ShowsEveryKeyThatTheLoaderKnowsAndNoOther) {
  const std::string whole = with_every_key(sample);
  for (const std::string header : {"",
                                   "sensor",
                                   "inspection",
                                   "results",
                                   "calibration",
                                   "backend",
                                   "host",
                                   "host.tcp",
                                   "host.serial",
                                   "host.gocator",
                                   "host.modbus_tcp",
                                   "host.modbus_serial",
                                   "scanner",
                                   "cmm",
                                   "cmm.serial",
                                   "cmm.framing",
                                   "cmm.number",
                                   "cmm.axis",
                                   "cmm.column",
                                   "cmm.status_token",
                                   "cmm.poll",
                                   "cmm.watch",
                                   "cmm.pairing"}) {
    const auto known = known_keys(folder, whole, header, [](const fs::path& file, config::Problems& p) {
      load_daemon_config(file, p);
    });
    const auto shown = shown_keys(sample, header);
    EXPECT_FALSE(known.empty()) << "[" << header << "]";
    EXPECT_EQ(known, shown) << "[" << header << "]";
  }
}

TEST_F(SampleConfig, TheTlsTablesAreWhatTheLoaderKnows) {
  const auto begin = sample.find("#|[host.tcp.tls]"), end = sample.find("\n\n", begin);
  ASSERT_NE(begin, std::string::npos);
  const std::string text = sample + "\n" + replaced(sample.substr(begin, end - begin), "#|", "") + "\n";
  for (const std::string header : {"host.tcp.tls", "host.tcp.tls.client"}) {
    const auto known = known_keys(
        folder, text, header, [](const fs::path& file, config::Problems& p) { load_daemon_config(file, p); });
    EXPECT_FALSE(known.empty()) << header;
    EXPECT_EQ(known, shown_keys(sample, header)) << header;
  }
  const DaemonConfig c = load_daemon_config(with_state_here(text));
  ASSERT_TRUE(c.tcp->tls);
  EXPECT_EQ(c.tcp->tls->clients.size(), 2u);
  EXPECT_EQ(c.tcp->tls->clients[0].role, Role::operate);
}

/// A cell with an I++ DME controller by the sample's alternatives.
std::string with_ipp(const std::string& sample) {
  const auto begin = sample.find("#|[cmm.ipp]"), end = sample.find("\n\n", begin);
  std::string text = replaced(sample, "trigger = \"on_frame\"", "trigger = \"bus\"");
  text +=
      "\n[cmm]\npreset = \"ipp_dme\"\n[cmm.tcp]\nhost = \"192.168.10.20\"\n[cmm.pairing]\nlatency_ms = "
      "300\n\n";
  return text + replaced(sample.substr(begin, end - begin), "#|", "") + "\n";
}

TEST_F(SampleConfig, TheIppTableIsWhatTheLoaderKnowsWithItsDefaults) {
  const std::string text = with_ipp(sample);
  const auto known = known_keys(folder, text, "cmm.ipp", [](const fs::path& file, config::Problems& p) {
    load_daemon_config(file, p);
  });
  EXPECT_EQ(known, shown_keys(sample, "cmm.ipp"));
  const CmmSettings file = *load_daemon_config(with_state_here(text)).cmm, code = ipp_dme();
  EXPECT_EQ(std::get<TcpSettings>(file.link).port, 1294);
  EXPECT_EQ(file.ipp.watchdog_ms, code.ipp.watchdog_ms);
  EXPECT_EQ(file.ipp.move_report_mm, code.ipp.move_report_mm);
  EXPECT_EQ(file.ipp.move_report_s, 0.5);
  EXPECT_FALSE(code.ipp.motion);
  ASSERT_TRUE(file.ipp.motion);
  EXPECT_EQ(file.ipp.motion->most_mm, ProbeMotionSettings{}.most_mm);
  EXPECT_EQ(file.ipp.motion->arrival_um, ProbeMotionSettings{}.arrival_um);
  EXPECT_EQ(file.ipp.motion->timeout_ms, ProbeMotionSettings{}.timeout_ms);
  const auto motion =
      known_keys(folder, text, "cmm.ipp.motion",
                 [](const fs::path& path, config::Problems& p) { load_daemon_config(path, p); });
  EXPECT_EQ(motion, shown_keys(sample, "cmm.ipp.motion"));
  EXPECT_EQ(file.ipp.tool + file.ipp.coordinate_system, "Probe1PartCsy");
  EXPECT_EQ(file.ipp.transformation, (std::array<double, 6>{}));
}

}  // namespace
}  // namespace datum
