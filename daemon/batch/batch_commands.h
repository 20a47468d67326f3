// Commands of datumd-batch: manifest, run, status, merge, audit.
#pragma once

namespace CLI {
class App;
}

namespace datum {

// Exit statuses; 64, 65, 75 and 78 as in sysexits.h. A verdict, INVALID too, is a result and no failure.
inline constexpr int batch_done = 0, batch_differs = 1, batch_poison = 65, batch_again = 75,
                     batch_refused = 78;

/// The chosen command's exit status goes to `status`.
void add_batch_commands(CLI::App& app, int& status);

}  // namespace datum
