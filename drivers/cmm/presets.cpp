#include "drivers/cmm/presets.h"

#include <fmt/format.h>

namespace datum {
namespace {

struct NamedPreset {
  const char* name;
  CmmSettings (*make)();
};
constexpr NamedPreset presets[] = {{"heidenhain_nd28x", heidenhain_nd28x},
                                   {"heidenhain_nd28x_remote", heidenhain_nd28x_remote},
                                   {"heidenhain_nd700", heidenhain_nd700},
                                   {"heidenhain_nd52x", heidenhain_nd52x},
                                   {"mitutoyo_mux10", mitutoyo_mux10},
                                   {"acurite_vro", acurite_vro},
                                   {"magnescale", magnescale},
                                   {"cdi_indicator", cdi_indicator},
                                   {"proscale", proscale},
                                   {"mux4", mux4},
                                   {"marlin", marlin},
                                   {"grbl_1_1", grbl_1_1},
                                   {"ipp_dme", ipp_dme}};

std::vector<AxisSettings> three_axes(const char* x, const char* y, const char* z) {
  std::vector<AxisSettings> axes(3);
  const char* labels[] = {x, y, z};
  for (int i = 0; i < 3; ++i) {
    axes[static_cast<std::size_t>(i)].label = labels[i];
    axes[static_cast<std::size_t>(i)].machine_axis = i;
  }
  return axes;
}

SerialSettings line(int baud, int data_bits, Parity parity, int stop_bits,
                    FlowControl flow = FlowControl::none) {
  SerialSettings settings;
  settings.baud = baud;
  settings.data_bits = data_bits;
  settings.parity = parity;
  settings.stop_bits = stop_bits;
  settings.flow = flow;
  return settings;
}

}  // namespace

CmmSettings heidenhain_nd28x() {
  using Is = Column::Is;
  CmmSettings s;
  s.preset = "heidenhain_nd28x";
  s.link = line(9600, 7, Parity::even, 2, FlowControl::xon_xoff);
  s.framing.optional_stx = true;
  s.framing.max_length = 32;
  s.framing.mask_bit7 = true;
  s.layout = Layout::columns;
  s.columns = {{Is::sign}, {Is::number, 10}, {Is::blank}, {Is::unit}, {Is::sort_status}, {Is::series}};
  s.grouping = Grouping::by_order;
  s.unit_token = UnitToken::blank_is_mm;
  s.axes = three_axes("X", "Y", "Z");
  s.poll.strings = {"\x02"};
  s.touch = TouchRule::latched;
  s.poll.period_ms = 250;  // three lines of 17 characters of 11 bits take 58 ms at 9600 baud
  return s;
}

CmmSettings heidenhain_nd700() {
  using Is = Column::Is;
  CmmSettings s = heidenhain_nd28x();
  s.preset = std::string("heidenhain_nd700");
  s.columns = {{Is::sign}, {Is::number, 9}};
  s.number.pointless = true;
  s.unit_token = UnitToken::none;
  s.touch = TouchRule::stand_still;
  return s;
}

CmmSettings heidenhain_nd28x_remote() {
  CmmSettings s = heidenhain_nd700();
  s.preset = std::string("heidenhain_nd28x_remote");
  s.poll.strings = {
      "\x1b"
      "A0200\r"};
  s.poll.rejected = '\x15';
  return s;
}

CmmSettings heidenhain_nd52x() {
  CmmSettings s;
  s.preset = "heidenhain_nd52x";
  s.link = line(9600, 8, Parity::none, 1);
  s.framing.max_length = 32;
  s.layout = Layout::labelled;
  s.grouping = Grouping::by_label;
  s.unit_token = UnitToken::blank_is_mm;
  s.status_tokens = {{"Error", false, ProbeState::device_error}};
  s.axes = three_axes("X", "Y", "Z");
  s.poll.strings = {"\x02"};
  s.poll.period_ms = 250;  // three lines of 17 characters of 10 bits take 53 ms at 9600 baud
  return s;
}

CmmSettings mitutoyo_mux10() {
  using Is = Column::Is;
  CmmSettings s;
  s.preset = "mitutoyo_mux10";
  s.link = line(9600, 8, Parity::none, 1);
  s.framing.terminator = "\r";
  s.framing.max_length = 32;
  s.layout = Layout::columns;
  s.columns = {{Is::literal, 1, "0"}, {Is::label}, {Is::literal, 1, "A"}, {Is::sign}, {Is::number, 8}};
  s.grouping = Grouping::by_label;
  s.number.decimals = 3;
  s.status_tokens = {{"91", true, ProbeState::device_error}};
  s.axes = three_axes("1", "2", "3");
  s.touch = TouchRule::latched;
  return s;
}

CmmSettings acurite_vro() {
  CmmSettings s;
  s.preset = "acurite_vro";
  s.link = line(9600, 8, Parity::none, 1);
  s.framing.terminator = "\r";
  s.framing.max_length = 48;
  s.layout = Layout::labelled;
  s.grouping = Grouping::by_label;
  s.unit_token = UnitToken::required;
  s.status_tokens = {{"Error", false, ProbeState::device_error}, {"***", false, ProbeState::device_error}};
  s.axes = three_axes("X", "Y", "Z");
  s.poll.strings = {"?A1\r", "?A2\r", "?A3\r"};
  s.group_window_ms = 300;  // three polls and answers of up to 24 characters take 90 ms at 9600 baud
  s.poll.period_ms = 400;
  return s;
}

CmmSettings magnescale() {
  using Is = Column::Is;
  CmmSettings s;
  s.preset = "magnescale";
  s.link = line(9600, 8, Parity::none, 1);
  s.framing.max_length = 32;
  s.layout = Layout::columns;
  s.columns = {{Is::label, 2},         {Is::one_of, 1, "N"}, {Is::unit_letter},
               {Is::one_of, 1, "UGL"}, {Is::sign},           {Is::number, 7}};
  s.grouping = Grouping::by_label;
  s.unit_token = UnitToken::required;
  s.status_tokens = {{"Error", false, ProbeState::device_error}, {"F", false, ProbeState::device_error}};
  s.axes = three_axes("00", "01", "02");
  return s;
}

CmmSettings cdi_indicator() {
  using Is = Column::Is;
  CmmSettings s;
  s.preset = "cdi_indicator";
  s.link = line(9600, 8, Parity::none, 1);
  s.framing.max_length = 32;
  s.layout = Layout::columns;
  s.columns = {{Is::sign}, {Is::number, 8}, {Is::blank}, {Is::literal, 1, ","}, {Is::unit, 2}};
  s.number.pointless = true;
  s.unit_token = UnitToken::required;
  AxisSettings z;
  z.label = "Z";
  z.machine_axis = 2;
  s.axes = {z};
  return s;
}

CmmSettings proscale() {
  CmmSettings s;
  s.preset = "proscale";
  s.link = line(9600, 8, Parity::none, 1);
  s.framing.max_length = 48;
  s.layout = Layout::expression;
  s.expression = R"( *(?<value>[-+]? *[0-9.]+) +(?<unit>[A-Za-z]+) +(?<label>[0-9]) *)";
  s.grouping = Grouping::by_label;
  s.unit_token = UnitToken::required;
  s.axes = three_axes("1", "2", "3");
  return s;
}

CmmSettings mux4() {
  CmmSettings s = proscale();
  s.preset = std::string("mux4");
  s.expression = R"((?<label>[0-9]) MW(?<value>[-+][0-9.]+) (?<unit>[A-Za-z]+) *)";
  s.status_tokens = {{" TO ", false, ProbeState::out_of_range}};
  return s;
}

CmmSettings marlin() {
  CmmSettings s;
  s.preset = "marlin";
  s.link = line(115200, 8, Parity::none, 1);
  s.framing.terminator = "\n";
  s.framing.max_length = 255;
  s.layout = Layout::expression;
  s.expression = R"(X: ?(?<X>-?[0-9.]+) Y: ?(?<Y>-?[0-9.]+) Z: ?(?<Z>-?[0-9.]+) E: ?-?[0-9.]+ Count .*)";
  s.status_tokens = {{"ok", true, ProbeState::device_error, false, true},
                     {"echo:", true, ProbeState::device_error, false, true},
                     {"start", false, ProbeState::not_referenced, true},
                     {"Error:", true, ProbeState::device_error}};
  s.axes = three_axes("X", "Y", "Z");
  // M114 reports the target of the last move, M400 waits for its end.
  s.poll.strings = {"M400\nM114\n"};
  s.poll.period_ms = 500;
  s.poll.timeout_ms = 2000;
  return s;
}

CmmSettings grbl_1_1() {
  CmmSettings s;
  s.preset = "grbl_1_1";
  s.link = line(115200, 8, Parity::none, 1);
  s.framing.max_length = 255;
  s.layout = Layout::grbl;
  s.number.decimals = 3;  // 4 in inches
  s.device_tells_unit = true;
  s.setup = "$$\n$I\n";
  s.touch = TouchRule::latched;
  s.axes = three_axes("X", "Y", "Z");
  s.poll.strings = {"?"};
  s.poll.period_ms = 200;  // GRBL's own guidance: 5 Hz
  return s;
}

CmmSettings ipp_dme() {
  CmmSettings s;
  s.preset = "ipp_dme";
  s.link = TcpSettings{"", 1294};
  s.layout = Layout::ipp_dme;
  s.touch = TouchRule::latched;
  s.axes = three_axes("X", "Y", "Z");
  s.poll.timeout_ms = 1000;  // a position and its context: up to six requests and answers
  return s;
}

CmmSettings preset_by_name(const std::string& name) {
  std::string known;
  for (const NamedPreset& preset : presets) {
    if (name == preset.name) return preset.make();
    known += (known.empty() ? "" : ", ") + std::string(preset.name);
  }
  throw RefusedError(fmt::format("cmm: preset '{}' is not known; allowed: {}", name, known));
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const NamedPreset& preset : presets) names.emplace_back(preset.name);
  return names;
}

std::vector<std::string> line_preset_names() {
  std::vector<std::string> names;
  for (const NamedPreset& preset : presets)
    if (preset.make().layout != Layout::ipp_dme) names.emplace_back(preset.name);
  return names;
}

}  // namespace datum
