// datumd-batch: measures an archive of frames again. See README.md; nothing that it writes is a verdict of record.
#include <fmt/format.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "config/finite_options.h"
#include "config/toml_reader.h"
#include "daemon/batch/batch_commands.h"
#include "daemon/batch/batch_worker.h"
#include "daemon/system/child_process.h"
#include "daemon/version/version.h"

namespace {

using namespace datum;

constexpr int exit_usage = 64;  // EX_USAGE (sysexits.h)

/// Started by 'datumd-batch run', which holds the other end of its socket.
void add_worker(CLI::App& app, int& status) {
  struct Words {
    WorkerOptions options;
    std::string gpu, backend = "cpu";
  };
  auto words = std::make_shared<Words>();
  auto* worker = app.add_subcommand("worker", "")->group("");
  worker->add_option("batch", words->options.batch)->required();
  worker->add_option("--frames", words->options.frames);
  worker->add_option("--backend", words->backend)->check(CLI::IsMember({"cpu", "cuda"}));
  worker->add_option("--gpu", words->gpu);
  worker->add_option("--lanes", words->options.lanes)->check(CLI::Range(1, 256));
  worker->add_option("--threads", words->options.backend.threads)->check(CLI::Range(1, 256));
  worker->add_flag("--audit", words->options.audit);
  worker->callback([words, &status] {
    int type = 0;
    socklen_t size = sizeof type;
    if (::getsockopt(child_socket_fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET)
      throw std::invalid_argument("'datumd-batch run' starts its workers itself");
    if (words->backend == "cuda") words->options.backend.kind = BackendSettings::Kind::cuda;
    if (!words->gpu.empty()) ::setenv("CUDA_VISIBLE_DEVICES", words->gpu.c_str(), 1);
    status = run_batch_worker(words->options, child_socket_fd);
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "datumd-batch: measures an archive of frames again, by another recipe, calibration or code\n"
      "Exit status: 0 done, 1 an audit found other bytes, 64 usage, 65 units in poison/, 75 try again, 78 "
      "refused"};
  app.set_version_flag("--version", code_id() + "\n" + features());
  app.require_subcommand(1);
  int status = 0;
  add_batch_commands(app, status);
  add_worker(app, status);
  refuse_not_finite(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_usage;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "datumd-batch: {}\n", error.what());
    return exit_usage;
  } catch (const config::ConfigError& error) {
    fmt::print(stderr, "datumd-batch: {}\n", error.what());
    return batch_refused;
  } catch (const std::exception& error) {
    fmt::print(stderr, "datumd-batch: {}\n", error.what());
    return batch_refused;
  }
  return status;
}
