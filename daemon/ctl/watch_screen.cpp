#include "daemon/ctl/watch_screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "daemon/ctl/watch_view.h"
#include "daemon/inspection/verdict/verdict_table.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

constexpr std::size_t most_results = 500;  // no screen shows more

void put(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = ::write(STDOUT_FILENO, bytes.data() + sent, bytes.size() - sent);
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

void add_lines(std::vector<std::string>& lines, const std::string& text) {
  for (std::size_t from = 0, to = 0; from < text.size(); from = to + 1) {
    to = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, to - from));
  }
}

std::string cell_text(const WatchPicture& p, bool colour) {
  const WatchedCell& c = p.cell;
  Table table({{p.address}, {p.connection.empty() ? "connected" : p.connection}});
  table.add({{"state"}, {c.state + (c.detail.empty() ? "" : ", " + c.detail)}});
  table.add({{"recipe"}, {(c.recipe.empty() ? "-" : c.recipe) + (c.unit.empty() ? "" : ", unit " + c.unit)}});
  table.add({{"calibration"},
             {(c.calibration.empty() ? "-" : c.calibration) + (c.refusal.empty() ? "" : ": " + c.refusal),
              c.refusal.empty() ? Ink::plain : Ink::red}});
  for (const auto& link : c.links) table.add({{"link"}, {link}});
  if (!p.note.empty()) table.add({{"note"}, {p.note, Ink::yellow}});
  return table.text(colour);
}

/// "22 passed", "3 failed, 19 passed": what the line says, until the components are known.
std::string counts_text(const ResultLine& r) {
  std::string text;
  const auto add = [&](std::uint64_t n, const char* what) {
    if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, what);
  };
  add(r.n_invalid, "invalid");
  add(r.n_fail, "failed");
  add(r.n_inconclusive, "inconclusive");
  add(r.n_pass, "passed");
  return text;
}

std::string results_text(const WatchPicture& p, std::size_t rows, bool colour) {
  using Align = Table::Align;
  Table table({{"seq", Align::right}, {"time (UTC)"}, {"unit"}, {"recipe"}, {"decision"}, {"reason"}});
  const std::size_t shown = std::min(p.results.size(), rows);
  for (std::size_t i = p.results.size() - shown; i < p.results.size(); ++i) {
    const ResultLine& r = p.results[i];
    const auto board = p.boards.find(r.sequence);
    const bool known = board != p.boards.end();
    table.add({{fmt::format("{}", r.sequence)},
               {iso8601_of_us(r.utc_us).substr(0, 19)},
               {known && !board->second.unit.empty() ? board->second.unit : "-"},
               {r.recipe},
               {name_of(r.decision), ink_of(r.decision)},
               {known && !board->second.why.empty() ? board->second.why : counts_text(r)}});
  }
  return table.text(colour);
}

}  // namespace

std::string cut_to(const std::string& line, std::size_t columns) {
  std::size_t at = 0, width = 0;
  bool inked = false;
  while (at < line.size()) {
    if (line[at] == '\x1b') {
      const auto end = std::min(line.find('m', at), line.size() - 1);
      inked = line.compare(at, end + 1 - at, "\x1b[0m") != 0;
      at = end + 1;
      continue;
    }
    std::size_t next = at + 1;  // skips a whole UTF-8 character
    while (next < line.size() && (static_cast<unsigned char>(line[next]) & 0xC0) == 0x80) ++next;
    width += display_width(line.substr(at, next - at));
    if (width > columns) break;
    at = next;
  }
  return line.substr(0, at) + (inked ? "\x1b[0m" : "");
}

std::vector<std::string> lines_of(const WatchPicture& p, std::size_t rows, std::size_t columns, bool colour) {
  std::vector<std::string> lines;
  add_lines(lines, cell_text(p, colour));
  lines.emplace_back();
  constexpr std::size_t heading = 2, foot = 1;
  const std::size_t taken = lines.size() + heading + foot;
  add_lines(lines, results_text(p, rows > taken ? rows - taken : 0, colour));
  lines.push_back(fmt::format("{} results; Ctrl-C ends", p.count));
  if (lines.size() > rows) lines.resize(rows);
  for (auto& line : lines) line = cut_to(line, columns);
  return lines;
}

// The alternate screen preserves the terminal's content; the cursor is hidden.
WatchScreen::WatchScreen(std::string address, bool colour) : colour_(colour) {
  picture_.address = std::move(address);
  picture_.connection = "connecting";
  put("\x1b[?1049h\x1b[?25l");
}

WatchScreen::~WatchScreen() {
  put("\x1b[?25h\x1b[?1049l");
  put(fmt::format("{} results seen\n", picture_.count));
}

void WatchScreen::connected() {
  picture_.connection.clear();
  changed_ = true;
}

void WatchScreen::lost(const std::string& why, MonotonicNs retry_in_ns) {
  picture_.connection = fmt::format("{}; trying again in {} ms", why, retry_in_ns / 1'000'000);
  picture_.cell = {};
  changed_ = true;
}

void WatchScreen::cell(const WatchedCell& cell) {
  picture_.cell = cell;
  changed_ = true;
}

void WatchScreen::delivered(const DeliveryEvent& event) {
  changed_ = true;
  if (event.kind == DeliveryEvent::Kind::gap) picture_.note = gap_text(event);
  if (event.kind == DeliveryEvent::Kind::store && picture_.count > 0) {
    picture_.boards.clear();  // of other numbers
    picture_.note = "another store, " + event.store_id + ": its numbers begin again";
  }
  if (event.kind != DeliveryEvent::Kind::result) return;
  ++picture_.count;
  picture_.results.push_back(event.result);
  if (picture_.results.size() > most_results) {
    picture_.boards.erase(picture_.results.front().sequence);
    picture_.results.pop_front();
  }
}

void WatchScreen::explained(const WatchedBoard& board) {
  picture_.boards[board.sequence] = board;
  changed_ = true;
}

void WatchScreen::draw(bool size_changed) {
  if (!changed_ && !size_changed) return;
  changed_ = false;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
    size = {24, 80, 0, 0};
  std::string bytes = "\x1b[H";
  const auto lines = lines_of(picture_, size.ws_row, size.ws_col, colour_);
  for (std::size_t i = 0; i < lines.size(); ++i) bytes += (i ? "\r\n" : "") + lines[i] + "\x1b[K";
  put(bytes + "\x1b[J");
}

}  // namespace datum
