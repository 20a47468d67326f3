// Declares datumctl calibrate, hole, verify and fringe; other files implement their steps.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>

#include "daemon/ctl/calibrate.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/fringe.h"
#include "daemon/ctl/hole.h"
#include "daemon/ctl/verify.h"

namespace datum {
namespace {

template <class Step>
int without_daemon(Step step) {
  try {
    return step() ? good : refused_command;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  }
}

int run_calibrate(const CalibrateOptions& c, LinkOptions link) {
  if (is_of_files(c)) return calibrate_from_files(c);
  if (c.step == "replay") return without_daemon([&] { return replay(c); });
  if (c.step == "seal") return without_daemon([&] { return seal(c), true; });
  if (prompt_of(c)) link.time_out_ms = std::max(link.time_out_ms, longest_step_ms);
  auto host = connect(link);
  return calibrate(c, host) ? good : refused_command;
}

int run_hole(const HoleOptions& h, LinkOptions link) {
  if (h.step == "replay") return without_daemon([&] { return replay(h); });
  if (prompt_of(h)) link.time_out_ms = std::max(link.time_out_ms, longest_step_ms);
  auto host = connect(link);
  return hole(h, host) ? good : refused_command;
}

}  // namespace

void add_calibration_commands(CommandLine& line) {
  const auto link = [&line](CLI::App& step) { add_link_options(step, line.link); };
  auto c = std::make_shared<CalibrateOptions>();
  c->files.now_utc_s = std::time(nullptr);
  line.does(*add_calibrate(line.app, *c, link), [&line, c] { return run_calibrate(*c, line.link); });
  auto h = std::make_shared<HoleOptions>();
  line.does(*add_hole(line.app, *h, link), [&line, h] { return run_hole(*h, line.link); });
  auto v = std::make_shared<VerifyOptions>();
  v->now_utc_s = std::time(nullptr);
  line.does(*add_verify(line.app, *v), [v] { return verify(*v); });
  auto f = std::make_shared<FringeOptions>();
  f->now_utc_s = std::time(nullptr);
  line.does(*add_fringe(line.app, *f), [f] { return fringe(*f); });
}

}  // namespace datum
