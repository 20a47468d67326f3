// datumd-batch manifest
#pragma once

namespace CLI {
class App;
}

namespace datum {

void add_manifest_command(CLI::App& app, int& status);

}  // namespace datum
