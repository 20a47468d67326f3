#include "daemon/inspection/verdict/verdict_table.h"

namespace datum {

Ink ink_of(Decision decision) {
  switch (decision) {
    case Decision::pass:
      return Ink::green;
    case Decision::inconclusive:
      return Ink::yellow;
    case Decision::fail:
      return Ink::red;
    case Decision::invalid:
      return Ink::magenta;
  }
  return Ink::plain;
}

Table component_table(const BoardVerdict& verdict) {
  using Align = Table::Align;
  Table table({{"reference"},
               {"package"},
               {"what"},
               {"value", Align::right},
               {"U (k=2)", Align::right},
               {"unit"},
               {"lower", Align::right},
               {"upper", Align::right},
               {"p_c", Align::right},
               {"verdict"},
               {"reason"}});
  for (const auto& component : verdict.components) {
    if (is_skipped(component)) continue;  // its board says so
    if (component.defect)                 // a line of its own before the values
      table.add({{component.reference},
                 {component.package},
                 {name_of(component.defect->word)},
                 {"-"},
                 {"-"},
                 {""},
                 {"-"},
                 {"-"},
                 {"-"},
                 {"", ink_of(component.decision)},
                 {component.defect->detail}});
    for (const auto& v : component.checks) {
      const bool valid = v.decision != Decision::invalid;
      const auto when_valid = [&](double x) { return shown_number(valid ? std::optional(x) : std::nullopt); };
      std::string reason = v.reason == Reason::none ? "" : name_of(v.reason);
      if (!v.detail.empty()) reason += (reason.empty() ? "" : ": ") + v.detail;
      table.add({{component.reference},
                 {component.package},
                 {name_of(v.check.characteristic)},
                 {when_valid(v.value)},
                 {when_valid(2 * v.u)},
                 {unit_of(v.check.characteristic)},
                 {shown_number(v.check.lower)},
                 {shown_number(v.check.upper)},
                 {when_valid(v.p_conform)},
                 {name_of(v.decision), ink_of(v.decision)},
                 {reason}});
    }
  }
  return table;
}

namespace {

Table board_table(const BoardVerdict& v) {
  using Align = Table::Align;
  Table table({{"board"},
               {"serial"},
               {"verdict"},
               {"x um", Align::right},
               {"y um", Align::right},
               {"mdeg", Align::right},
               {"mark um", Align::right},
               {"reason"}});
  for (const PanelBoard& board : v.boards) {
    const auto number = [&](const char* key) -> std::string {
      if (board.reason != Reason::none) return "-";  // nothing lies there for certain
      for (const StepRecord& stage : board.stages)
        for (const auto& [name, value] : stage.health)
          if (name == key) return shown_number(value);
      return "-";
    };
    const bool has_mark = board.mark && board.mark->checks.front().decision != Decision::invalid;
    table.add({{board.name},
               {board.unit_id.empty() ? "-" : board.unit_id},
               {word_of(board), board.decision ? ink_of(*board.decision) : Ink::plain},
               {number("shift_x_um")},
               {number("shift_y_um")},
               {number("rotation_mdeg")},
               {has_mark ? shown_number(board.mark->checks.front().value) : "-"},
               {board.decision && board.reason != Reason::none ? name_of(board.reason) + (": " + board.detail)
                                                               : board.detail}});
  }
  return table;
}

}  // namespace

std::string boards_text(const BoardVerdict& verdict, bool colour) {
  return verdict.boards.empty() ? "" : board_table(verdict).text(colour) + '\n';
}

}  // namespace datum
