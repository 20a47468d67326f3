// Recipe choice, arming and trigger.
#include <fmt/format.h>

#include "config/utc_time.h"
#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

void catalog(Call& call) {
  std::string out;
  for (const auto& name : call.instrument().recipes()) out += (out.empty() ? "" : ",") + quote(name);
  call.session.answer(out.empty() ? quote("") : out);
}

void choose_recipe(Call& call) {
  std::optional<std::string> sha256;
  if (call.arguments[1]) sha256 = call[1].text;
  call.instrument().select_recipe(call[0].text, sha256);
}

void chosen_recipe(Call& call) {
  const auto recipe = call.instrument().recipe().value_or(SelectedRecipe{});
  call.session.answer(quote(recipe.name) + "," + quote(recipe.sha256));
}

const std::string& checked_serial(const std::string& serial) {
  constexpr std::size_t longest = 128;
  if (serial.size() > longest)
    throw Error(too_much_data, fmt::format("{} characters; at most {}", serial.size(), longest));
  for (const char c : serial)
    if (c < ' ' || c > '~') throw Error(illegal_parameter_value, "a serial number is printable ASCII");
  return serial;
}

void choose_unit(Call& call) { call.instrument().set_unit(checked_serial(call[0].text)); }

void choose_panel_serials(Call& call) {
  std::vector<std::string> serials;
  for (const auto& given : call.arguments) serials.push_back(checked_serial(given->text));
  call.instrument().set_panel_serials(serials);
}

void panel_serials(Call& call) {
  std::string out;
  for (const std::string& serial : call.instrument().panel_serials())
    out += (out.empty() ? "" : ",") + quote(serial);
  call.session.answer(out.empty() ? quote("") : out);
}

void temperature(Call& call) {
  const auto told = call.instrument().temperature();
  if (!told)
    throw Error(data_corrupt_or_stale, "no host reported the cell's temperature; SENSe:TEMPerature does");
  call.session.answer(fmt::format("{},{}", number(told->degc), quote(iso8601_from_utc(told->utc_s))));
}

/// Trigger source (SCPI-99 volume 2, TRIGger:SOURce). IMMediate is refused: a measurement begins with a command or with a
/// frame.
void choose_source(Call& call) {
  call.instrument().set_trigger_source(call[0].word == 0 ? TriggerSource::bus : TriggerSource::external);
}

void which_source(Call& call) {
  call.session.answer(call.instrument().trigger_source() == TriggerSource::bus ? "BUS" : "EXT");
}

std::vector<Command> trigger_commands() {
  Parameter source{Parameter::Kind::character, "source"};
  source.words = {"BUS", "EXTernal"};
  return {
      {"TRIGger[:IMMediate]",
       [](Call& c) { c.instrument().trigger(); },
       {},
       "measure the board that lies there",
       Access::measures},
      {"TRIGger[:SEQuence]:SOURce",
       choose_source,
       {source},
       "what starts a measurement once armed: BUS a TRIGger command, EXTernal each frame that the sensor "
       "delivers; not "
       "while armed, no EXTernal with a CMM; *RST and start: inspection.trigger of the configuration"},
      {"TRIGger[:SEQuence]:SOURce?", which_source, {}, "BUS or EXT"},
  };
}

}  // namespace

std::vector<Command> inspection_commands() {
  const Parameter name{Parameter::Kind::string, "name"};
  const Parameter sha256{Parameter::Kind::string, "sha256", true};
  const Parameter serial{Parameter::Kind::string, "serial"};
  Parameter board_serial = serial;
  board_serial.most = 1000;  // boards of a panel
  const Parameter degc{Parameter::Kind::number,   "degC", false, -20, 60, std::nullopt,
                       Dimension::degrees_celsius};
  std::vector<Command> commands = {
      {"MMEMory:CATalog:RECipe?", catalog, {}, "names of all recipes"},
      {"CONFigure:RECipe:CATalog?", catalog, {}, "names of all recipes"},
      {"CONFigure:RECipe",
       choose_recipe,
       {name, sha256},
       "choose a recipe; with its hash: only if the file is that one"},
      {"CONFigure:RECipe?",
       chosen_recipe,
       {},
       "name and hash of the chosen recipe, empty where there is none"},
      {"CONFigure:UNIT", choose_unit, {serial}, "serial number of the next board", Access::measures},
      {"CONFigure:UNIT?", [](Call& c) { c.session.answer(quote(c.instrument().unit())); }, {}, ""},
      {"CONFigure:UNIT:REPair",
       [](Call& c) { c.instrument().set_repair(checked_serial(c[0].text)); },
       {{Parameter::Kind::string, "repair"}},
       "what was done to the next board since it was measured last: a rework, no retest; \"\" takes it back",
       Access::measures},
      {"CONFigure:UNIT:REPair?", [](Call& c) { c.session.answer(quote(c.instrument().repair())); }, {}, ""},
      {"CONFigure:UNIT:BOARds",
       choose_panel_serials,
       {board_serial},
       "serial numbers of the boards of the next panel, one for each place of the chosen recipe in its "
       "order, "
       "\"\" for a board without; one \"\" takes them back",
       Access::measures},
      {"CONFigure:UNIT:BOARds?", panel_serials, {}, ""},
      {"SENSe:TEMPerature",
       [](Call& c) { c.instrument().set_temperature(c[0].number); },
       {degc},
       "report the cell's present temperature, which a calibration may demand",
       Access::measures},
      {"SENSe:TEMPerature?",
       temperature,
       {},
       "the temperature that was reported last in degC, and when (UTC)"},
      {"INITiate[:IMMediate]",
       [](Call& c) { c.instrument().arm(); },
       {},
       "arm: the next trigger measures a board"},
      {"ABORt",
       [](Call& c) { c.instrument().abort(); },
       {},
       "end waiting or measuring without a result, disarm; any host may, even without control",
       Access::stops},
  };
  for (auto& command : trigger_commands()) commands.push_back(std::move(command));
  return commands;
}

}  // namespace datum::scpi
