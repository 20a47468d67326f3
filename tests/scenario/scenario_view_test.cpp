// datumd-view beside the real daemon: pages equal the store, through ends, restarts and hostile clients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <regex>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

/// Whether headless Chromium is installed: its name; empty: no.
std::string browser(const std::filesystem::path& folder) {
  for (const char* name : {"chromium-headless-shell", "chromium"})
    if (run({"/bin/sh", "-c", std::string("command -v ") + name}, folder).status == 0) return name;
  return "";
}

constexpr const char* no_browser = "Chromium (Debian package chromium) is not installed";

struct ViewedCell {
  ViewedCell() : cell(options()) {
    cell.start();
    host = cell.connect();
    view = std::make_unique<Program>(
        std::vector<std::string>{"datumd-view", "--config", "datumd.toml", "--cache", cell.path().string(),
                                 "--listen", "127.0.0.1:0"},
        cell.path(), "view.log");
    if (!view->says(" shows ")) throw std::runtime_error(view->output());
    std::smatch port;
    const std::string told = view->output();
    std::regex_search(told, port, std::regex("http://127.0.0.1:([0-9]+)/"));
    view_port = std::stoi(port[1]);
  }
  static CellOptions options() {
    CellOptions o;
    o.more = "[metrics]\nsocket = \"m.sock\"\n[lots]\nreport_folder = \"lots\"\nmost_boards = 2\n";
    return o;
  }

  void measure(double height_um, const std::string& unit = "") {
    if (!unit.empty()) EXPECT_THAT(host->command("CONFigure:UNIT \"" + unit + "\""), HasSubstr("0,"));
    ++boards;
    cell.deliver("f" + std::to_string(boards), frame_of_box(height_um, static_cast<std::uint32_t>(boards)));
    EXPECT_EQ(host->result().sequence, static_cast<std::uint64_t>(boards));
  }
  /// The whole answer.
  std::string get(const std::string& target) const {
    const int fd = connect_tcp(view_port);
    const std::string request = "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    ::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    std::string got;
    char some[4096];
    for (ssize_t n; readable({fd}, timeout()) && (n = ::recv(fd, some, sizeof some, 0)) > 0;)
      got.append(some, static_cast<std::size_t>(n));
    ::close(fd);
    return got;
  }
  /// Asks until the page has the text.
  std::string until(const std::string& target, const std::string& text) const {
    for (const Deadline deadline = timeout(); std::chrono::steady_clock::now() < deadline;)
      if (const std::string page = get(target); page.find(text) != page.npos) return page;
    ADD_FAILURE() << target << " never had " << text << ": " << get(target);
    return "";
  }

  Cell cell;
  std::unique_ptr<Host> host;
  std::unique_ptr<Program> view;
  int view_port = 0, boards = 0;
};

std::unique_ptr<pugi::xml_document> document(const std::string& answer) {
  auto page = std::make_unique<pugi::xml_document>();
  const auto parsed = page->load_string(answer.substr(answer.find("\r\n\r\n") + 4).c_str(), pugi::parse_full);
  EXPECT_TRUE(parsed) << parsed.description() << answer;
  return page;
}

/// The number in the JSON whose key begins so and ends with a unit.
std::string digits(const Json& check, const std::string& key) {
  for (const auto& [name, value] : check.items())
    if (name.rfind(key, 0) == 0 && value.is_number()) return value.dump();
  return "-";
}

}  // namespace

TEST(ScenarioView, PagesAreTheStoreDigitByDigit) {
  ViewedCell c;
  c.measure(good_height_um, "SN-1");
  c.measure(bad_height_um, "SN-2");
  for (const Json& result : c.cell.results()) {
    const auto page = document(c.get("/board/" + result["sequence"].dump()));
    EXPECT_EQ(page->select_node("//*[@id='decision']").node().text().get(), result["decision"]);
    EXPECT_EQ(page->select_node("//*[@id='unit']").node().text().get(), result["unit_id"]);
    std::size_t rows = 0;
    for (const Json& component : result["components"])
      for (const Json& check : component["checks"]) {
        const std::string reference = component["reference"], what = check["characteristic"];
        const auto row = page->select_node(("//table[@id='checks']/tbody/tr[th/a='" + reference +
                                            "' and td[2]='" + what + "']")
                                               .c_str())
                             .node();
        ASSERT_TRUE(row) << reference << what;
        ++rows;
        const auto data = [&](int n) {
          return std::string(
              row.select_node(("td[" + std::to_string(n) + "]/data/@value").c_str()).attribute().value());
        };
        const auto text = [&](int n) {
          return std::string(row.select_node(("td[" + std::to_string(n) + "]").c_str()).node().text().get());
        };
        EXPECT_EQ(data(4), digits(check, "value_"));
        EXPECT_EQ(data(5), digits(check, "u_"));
        EXPECT_EQ(text(7), digits(check, "lower_"));
        EXPECT_EQ(text(9), digits(check, "upper_"));
        EXPECT_EQ(data(11), digits(check, "p_conform"));
      }
    EXPECT_GE(rows, 1u);
  }
  const Outcome file =
      run({"datumctl", "report", "board", "2", "-o", "two.html", "--config", "datumd.toml"}, c.cell.path());
  ASSERT_EQ(file.status, 0) << file.output;
  const std::string alone = slurp(c.cell.path() / "two.html");
  EXPECT_THAT(alone, HasSubstr("<span id=\"decision\">FAIL</span>"));
  EXPECT_THAT(alone, Not(HasSubstr("href=")));
  EXPECT_EQ(
      run({"datumctl", "report", "lot", "-o", "lot.html", "--config", "datumd.toml"}, c.cell.path()).status,
      0);
  EXPECT_THAT(slurp(c.cell.path() / "lot.html"), HasSubstr("id=\"first_pass\">50.0 %<"));
  EXPECT_EQ(
      run({"datumctl", "report", "board", "7", "-o", "x.html", "--config", "datumd.toml"}, c.cell.path())
          .status,
      6);
  EXPECT_EQ(run({"datumctl", "report", "board", "1", "-o", "x.doc", "--config", "datumd.toml"}, c.cell.path())
                .status,
            4);
}

TEST(ScenarioView, WorksWhileDatumdIsDownAndAfterIt) {
  ViewedCell c;
  c.measure(good_height_um, "SN-1");
  EXPECT_THAT(c.until("/", "id=\"state\""),
              HasSubstr("<th scope=\"row\" class=\"n\"><a href=\"/board/1\">1</a></th>"));
  c.until("/search?unit=SN-1", "<span id=\"number\">1</span>");
  c.host.reset();
  c.cell.daemon().signal(SIGTERM);
  EXPECT_EQ(c.cell.daemon().wait(), 0);
  EXPECT_THAT(c.until("/", "The state of datumd is not known"), HasSubstr("href=\"/board/1\""));
  EXPECT_THAT(c.get("/board/1"), HasSubstr("SN-1"));
  c.cell.start();
  c.host = c.cell.connect();
  c.measure(bad_height_um, "SN-1");
  EXPECT_THAT(c.get("/"), HasSubstr("href=\"/board/2\""));
  c.until("/search?unit=SN-1", "<span id=\"number\">2</span>");
  c.cell.daemon().signal(SIGKILL);
  c.cell.daemon().wait();
  EXPECT_THAT(c.get("/board/2"), HasSubstr("FAIL"));
  c.view->signal(SIGTERM);
  EXPECT_EQ(c.view->wait(), 0);
}

TEST(ScenarioView, ALotsReportComesByItselfAndIsThatOfTheCommand) {
  ViewedCell c;
  const auto lots = c.cell.path() / "lots";
  ASSERT_TRUE(c.view->says("lots are reported from result 1"));
  c.measure(good_height_um, "SN-1");
  c.view->signal(SIGKILL);  // restarted, it goes on where it was
  c.view->wait();
  c.measure(bad_height_um, "SN-2");
  c.measure(good_height_um, "SN-3");
  c.view =
      std::make_unique<Program>(std::vector<std::string>{"datumd-view", "--config", "datumd.toml", "--cache",
                                                         c.cell.path().string(), "--listen", "127.0.0.1:0"},
                                c.cell.path(), "view2.log");
  ASSERT_TRUE(c.view->says("2 boards of a lot")) << c.view->output();
  std::vector<std::filesystem::path> reports;
  for (const auto& file : std::filesystem::directory_iterator(lots))
    if (file.path().extension() == ".html") reports.push_back(file.path());
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_THAT(reports[0].filename().string(), ::testing::StartsWith("lot_00000001-00000002_"));
  const std::string recipe = c.cell.results()[0]["recipe"];
  const Outcome made = run({"datumctl", "report", "lot", "--recipe", recipe, "--first", "1", "--last", "2",
                            "-o", "lot.html", "--config", "datumd.toml"},
                           c.cell.path());
  ASSERT_EQ(made.status, 0) << made.output;
  EXPECT_EQ(slurp(reports[0]), slurp(c.cell.path() / "lot.html"));
}

TEST(ScenarioView, HostileClientsAndAStoppedViewHoldNoInspectionUp) {
  ViewedCell c;
  c.measure(good_height_um);
  std::vector<int> fds;
  for (int n = 0; n < 200; ++n) {
    fds.push_back(connect_tcp(c.view_port));
    const std::string bytes = n % 3 == 0   ? "GET / HTTP/1.1\r\nHost: 1"
                              : n % 3 == 1 ? std::string("\0\xff\r\n\r\n", 6)
                                           : "GET /lot?most=2000 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    ::send(fds.back(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  for (int n = 0; n < 5; ++n) c.measure(good_height_um);
  c.view->signal(SIGSTOP);  // wherever it reads just now
  for (int n = 0; n < 5; ++n) c.measure(good_height_um);
  c.view->signal(SIGCONT);
  for (const int fd : fds) ::close(fd);
  c.until("/", "href=\"/board/11\"");
}

TEST(ScenarioView, AnInjectedSerialNumberStaysTextInABrowser) {
  ViewedCell c;
  c.measure(bad_height_um, "<script>document.title='owned'</script><b>SN</b>");
  const std::string chromium = browser(c.cell.path());
  const std::string page = c.until("/search?unit=%3Cscript", "<span id=\"number\">1</span>");
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;document.title=&#39;owned&#39;&lt;/script&gt;"));
  if (chromium.empty()) GTEST_SKIP() << no_browser;
  const auto dom = [&](const std::string& path) {
    return run({"/usr/bin/env", chromium, "--headless", "--no-sandbox", "--disable-gpu",
                "--user-data-dir=" + (c.cell.path() / "profile").string(), "--dump-dom",
                "http://127.0.0.1:" + std::to_string(c.view_port) + path},
               c.cell.path())
        .output;
  };
  for (const char* path : {"/", "/board/1", "/search?unit=%3Cscript", "/lot"}) {
    const std::string got = dom(path);
    EXPECT_THAT(got, HasSubstr("&lt;script&gt;document.title='owned'&lt;/script&gt;&lt;b&gt;SN&lt;/b&gt;"))
        << path;
    EXPECT_THAT(got, Not(HasSubstr("<script"))) << path;
    EXPECT_THAT(got, Not(HasSubstr("<title>owned"))) << path;
  }
  const Outcome pdf =
      run({"datumctl", "report", "board", "1", "-o", "one.pdf", "--config", "datumd.toml"}, c.cell.path());
  EXPECT_EQ(pdf.status, 0) << pdf.output;
  EXPECT_EQ(slurp(c.cell.path() / "one.pdf").substr(0, 5), "%PDF-");
}

TEST(ScenarioView, PagesReadWellByKeyboardOnAPanelInGreyAndInPrint) {
  ViewedCell c;
  c.measure(good_height_um, "SN-1");
  c.measure(bad_height_um, "SN-2");
  c.until("/search?unit=SN-2", "<span id=\"number\">1</span>");
  const std::string chromium = browser(c.cell.path());
  const char* const python = "/usr/bin/python3";
  if (chromium.empty()) GTEST_SKIP() << no_browser;
  if (!std::filesystem::exists(python))
    GTEST_SKIP() << python << " (Debian package python3) is not installed";
  const std::string recipe = c.cell.results()[0]["recipe"];
  const Outcome seen =
      run({python, DATUM_SOURCE_DIR "/tests/scenario/view_in_browser.py", chromium, c.cell.path().string(),
           "http://127.0.0.1:" + std::to_string(c.view_port), "/", "/board/2", "/lot",
           "/component?recipe=" + recipe + "&reference=B1&what=median", "/search?unit=SN", "/health"},
          c.cell.path());
  EXPECT_EQ(seen.status, 0) << seen.output;
  EXPECT_THAT(seen.output, HasSubstr("6 pages, 0 faults"));
  if (run({"/bin/sh", "-c", "command -v pdftotext"}, c.cell.path()).status != 0)
    GTEST_SKIP() << "pdftotext (Debian package poppler-utils) is not installed";
  ASSERT_EQ(run({"/usr/bin/env", "pdftotext", "-layout", "page1.pdf", "board.txt"}, c.cell.path()).status, 0);
  const std::string board = slurp(c.cell.path() / "board.txt");
  EXPECT_THAT(board, HasSubstr("Board 2 FAIL, unit SN-2"));  // the head of a table says whose it is
  EXPECT_THAT(board, Not(HasSubstr("Search")));
}

}  // namespace datum::scenario
