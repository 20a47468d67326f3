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

}  // namespace datum
