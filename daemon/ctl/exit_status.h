// Exit statuses of datumctl. 0 to 3 are the verdicts of `show`, `trigger --wait` and `verify`.
#pragma once

namespace datum {

enum Exit : int {
  good = 0,
  failed = 1,  // of `selftest`
  usage = 4,
  no_store = 5,
  no_result = 6,
  no_connection = 7,
  refused_command = 8,
  not_written = 9,
  untold = 10,  // of `verify`
};

/// One line each, for help and the manual page.
inline constexpr struct {
  const char* status;
  const char* meaning;
} exit_meanings[] = {
    {"0", "done; a verdict PASS, a self-test that passed, a verification that is good"},
    {"1",
     "a verdict FAIL, a self-test that failed, a doctor who found something bad, a verification that is not "
     "good, no position heard"},
    {"2", "a verdict INCONCLUSIVE, a verification that is not enough to say"},
    {"3", "a verdict INVALID"},
    {"4", "the command line is wrong"},
    {"5", "the store or the configuration can't be read"},
    {"6", "no such result"},
    {"7", "the daemon is not there, or does not answer in time"},
    {"8", "the daemon refused the command; its words are on stderr"},
    {"9", "the file, or what reads stdout, takes no more"},
    {"10",
     "a verification that is good as far as it goes, and does not show all: a flat plate, a part that "
     "repeats itself"},
};

}  // namespace datum
