#include "drivers/port/link_report.h"

namespace datum {

LinkReport report_of(const Reconnector& link, const std::string& name, const std::string& kind) {
  LinkReport report;
  report.name = name;
  report.kind = kind;
  report.peer = link.port().describe();
  report.state = link.state();
  report.record = link.record();
  if (!link.is_open())
    report.trouble = link.record().last_error.empty() ? "not open yet" : link.record().last_error;
  return report;
}

}  // namespace datum
