// CALibration: the steps of a calibration, and the administration of earlier ones.
#include <fmt/format.h>

#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

Calibrator& calibrator(Call& call) { return call.instrument().calibrator(); }

void current(Call& call) {
  const auto c = call.instrument().calibration();
  call.session.answer(fmt::format("{},{},{},{},{},{}", quote(c.id), quote(c.sha256), quote(c.expires),
                                  number(c.residual_rms_um), c.refusal.empty() ? 1 : 0, quote(c.refusal)));
}

void calibration_state(Call& call) {
  std::string out = calibrator(call).step();
  for (const std::string& line : calibrator(call).report()) out += "," + quote(line);
  call.session.answer(out);
}

void calibration_start(Call& call) {
  if (call[1].text.empty()) throw Error(illegal_parameter_value, "a calibration names its operator");
  calibrator(call).start(call[0].text, call[1].text, call[2].number);
}

void accept(Call& call) {
  if (!call.arguments[0]) return calibrator(call).accept();
  if (!call.arguments[1] || call[1].text.empty())
    throw Error(missing_parameter, "who accepts it? CALibration:ACCept \"id\",\"operator\"");
  calibrator(call).accept(call[0].text, call[1].text);
}

}  // namespace

std::vector<Command> calibration_commands() {
  using Kind = Parameter::Kind;
  const Parameter artefact{Kind::string, "artefact"}, who{Kind::string, "operator"},
      face{Kind::string, "face"};
  const Parameter any_id{Kind::string, "id", true}, any_who{Kind::string, "operator", true};
  const Parameter any_face{Kind::string, "face", true}, why{Kind::string, "why"};
  const Parameter degc{Kind::number, "degC", false, -20, 60, std::nullopt, Dimension::degrees_celsius};
  return {
      {"CALibration:STARt",
       calibration_start,
       {artefact, who, degc},
       "begin a calibration with this artefact (its serial number), at this temperature",
       Access::configures},
      {"CALibration:TOUCh",
       [](Call& c) { calibrator(c).touch(c[0].text); },
       {face},
       "take the next touch as one of this face; *OPC? waits for it"},
      {"CALibration:FORGet",
       [](Call& c) { calibrator(c).forget(c.arguments[0] ? c[0].text : ""); },
       {any_face},
       "forget the touches of a face, or all"},
      {"CALibration:SCAN",
       [](Call& c) { calibrator(c).scan(); },
       {},
       "take the next frame as one of the artefact; *OPC? waits for it"},
      {"CALibration:SOLVe",
       [](Call& c) { calibrator(c).solve(); },
       {},
       "compute the transform from touches and scan; *OPC? waits for it"},
      {"CALibration:ACCept",
       accept,
       {any_id, any_who},
       "store what was solved and make it current; with an id: make that one of the folder current",
       Access::configures},
      {"CALibration:VERify",
       [](Call& c) { calibrator(c).verify(); },
       {},
       "compare what was solved with the current calibration; a drift forbids to measure with it",
       Access::configures},
      {"CALibration:WITHdraw",
       [](Call& c) { calibrator(c).withdraw(c[0].text, c[1].text); },
       {who, why},
       "the current calibration is current no more",
       Access::configures},
      {"CALibration:ABORt", [](Call& c) { calibrator(c).abort(); }, {}, "end without a calibration"},
      {"CALibration:STATe?",
       calibration_state,
       {},
       "step, and what is there and what is needed, line by line"},
      {"CALibration:CURRent?",
       current,
       {},
       "id, hash, expiry, residual in um, 1 where it may be used, and why not"},
  };
}

}  // namespace datum::scpi
