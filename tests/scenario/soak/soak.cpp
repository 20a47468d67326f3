#include "tests/scenario/soak/soak.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <regex>
#include <stdexcept>

namespace datum::soak {

namespace fs = std::filesystem;
using scenario::timeout;

namespace {

constexpr int look_each = 100, boards_of_a_burst = 12;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

double nominal_of(const std::string& recipe) { return recipe == "high" ? 700 : 500; }

/// The port of the link from the log.
int port_in(const std::string& log, const std::string& link) {
  std::smatch found;
  const std::regex listening(link + R"( 127\.0\.0\.1:(\d+):)");
  return std::regex_search(log, found, listening) ? std::stoi(found[1]) : 0;
}

}  // namespace

Soak::Soak(const Settings& settings)
    : settings_(settings),
      cell_(settings.folder / "cell"),
      drop_(cell_ / "drop"),
      record_((fs::create_directories(cell_), settings.folder)),
      frames_(cell_ / "outbox"),
      notify_((fs::remove(settings.folder / "notify"), settings.folder / "notify")) {
  write_cell();
  life_ = record_.last_life();
  for (const char* folder : {"work", "done", "failed"}) fs::create_directories(drop_ / folder);
}

void Soak::write_cell() const {
  write(cell_ / "sensor.toml", Frames::profile());
  for (const char* recipe : {"low", "high"})
    write(cell_ / "recipes" / (std::string(recipe) + ".toml"),
          Frames::recipe(recipe, nominal_of(recipe), 40));
  write(cell_ / "datumd.toml",
        "schema = 1\ncell = \"soak\"\n[sensor]\nprofile = \"sensor.toml\"\ndrop_folder = \"drop\"\n"
        "[inspection]\nrecipes_folder = \"recipes\"\ntrigger = \"on_frame\"\n[results]\nstore_file = "
        "\"results.db\"\n"
        "[backend]\nthreads = 1\n[host.tcp]\nport = 0\n[host.gocator]\nport = 0\n[host.modbus_tcp]\nport = "
        "0\n");
}

std::string Soak::log_end() const {
  const std::string log = daemon_->output();
  return log.substr(log.size() < 4000 ? 0 : log.size() - 4000);
}

void Soak::start() {
  ++life_;
  before_ = {};
  daemon_.reset();
  notify_.forget();
  fs::remove(cell_ / "datumd.log");
  daemon_ = std::make_unique<scenario::Program>(
      std::vector<std::string>{"datumd", "--config", "datumd.toml"}, cell_, "datumd.log",
      std::map<std::string, std::string>{{"NOTIFY_SOCKET", (settings_.folder / "notify").string()}});
  if (notify_.await("READY=1", *daemon_).empty())
    throw std::runtime_error("datumd is not ready:\n" + log_end());
  const std::string log = daemon_->output();
  port_ = port_in(log, "commands, tcp");
  peers_ = std::make_unique<scenario::HostilePeers>(
      std::vector<int>{port_, port_in(log, "commands, gocator"), port_in(log, "modbus, tcp")},
      settings_.seed + life_);
  recipe_.clear();
  if (!host_) host_ = std::make_unique<SoakHost>(record_.last_sequence());
  connect();
}

/// Reconnects until a place is free, and receives the results stored meanwhile.
void Soak::connect() {
  const auto deadline = timeout();
  for (host_->connect(port_); !host_->is_served(); host_->connect(port_))
    if (Clock::now() > deadline) throw std::runtime_error("no room for the host:\n" + log_end());
  while (record_.last_sequence() < host_->newest_at_start()) {
    const auto line = host_->result(timeout());
    if (!line) throw std::runtime_error("stored results are not delivered:\n" + log_end());
    take(*line);
  }
}

void Soak::restart(int signal) {
  daemon_->signal(signal);
  const int status = daemon_->wait();
  if (status != (signal == SIGKILL ? -SIGKILL : 0))
    throw std::runtime_error(fmt::format("datumd ended by itself, status {}:\n{}", status, log_end()));
  peers_.reset();
  start();
}

void Soak::choose(const std::string& recipe) {
  host_->command("ABOR;:CONF:REC '" + recipe + "'");
  host_->command("INIT");
  recipe_ = recipe;
}

void Soak::deliver(const Board& board) {
  frames_.deliver(board, drop_);
  delivered_[board.number] = Clock::now();
}

/// True: the trigger file of the board is in the drop folder.
bool Soak::is_delivered(const Board& board) const {
  const auto is_there = [&](const fs::path& folder) {
    return fs::exists(folder / (board.name + ".ptr")) || fs::exists(folder / (board.name + ".json"));
  };
  if (is_there(drop_)) return true;
  for (const auto& slot : fs::directory_iterator(drop_ / "work"))
    if (is_there(slot)) return true;
  return is_there(drop_ / "done" / board.name) || is_there(drop_ / "failed" / board.name);
}

void Soak::take(const ResultLine& line) {
  BoardLine result;
  result.number = number_of(line.frame);
  result.sequence = line.sequence;
  result.decision = std::string(datum::name_of(line.decision));
  const auto delivered = delivered_.find(result.number);
  if (delivered != delivered_.end()) {
    const auto taken = host_->received() - delivered->second;
    result.latency_us = std::chrono::duration_cast<std::chrono::microseconds>(taken).count();
    delivered_.erase(delivered);
  }
  result.mark = next_mark_;
  record_.add(result);
}

void Soak::await(int number, Mark mark) {
  next_mark_ = mark;
  while (delivered_.lower_bound(0) != delivered_.end() && delivered_.begin()->first <= number) {
    const auto line = host_->result(timeout());
    if (!line) throw std::runtime_error(fmt::format("no result of board {}:\n{}", number, log_end()));
    take(*line);
  }
  next_mark_ = Mark::plain;
}

/// Delivers boards of one recipe without waiting; returns the number of the last one.
int Soak::burst(int number) {
  int last = number;
  for (; last + 1 <= settings_.boards && last - number + 1 < boards_of_a_burst; ++last) {
    const Board next = board(settings_.seed, last + 1, settings_.rhythm);
    if (next.recipe != recipe_) break;
    deliver(next);
  }
  return last;
}

void Soak::strangers() const {
  const auto link = [&](const char* to, const char* name) {
    if (!fs::exists(fs::symlink_status(drop_ / name))) fs::create_symlink(to, drop_ / name);
  };
  link("/etc/passwd", "absolute.ptr");
  link("../datumd.toml", "relative.json");
  link("nowhere", "dangling.csv");
  link("/etc", "folder.json");
  ::mkfifo((drop_ / "fifo.json").c_str(), 0600);
  fs::create_directories(drop_ / "folder.ptr");
  write(drop_ / ".hidden.json", "{");
  write(drop_ / "part.json.part", "{");
}

void Soak::rewrite_recipe(const Board& board) const {
  write(cell_ / "recipes" / (board.recipe + ".toml"),
        Frames::recipe(board.recipe, nominal_of(board.recipe), 30 + static_cast<double>(board.noise % 20)));
}

/// Applies the fault while the board is in progress.
void Soak::commit(const Board& board) {
  switch (board.fault) {
    case Fault::host_reset:
      peers_->leave();
      host_->leave(board.noise % 2 == 0);
      return connect();
    case Fault::storm:
      return peers_->storm(40);
    case Fault::garbage:
      return peers_->garbage(1 << 20);
    case Fault::mute:
      return peers_->mute("FETC:COMP?\n", 2000);
    case Fault::drip:
      return peers_->drip();
    case Fault::stranger:
      return strangers();
    case Fault::reload:
      return daemon_->signal(SIGHUP);
    case Fault::kill:
    case Fault::end:
      host_->wait(Clock::now() + std::chrono::microseconds(board.noise % 30'000));
      return restart(board.fault == Fault::kill ? SIGKILL : SIGTERM);
    default:
      return;
  }
}

void Soak::look(int number) {
  peers_->leave();
  for (const char* name : {"absolute.ptr", "relative.json", "dangling.csv", "folder.json", "fifo.json",
                           "folder.ptr", ".hidden.json", "part.json.part"})
    fs::remove(drop_ / name);
  scenario::Usage usage;
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  do {
    host_->ask("*OPC?");
    usage = scenario::usage_of(daemon_->pid());
  } while (Clock::now() < deadline && (!fs::is_empty(drop_ / "work") ||
                                       (before_.threads > 0 && (usage.threads > before_.threads ||
                                                                usage.descriptors > before_.descriptors))));
  for (const char* folder : {"done", "failed"})
    for (const auto& delivery : fs::directory_iterator(drop_ / folder)) fs::remove_all(delivery);
  record_.add(UsageLine{life_, number, before_ = usage});
}

void Soak::run() {
  const auto begun = Clock::now();
  auto counted = begun;
  start();
  for (const BoardLine& line : record_.boards()) next_ = std::max(next_, line.number + 1);
  while (next_ <= settings_.boards) {
    const Board b = board(settings_.seed, next_, settings_.rhythm);
    if (b.fault != Fault::none) record_.add(b.fault);
    if (b.fault == Fault::recipe_file) rewrite_recipe(b);
    if (b.recipe != recipe_ || b.fault == Fault::recipe_file) choose(b.recipe);
    const bool was_cut_off = is_delivered(b);
    if (was_cut_off)
      delivered_[b.number] = Clock::now();
    else
      deliver(b);
    int last = b.number;
    if (b.fault == Fault::burst) last = burst(b.number);
    commit(b);
    if (recipe_ != b.recipe) choose(b.recipe);  // datumd was restarted
    const bool killed = b.fault == Fault::kill || b.fault == Fault::end;
    await(last, killed || was_cut_off ? Mark::broken : last > b.number ? Mark::burst : Mark::plain);
    next_ = last + 1;
    if (last / look_each != (b.number - 1) / look_each) {
      look(last);
      record_.ran(std::chrono::duration<double>(Clock::now() - counted).count());
      counted = Clock::now();
    }
  }
}

std::uint64_t Soak::compare_with_store() {
  SoakHost late(0);
  late.connect(port_);
  std::uint64_t different = 0;
  for (const BoardLine& line : record_.boards()) {
    const auto again = late.result(timeout());
    if (!again) throw std::runtime_error("the store's results end early");
    const bool same = again->sequence == line.sequence && number_of(again->frame) == line.number &&
                      datum::name_of(again->decision) == line.decision;
    different += same ? 0 : 1;
  }
  return different;
}

}  // namespace datum::soak
