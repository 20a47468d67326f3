// What a first demo says in place of `datumctl report` (DATUM_DESIGN).
#include <fmt/format.h>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"

namespace datum {

void add_report_commands(CommandLine& line) {
  line.leaf(line.app, "report", "not in the build of a first demo; ./datum test or install builds it",
            [] {
              fmt::print(stderr,
                         "datumctl: report: a first demo leaves it out; ./datum test or install builds it\n");
              return static_cast<int>(usage);
            })
      ->allow_extras();
}

}  // namespace datum
