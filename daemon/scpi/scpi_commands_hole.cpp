// PROBe:HOLE: the steps of a hole that is scanned, then touched.
#include <fmt/format.h>

#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

HoleProber& prober(Call& call) { return call.instrument().hole_prober(); }

void hole_start(Call& call) {
  HoleOrder order;
  order.center_mm = {call[0].number, call[1].number, call[2].number};
  order.radius_mm = call[3].number;
  order.search_mm = call[4].number;
  order.radius_tolerance_mm = call[5].number;
  prober(call).start(order);
}

void hole_state(Call& call) {
  std::string out = quote(prober(call).step());
  for (const std::string& line : prober(call).report()) out += "," + quote(line);
  call.session.answer(out);
}

void hole_next(Call& call) {
  std::string out;
  for (const HoleMove& move : prober(call).moves())
    out += fmt::format("{}{},{},{},{}", out.empty() ? "" : ",", move.until_contact ? 1 : 0,
                       number(move.to_mm.x()), number(move.to_mm.y()), number(move.to_mm.z()));
  if (out.empty()) throw Error(data_corrupt_or_stale, "there is no next move; PROBe:HOLE:STATe? says why");
  call.session.answer(out);
}

void result(Call& call) {
  const auto r = prober(call).result();
  if (!r) throw Error(data_corrupt_or_stale, "no hole has ended; PROBe:HOLE:STATe? says what is awaited");
  std::string out = quote(r->state);
  for (const double value : {r->center_mm.x(), r->center_mm.y(), r->center_mm.z(), r->radius_mm,
                             2 * r->u_mm.x(), 2 * r->u_mm.y(), 2 * r->u_mm.z(), r->form_mm})
    out += "," + number(value);
  out += fmt::format(",{},{}", r->touches, quote(r->why));
  for (const std::string* text :
       {&r->calibration, &r->calibration_sha256, &r->frame, &r->frame_sha256, &r->log})
    out += "," + quote(*text);
  call.session.answer(out);
}

}  // namespace

std::vector<Command> hole_commands() {
  using Kind = Parameter::Kind;
  const auto length = [](const char* name, double min, double max) {
    return Parameter{Kind::number, name, false, min, max, std::nullopt, Dimension::millimetres};
  };
  return {
      {"PROBe:HOLE:STARt",
       hole_start,
       {length("x_mm", -1e5, 1e5), length("y_mm", -1e5, 1e5), length("z_mm", -1e5, 1e5),
        length("radius_mm", 0.05, 1e3), length("search_mm", 0.001, 100), length("tolerance_mm", 0.001, 100)},
       "begin a hole: where it should be on the surface, how large, and how far off both may be"},
      {"PROBe:HOLE:SCAN",
       [](Call& c) { prober(c).scan(); },
       {},
       "find it in the next frame; *OPC? waits for it"},
      {"PROBe:HOLE:ENTer",
       [](Call& c) { prober(c).enter(); },
       {},
       "the tip stands still in the hole; *OPC? waits until that is read"},
      {"PROBe:HOLE:TOUCh",
       [](Call& c) { prober(c).touch(); },
       {},
       "take the next touch as one of its wall; *OPC? waits for it"},
      {"PROBe:HOLE:ABORt",
       [](Call& c) { prober(c).abort(); },
       {},
       "end it, and forget what earlier holes said of the scan's bias"},
      {"PROBe:HOLE:STATe?", hole_state, {}, "step, and what is to be done next, line by line"},
      {"PROBe:HOLE:NEXT?",
       hole_next,
       {},
       "moves of the tip's centre as the scales read it: 1 until contact or 0, x, y, z in mm, each"},
      {"PROBe:HOLE:RESult?",
       result,
       {},
       "state, x, y, z, radius, U (k = 2) of x, y and radius, form in mm, touches, why, calibration and its "
       "hash, "
       "frame and its hash, log"},
  };
}

}  // namespace datum::scpi
