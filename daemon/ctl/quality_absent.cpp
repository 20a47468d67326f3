// In a build without studies and charts their commands say so.
#include <fmt/format.h>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"

namespace datum {

void add_study_commands(CommandLine& line) {
  auto* command = line.leaf(
      line.app, "study", "gauge studies: not in this build, which ./datum test or package makes", [] {
        fmt::print(stderr, "datumctl: studies are not in this build; cmake -DDATUM_DESIGN=ON has them\n");
        return static_cast<int>(usage);
      });
  command->allow_extras();
}

}  // namespace datum
