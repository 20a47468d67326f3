// FORMat and UNIT: form of the numbers on this link.
#include <fmt/format.h>

#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

/// FORMat[:DATA] ASCii[,0] or REAL[,32|64]; REAL alone is REAL,64 (SCPI-99 volume 2, 9.2).
void data(Call& call) {
  AnswerForm& form = call.session.form();
  const bool real = call[0].word == 1;
  const double length = call.arguments[1] ? call[1].number : real ? 64 : 0;
  if (real ? length != 32 && length != 64 : length != 0)
    throw Error(illegal_parameter_value, fmt::format("length {}; ASCii[,0], REAL,32 or REAL,64", length));
  form.data = !real ? DataFormat::ascii : length == 32 ? DataFormat::real32 : DataFormat::real64;
}

void which_data(Call& call) {
  static constexpr const char* words[] = {"ASC,0", "REAL,32", "REAL,64"};
  call.session.answer(words[static_cast<std::size_t>(call.session.form().data)]);
}

}  // namespace

std::vector<Command> form_commands() {
  using Kind = Parameter::Kind;
  const auto word = [](const char* name, std::vector<const char*> words) {
    Parameter p{Kind::character, name};
    p.words = std::move(words);
    return p;
  };
  return {
      {"FORMat[:DATA]",
       data,
       {word("type", {"ASCii", "REAL"}), {Kind::integer, "length", true, 0, 64}},
       "form of the numbers of FETCh:HEIGht?: text, or IEEE 754 with 32 or 64 bits in a definite block; "
       "*RST: ASCii",
       Access::reads},
      {"FORMat[:DATA]?", which_data, {}, "ASC,0 or REAL,32 or REAL,64"},
      {"FORMat:BORDer",
       [](Call& c) { c.session.form().swapped = c[0].word == 1; },
       {word("order", {"NORMal", "SWAPped"})},
       "order of their bytes: NORMal most significant first, SWAPped least; *RST: NORMal",
       Access::reads},
      {"FORMat:BORDer?",
       [](Call& c) { c.session.answer(c.session.form().swapped ? "SWAP" : "NORM"); },
       {},
       ""},
      {"UNIT:LENGth",
       [](Call& c) { c.session.form().length = c[0].word == 1 ? LengthUnit::mm : LengthUnit::um; },
       {word("unit", {"UM", "MM"})},
       "unit of the lengths that FETCh:HEIGht?, FETCh:COMPonents? and CALCulate:LIMit answer to this link; "
       "nothing "
       "that is stored or sent changes; *RST: UM",
       Access::reads},
      {"UNIT:LENGth?",
       [](Call& c) { c.session.answer(c.session.form().length == LengthUnit::mm ? "MM" : "UM"); },
       {},
       ""},
  };
}

}  // namespace datum::scpi
