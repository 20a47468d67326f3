#include "tests/scenario/scenario_cell.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <system_error>

namespace datum::scenario {

namespace {

namespace fs = std::filesystem;

constexpr int side_px = 200;
constexpr double pitch_mm = 0.05;

constexpr const char* sensor_profile = R"(schema = 1
serial = "S-1"
model = "scenario"
handedness = "right"
pixel_pitch_mm = 0.05
z_min_mm = -8.0
z_max_mm = 8.0
scale_uncertainty_ppm = 100.0
linearity_um = 0.3
[noise]
z_mm = [0.0]
sigma_um = [3.0]
)";

std::string config_text(const CellOptions& o) {
  const auto word = [](bool on) { return std::string(on ? "true" : "false"); };
  return "schema = 1\ncell = \"scenario\"\n[sensor]\nprofile = \"sensor.toml\"\ndrop_folder = \"drop\"\n"
         "[inspection]\nrecipes_folder = \"recipes\"\nrecipe = \"box\"\ntrigger = \"" +
         o.trigger + "\"\narm_at_start = " + word(o.arm_at_start) +
         "\nframe_timeout_ms = " + std::to_string(o.frame_timeout_ms) +
         "\n[results]\nstore_file = \"results.db\"\n[backend]\nthreads = 1\n[host.tcp]\nport = 0\n" +
         (o.role.empty() ? "" : "role = \"" + o.role + "\"\n") + "push_results = " + word(o.push_results) +
         "\n" + o.more;
}

void append(std::string& bytes, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift & 0xFF);
}

}  // namespace

std::string frame_of_box(double height_um, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes;
  for (const std::uint32_t word : {200u, 200u, 0x41700000u, 0x41700000u, 32u, 1u, 1u, 1u})
    append(bytes, word);
  for (int row = 0; row < side_px; ++row)
    for (int col = 0; col < side_px; ++col) {
      const double x = col * pitch_mm, y = row * pitch_mm;
      const bool on_box = std::abs(x - 5) <= 1.5 && std::abs(y - 5) <= 1;
      const double noise =
          (static_cast<double>(random()) / 4294967296.0 - 0.5) * 3 * 3.4641016;  // sqrt(12) sigma
      const float z = static_cast<float>(1000 + 8 * x - 5 * y + noise + (on_box ? height_um : 0));
      std::uint32_t bits = 0;
      std::memcpy(&bits, &z, sizeof bits);
      append(bytes, bits);
    }
  return bytes;
}

Notify::Notify(const fs::path& path)
    : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      arrived_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::system_error(errno, std::generic_category(), path.string());
  reader_ = std::thread([this] { collect(); });
}

Notify::~Notify() {
  ::eventfd_write(stop_, 1);
  reader_.join();
  for (const int fd : {socket_, arrived_, stop_}) ::close(fd);
}

void Notify::collect() {
  for (;;) {
    pollfd watched[] = {{socket_, POLLIN, 0}, {stop_, POLLIN, 0}};
    ::poll(watched, 2, -1);
    if (watched[1].revents != 0) return;
    const std::lock_guard lock(mutex_);
    if (take_one()) ::eventfd_write(arrived_, 1);
  }
}

bool Notify::take_one() {
  char text[4096];
  const ssize_t n = ::recv(socket_, text, sizeof text, 0);
  if (n > 0) messages_.emplace_back(text, static_cast<std::size_t>(n));
  return n > 0;
}

void Notify::forget() {
  const std::lock_guard lock(mutex_);
  while (take_one()) continue;
  messages_.clear();
}

std::string Notify::next() {
  const std::lock_guard lock(mutex_);
  eventfd_t count = 0;
  if (messages_.empty()) return ::eventfd_read(arrived_, &count), "";
  std::string message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

std::string Notify::await(const std::string& text, const Program& sender) {
  const Deadline deadline = timeout();
  for (;;) {
    const bool over = sender.has_ended() || !readable({fd(), sender.ended()}, deadline);
    for (std::string message; !(message = next()).empty();)
      if (message.rfind(text, 0) == 0) return message;
    if (over) return "";
  }
}

Cell::Cell(const CellOptions& options) : notify_(folder_.path() / "notify"), program_(options.daemon) {
  std::string config = config_text(options);
  if (const auto at = config.find("FOLDER"); at != std::string::npos) config.replace(at, 6, path());
  write("datumd.toml", config);
  write("sensor.toml", sensor_profile);
  write("recipes/box.toml", recipe_text());
  for (const char* folder : {"outbox", "drop/work", "drop/done", "drop/failed"})
    fs::create_directories(path() / folder);
}

std::string Cell::recipe_text(double tolerance_um) {
  return R"(schema = 1
name = "box"
sensor_serial = "S-1"
[board]
size_mm = [10.0, 10.0]
coordinates = "sensor"
origin_mm = [0.0, 0.0, 0.0]
[floor]
inner_margin_mm = 0.3
outer_margin_mm = 1.3
[body]
[decision]
rule = "14253"
[package.BOX]
body_mm = [3.0, 2.0]
nominal_um = 500.0
characteristic = "median"
tolerance_um = )" +
         std::to_string(tolerance_um) +
         "\n[[component]]\nreference = \"B1\"\npackage = \"BOX\"\ncentre_mm = [5.0, 5.0]\n";
}

Program& Cell::launch(const std::map<std::string, std::string>& environment) {
  auto with_socket = environment;
  with_socket["NOTIFY_SOCKET"] = (path() / "notify").string();
  daemon_.reset();
  notify_.forget();
  daemon_ = std::make_unique<Program>(std::vector<std::string>{program_, "--config", "datumd.toml"}, path(),
                                      "datumd." + std::to_string(++starts_) + ".log", with_socket);
  return *daemon_;
}

Program& Cell::start(const std::map<std::string, std::string>& environment) {
  launch(environment);
  if (notify_.await("READY=1", *daemon_).empty())
    throw std::runtime_error("datumd is not ready:\n" + daemon_->output());
  return *daemon_;
}

int Cell::tcp_port() const {
  const std::string log = daemon_->output(), before = "commands, tcp 127.0.0.1:";
  const auto at = log.find(before);
  return at == std::string::npos ? 0 : std::atoi(log.c_str() + at + before.size());
}

void Cell::deliver(const std::string& name, const std::string& bytes) const {
  const fs::path made = folder_.write("outbox/" + name + ".ptr", bytes);
  fs::rename(made, drop() / (name + ".ptr"));
}

void Cell::trigger(Host& host) const {
  constexpr int sweeping = 8;
  if (const std::string error = host.command("TRIG"); error.rfind("0,", 0) != 0)
    throw std::runtime_error(error);
  const Deadline deadline = timeout();
  while ((std::stoi(host.ask("STAT:OPER:COND?")) & sweeping) == 0)
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("the sensor may not expose");
}

void Cell::trigger_and_deliver(Host& host, const std::string& name) const {
  trigger(host);
  deliver(name, frame_of_box(good_height_um, 1000 + ++delivered_));
}

nlohmann::json Cell::results() const {
  const Outcome listed =
      run({"datumctl", "results", "--json", "--last", "100000", "--store", "results.db"}, path());
  if (listed.status != 0) throw std::runtime_error("datumctl: " + listed.output);
  return nlohmann::json::parse(listed.output.substr(0, listed.output.rfind(']') + 1));
}

std::vector<std::string> Cell::list(const std::string& folder) const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path() / folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace datum::scenario
