// datumctl send, help, errors: the command protocol itself.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/scpi_text.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

int send_message(CommandLine& line, const std::string& message) {
  auto host = connect(line.link);
  const auto reply = host.send(message);
  if (line.json) {
    const Json said{{"answers", reply.answers}, {"errors", reply.errors}};
    fmt::print("{}\n", said.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    for (const auto& answer : reply.answers) fmt::print("{}\n", answer);
    for (const auto& error : reply.errors) fmt::print(stderr, "datumctl: refused: {}\n", error);
  }
  return reply.errors.empty() ? good : refused_command;
}

/// "ABORt/nquery/": SCPI-99 volume 2, 21.11.
struct Header {
  std::string text;
  bool command = true, query = true;
};
std::vector<Header> headers_of(const std::string& list) {
  std::vector<Header> headers;
  std::istringstream lines(list);
  for (std::string text; std::getline(lines, text);) {
    const auto mark = text.find('/');
    const std::string kind = mark == std::string::npos ? "" : text.substr(mark);
    headers.push_back({text.substr(0, mark), kind != "/qonly/", kind != "/nquery/"});
  }
  return headers;
}

int print_headers(CommandLine& line) {
  auto host = connect(line.link);
  Json all = Json::array();
  Table table({{"header"}, {"command"}, {"query"}});
  for (const auto& h : headers_of(ask_block(host, "SYSTem:HELP:HEADers?"))) {
    all.push_back({{"header", h.text}, {"command", h.command}, {"query", h.query}});
    table.add({{h.text}, {h.command ? "yes" : ""}, {h.query ? "yes" : ""}});
  }
  fmt::print("{}", line.json ? all.dump(2) + "\n" : table.text(wants_colour(stdout)));
  return good;
}

int print_syntax(CommandLine& line, const std::string& header) {
  auto host = connect(line.link);
  const std::string words = ask(host, "SYSTem:HELP:SYNTax? " + as_parameter(header))[0];
  if (line.json) return fmt::print("{}\n", Json{{"header", header}, {"syntax", words}}.dump(2)), good;
  for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 3) {  // command | query
    to = words.find(" | ", from);
    fmt::print("{}\n", words.substr(from, to - from));
  }
  return good;
}

int print_errors(CommandLine& line) {
  auto host = connect(line.link);
  Json all = Json::array();
  const auto reply = host.send("*OPC");  // the errors of this reply are the content of the queue
  for (const auto& queue : reply.errors)
    for (const auto& error : queued_errors(queue)) {
      all.push_back({{"number", error.number}, {"text", error.text}});
      if (!line.json) fmt::print("{:>5}  {}\n", error.number, error.text);
    }
  if (line.json) fmt::print("{}\n", all.dump(2));
  if (all.empty() && !line.json) fmt::print("no error waits on this link\n");
  return good;
}

}  // namespace

void add_protocol_commands(CommandLine& line) {
  auto text = std::make_shared<std::string>();
  auto* send = line.link_leaf(line.app, "send",
                              "one message of the command protocol; prints its answers, errors on stderr",
                              [&line, text] { return send_message(line, *text); });
  line.offer(send->add_option("message", *text, "e.g. \"CONF:REC 'mainboard';:INIT\"")->required(),
             Offer::headers);
  auto* help = line.link_leaf(
      line.app, "help",
      "commands of the protocol, as the daemon lists them, or what one of them takes and does",
      [&line, text] { return text->empty() ? print_headers(line) : print_syntax(line, *text); });
  line.offer(help->add_option("header", *text, "short or long, e.g. CONF:REC"), Offer::headers);
  auto* errors = line.link_leaf(line.app, "errors",
                                "errors that wait on this link, taken out; a new TCP connection has none yet",
                                [&line] { return print_errors(line); });
  for (auto* command : {send, help, errors}) line.add_json(*command);
}

}  // namespace datum
