// Noise on the lines of devices. The CMM's line carries garbage at full speed between positions and instead of them; it
// is unplugged and plugged in again. Boards are then INVALID, or measured at the reported position; hosts are always
// answered.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/faults/faults.h"
#include "tests/faults/load.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;

constexpr const char* said = "<Idle|MPos:10.000,20.000,30.000|FS:0,0>\r\n";

constexpr const char* settings = "$13=0\r\nok\r\n";  // reports in mm

/// The machine's end of a line under its configured name; answers each poll.
class Machine {
 public:
  Machine(fs::path name, std::uint32_t seed) : name_(std::move(name)), random_(seed) {
    plug_in();
    thread_ = std::thread([this] { serve(); });
  }
  ~Machine() {
    stop_ = true;
    thread_.join();
    ::close(line_);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  std::atomic<bool> storms = false, breaks = false;  // present behaviour
  std::atomic<std::uint64_t> bytes = 0, breaks_made = 0;

 private:
  void plug_in() {
    if (line_ >= 0) ::close(line_);
    line_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    ::grantpt(line_);
    ::unlockpt(line_);
    std::error_code ignored;
    fs::remove(name_, ignored);
    fs::create_symlink(::ptsname(line_), name_);
    const int end = ::open(::ptsname(line_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios raw{};
    ::tcgetattr(end, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(end, TCSANOW, &raw);
    ::close(end);
  }
  /// Answers polls, and sends garbage at full speed when `storms` is set.
  void serve() {
    while (!stop_) {
      pollfd line{line_, static_cast<short>(storms ? POLLIN | POLLOUT : POLLIN), 0};
      ::poll(&line, 1, 5);
      char asked[64];
      const ssize_t n = ::read(line_, asked, sizeof asked);
      std::string text;
      for (ssize_t i = 0; i < n; ++i)
        if (asked[i] == '?')
          text += said;
        else if (i > 0 && asked[i] == '$' && asked[i - 1] == '$')
          text += settings;
      if (storms) garble(text);
      if (const ssize_t put = ::write(line_, text.data(), text.size()); put > 0)
        bytes += static_cast<std::uint64_t>(put);
      if (breaks && random_() % 500 == 0) {
        plug_in();
        ++breaks_made;
      }
    }
  }
  void garble(std::string& text) {
    if (random_() % 4 == 0) text.erase(0, random_() % 10);
    for (std::size_t n = random_() % 300; n > 0; --n) text += static_cast<char>(random_());
    if (random_() % 2 == 0) text += "\r\n";
  }

  fs::path name_;
  std::mt19937 random_;
  int line_ = -1;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

constexpr const char* cmm = R"([cmm]
preset = "grbl_1_1"
unit = "mm"
[cmm.serial]
path = "FOLDER/machine"
baud = 115200
)";

/// A triggered board, whose frame is delivered when the sensor may expose. Returns the result line.
std::string measure_one(const scenario::Cell& cell, scenario::Host& host, Ledger& ledger) {
  constexpr int sweeping = 8;
  const Moment deadline = scenario::timeout();
  while (host.command("ABOR;:INIT").rfind("0,", 0) != 0 || host.command("TRIG").rfind("0,", 0) != 0)
    if (now() > deadline) throw std::runtime_error("can't be armed: " + host.ask("DIAG:LINK?"));
  for (bool exposed = false;;) {
    if (const auto line = host.pushed()) return *line;
    if (now() > deadline) throw std::runtime_error("no result: " + host.ask("DIAG:LINK?"));
    if (!exposed && (std::stoi(host.ask("STAT:OPER:COND?")) & sweeping) != 0) {
      ledger.deliver(cell, ledger.boards() + 1);
      exposed = true;
    }
    scenario::readable({host.fd()}, now() + std::chrono::milliseconds(5));
    host.receive();
  }
}

}  // namespace

void storm_the_devices(const Order& order, Findings& findings) {
  scenario::CellOptions options;
  options.trigger = "bus";
  options.more = cmm;
  options.frame_timeout_ms = 2000;
  scenario::Cell cell(options);
  Machine machine(cell.path() / "machine", order.seed);
  Ledger ledger;
  ledger.invalid_is_fine = ledger.may_be_refused = true;
  ledger.measures_what_is_left = false;
  cell.start();
  const auto host = cell.connect();
  for (int n = 0; n < order.times; ++n) {
    machine.storms = n % 3 != 0;
    machine.breaks = n % 3 == 2;
    ledger.announced(measure_one(cell, *host, ledger));
    findings.count("boards in storms", n % 3 != 0);
  }
  machine.storms = machine.breaks = false;
  findings.count("bytes on the line", machine.bytes);
  findings.count("times unplugged", machine.breaks_made);
  for (const auto& result : cell.results())
    if (result["decision"] != "INVALID")
      findings.expect(result["pose"]["after"]["position_mm"] == nlohmann::json({10.0, 20.0, 30.0}),
                      "measured where the machine never was: " + result["pose"].dump());
  cell.daemon().signal(SIGTERM);
  findings.expect(cell.daemon().wait() == 0, "it failed:\n" + cell.daemon().output());
  ledger.check(cell, findings);
}

}  // namespace datum::faults
