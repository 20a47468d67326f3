#include "daemon/ctl/device_answers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "daemon/ctl/dialogue.h"
#include "daemon/instrument/scpi_error.h"

namespace datum {

std::string position_text(const std::vector<std::string>& answer) {
  if (answer[0] != "OK") return fmt::format("{}: {}\n", answer[0], answer[4]);
  const auto mm = [&](std::size_t i) { return number_of(answer[i]).value_or(0); };
  return fmt::format("x {:.4f}  y {:.4f}  z {:.4f} mm\n", mm(1), mm(2), mm(3));
}

nlohmann::ordered_json position_json(const std::vector<std::string>& answer) {
  nlohmann::ordered_json out{{"state", answer[0]}};
  const char* const names[] = {"x_mm", "y_mm", "z_mm"};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto mm = number_of(answer[i + 1]);
    out[names[i]] = mm ? nlohmann::ordered_json(*mm) : nlohmann::ordered_json();
  }
  out["detail"] = answer[4];
  return out;
}

SelfTest self_test_of(ScpiClient& host) {
  const auto reply = host.send("*TST?");
  SelfTest test;
  for (const auto& queue : reply.errors)
    for (const auto& error : queued_errors(queue)) {
      if (error.number != scpi::self_test_failed) throw RefusedCommand(queue);
      const auto words = error.text.find(';');  // "Self-test failed;detail"
      test.failures.push_back(words == std::string::npos ? error.text : error.text.substr(words + 1));
    }
  if (reply.answers.size() != 1 || reply.answers.front() != fmt::format("{}", test.failures.size()))
    throw RefusedCommand("*TST?: the number of failures is not that of their words");
  return test;
}

std::string self_test_text(const SelfTest& test) {
  return test.failures.empty() ? "passed" : fmt::format("{}", fmt::join(test.failures, "\n"));
}

nlohmann::ordered_json self_test_json(const SelfTest& test) {
  return {{"passed", test.failures.empty()}, {"failures", test.failures}};
}

}  // namespace datum
