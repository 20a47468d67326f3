// Question and answer with a daemon that may refuse.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/ctl/scpi_client.h"

namespace datum {

/// What the daemon's error queue said.
class RefusedCommand : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Fields of the one answer to a query, quotes taken off. Throws RefusedCommand, and as ScpiClient::send does.
std::vector<std::string> ask(ScpiClient& host, const std::string& query);
/// The same with at least so many fields; fewer are the answer of another datumd than this datumctl knows.
std::vector<std::string> ask(ScpiClient& host, const std::string& query, std::size_t fields);
/// Bytes of the definite block that answers a query.
std::string ask_block(ScpiClient& host, const std::string& query);
/// A command, which has no answer.
void order(ScpiClient& host, const std::string& command);

/// Prints the errors of a reply on stderr; false where there is one.
bool print_errors(const ScpiClient::Reply& reply);
/// Prints the fields of a query's answers, a line each, and the errors of whatever was waited for; false where there is one.
bool print_answers(ScpiClient& host, const std::string& query);

/// `-113,"Undefined header;FOO",-222,"..."` one by one: number and words.
struct QueuedError {
  int number = 0;
  std::string text;
};
std::vector<QueuedError> queued_errors(const std::string& answer);

/// A number of an answer; none where the instrument says that there is none (9.91E37).
std::optional<double> number_of(const std::string& field);

}  // namespace datum
