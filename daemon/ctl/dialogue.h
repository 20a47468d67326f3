// Queries and commands to a daemon that may refuse them.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/ctl/scpi_client.h"

namespace datum {

/// Thrown with the content of the daemon's error queue.
class RefusedCommand : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Fields of the single answer to a query, without quotes. Throws RefusedCommand, and as ScpiClient::send does.
std::vector<std::string> ask(ScpiClient& host, const std::string& query);
/// The same, with a minimum number of fields; fewer come from a datumd of another version.
std::vector<std::string> ask(ScpiClient& host, const std::string& query, std::size_t fields);
/// Bytes of the definite length block that answers a query.
std::string ask_block(ScpiClient& host, const std::string& query);
/// Sends a command without an answer.
void order(ScpiClient& host, const std::string& command);

/// Prints the errors of a reply on stderr; false where there is one.
bool print_errors(const ScpiClient::Reply& reply);
/// Prints the fields of a query's answers, one line each, and the errors of the awaited operation; false where there is
/// one.
bool print_answers(ScpiClient& host, const std::string& query);

/// One step of a procedure that an operator and the daemon carry out together. `prompt`: none where the daemon does not wait
/// for anything in this step; else what the operator is to do meanwhile, empty: nothing. False: something was refused.
bool carry_out(ScpiClient& host, const std::string& command, const std::optional<std::string>& prompt);

/// `-113,"Undefined header;FOO",-222,"..."` one by one: number and words.
struct QueuedError {
  int number = 0;
  std::string text;
};
std::vector<QueuedError> queued_errors(const std::string& answer);

/// A number in an answer; none for 9.91E37, not a number.
std::optional<double> number_of(const std::string& field);

}  // namespace datum
