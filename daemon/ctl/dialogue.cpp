#include "daemon/ctl/dialogue.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "daemon/ctl/scpi_text.h"

namespace datum {
namespace {

/// SCPI-99 volume 1, 7.2.1.5: "not a number".
constexpr double not_a_number = 9.91e37;

std::string one_answer(ScpiClient& host, const std::string& query) {
  auto reply = host.send(query);
  if (!reply.errors.empty()) throw RefusedCommand(fmt::format("{}", fmt::join(reply.errors, "\n")));
  if (reply.answers.size() != 1)
    throw RefusedCommand(fmt::format("{}: {} answers instead of one", query, reply.answers.size()));
  return std::move(reply.answers.front());
}

}  // namespace

std::vector<std::string> ask(ScpiClient& host, const std::string& query) {
  return answer_fields(one_answer(host, query));
}

std::vector<std::string> ask(ScpiClient& host, const std::string& query, std::size_t fields) {
  auto answer = ask(host, query);
  if (answer.size() < fields)
    throw RefusedCommand(fmt::format("{}: {} fields where {} are known: datumd is of another version", query,
                                     answer.size(), fields));
  return answer;
}

std::string ask_block(ScpiClient& host, const std::string& query) {
  const std::string answer = one_answer(host, query);
  const std::size_t digits =
      answer.size() > 1 && answer[0] == '#' ? static_cast<std::size_t>(answer[1] - '0') : 0;
  if (digits < 1 || digits > 9 || answer.size() < 2 + digits)
    throw RefusedCommand(query + ": the answer is no block");
  return answer.substr(2 + digits);  // the client has verified the length of the block
}

void order(ScpiClient& host, const std::string& command) {
  const auto reply = host.send(command);
  if (!reply.errors.empty()) throw RefusedCommand(fmt::format("{}", fmt::join(reply.errors, "\n")));
}

bool print_errors(const ScpiClient::Reply& reply) {
  for (const std::string& error : reply.errors) fmt::print(stderr, "datumctl: refused: {}\n", error);
  return reply.errors.empty();
}

bool print_answers(ScpiClient& host, const std::string& query) {
  const auto reply = host.send(query);
  for (const std::string& answer : reply.answers)
    for (const std::string& line : answer_fields(answer)) fmt::print("{}\n", line);
  return print_errors(reply);
}

bool carry_out(ScpiClient& host, const std::string& command, const std::optional<std::string>& prompt) {
  if (!print_errors(host.send(command))) return false;
  if (!prompt) return true;
  if (!prompt->empty()) fmt::print("{} ...\n", *prompt);
  std::fflush(stdout);
  const bool good = print_errors(host.send("*OPC?"));
  // The daemon reads a command's errors before it answers it; the errors of the awaited work come behind that.
  return print_errors(host.send("SYSTem:ERRor:COUNt?")) && good;
}

std::vector<QueuedError> queued_errors(const std::string& answer) {
  const auto fields = answer_fields(answer);
  std::vector<QueuedError> errors;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2)
    if (const int number = std::atoi(fields[i].c_str())) errors.push_back({number, fields[i + 1]});
  return errors;
}

std::optional<double> number_of(const std::string& field) {
  char* end = nullptr;
  const double value = std::strtod(field.c_str(), &end);
  if (end == field.c_str() || *end != 0 || !std::isfinite(value) || std::abs(value) >= not_a_number * 0.99)
    return std::nullopt;
  return value;
}

}  // namespace datum
