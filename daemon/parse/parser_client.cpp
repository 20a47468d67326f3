#include "daemon/parse/parser_client.h"

#include <poll.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "daemon/system/packets.h"
#include "daemon/version/version.h"
#include "drivers/frame/bounded_text.h"
#include "gpu/core/progress.h"

namespace datum {
namespace {

/// The process ended.
class ParserGone : public ParserEnded {
 public:
  explicit ParserGone(const std::string& how) : ParserEnded("it " + how, true) {}
};

/// All processes may be killed at once: the active one, the spare, and then one that was started after that. An input
/// under which three processes end is the cause, whatever they say of the order.
constexpr int most_tries = 3;

/// Above it memory goes back when an input is done: a frame of a common sensor stays below.
constexpr std::uint64_t kept_block_bytes = std::uint64_t{128} << 20;

/// One packet; 0 where the process is gone, -1 where none came by then, or `is_over` before. Waiting is progress: it ends by
/// itself.
long receive_until(
    int socket, void* data, std::size_t capacity, std::chrono::steady_clock::time_point until,
    const std::function<bool()>& is_over = [] { return false; }) {
  constexpr std::int64_t look_again_ms = 100;
  for (;;) {
    const long size = receive_packet(socket, data, capacity, nullptr, false);
    if (size >= 0) return size;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0 || is_over()) return -1;
    pollfd watched{socket, POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(std::min(left.count(), look_again_ms)));
    mark_progress();
  }
}

}  // namespace

pid_t ParserClient::pid() const {
  const std::lock_guard lock(mutex_);
  return active_->process.pid();
}

pid_t ParserClient::spare_pid() const {
  const std::lock_guard lock(mutex_);
  return spare_->process.pid();
}

bool ParserClient::start() {
  const std::lock_guard lock(mutex_);
  launch(*active_);
  const bool confined = greeted(*active_);
  launch(*spare_);
  return confined;
}

void ParserClient::launch(Parser& parser) try {
  parser.confined.reset();
  parser.process.start(settings_.program,
                       {std::to_string(settings_.memory_bytes), std::to_string(settings_.result_bytes)},
                       ChildProcess::Preloaded::none);
  parser.started = Clock::now();
  parser.input = ParseBlock::create("datumd-parse-input");
  parser.output = ParseBlock::create("datumd-parse-output");
  for (const auto& [kind, block] :
       {std::pair{ParseKind::take_input, &parser.input}, {ParseKind::take_output, &parser.output}}) {
    ParseOrder order;
    order.kind = kind;
    send_packet(parser.process.socket(), &order, sizeof order, block->fd());
  }
} catch (const std::exception& error) {
  parser.process.kill();
  throw ParserEnded(error.what(), false);
}

bool ParserClient::greeted(Parser& parser) {
  if (parser.confined) return *parser.confined;
  ParseGreeting heard;
  const long size =
      receive_until(parser.process.socket(), &heard, sizeof heard, parser.started + settings_.start_timeout);
  std::string wrong;
  if (size == 0)
    wrong = end_as_text(parser.process);
  else if (size < 0)
    wrong = "did not greet within " + std::to_string(settings_.start_timeout.count()) + " ms";
  else if (size != sizeof heard || text_in(heard.code) != code_id())
    wrong = "is of another build; install both programs from one";
  if (!wrong.empty()) {
    parser.process.kill();
    throw ParserEnded(settings_.program.string() + " " + wrong, false);
  }
  parser.confined = heard.confined != 0;
  return *parser.confined;
}

/// The spare process becomes the active one, and another one is started in its place.
void ParserClient::replace() {
  std::swap(active_, spare_);
  spare_->process.kill();
  try {
    launch(*spare_);
  } catch (const ParserEnded&) {  // reported to the next input, where it still does not start
  }
}

/// A process that was killed between two inputs, active or spare, is no fault of the next input.
void ParserClient::make_ready() {
  const auto ended = [](const Parser& parser) {
    char unasked = 0;
    return !parser.process.started() ||
           (parser.confined &&
            receive_packet(parser.process.socket(), &unasked, sizeof unasked, nullptr, false) != -1);
  };
  if (ended(*active_)) replace();
  try {
    if (active_->process.started()) greeted(*active_);
  } catch (const ParserEnded&) {  // killed while it stood by, or of no use at all
  }
  if (!ended(*active_)) return;  // its end shows once its greeting was read
  launch(*active_);
  greeted(*active_);
}

std::string ParserClient::end_as_text(ChildProcess& process) {
  const std::string end = process.how_it_ended();
  if (end.ends_with(" status " + std::to_string(exit_unconfined)))
    return end +
           " (the kernel does not confine it, and nothing of strangers is parsed without that: boot a kernel "
           "with "
           "CONFIG_SECCOMP_FILTER)";
  if (end.ends_with(" signal 31")) return end + " (SIGSYS: a system call that it may not make)";
  if (end.ends_with(" signal 24")) return end + " (SIGXCPU: too much processor time)";
  if (end.ends_with(" signal 25")) return end + " (SIGXFSZ: too large a result)";
  return end;
}

/// What the process has used since its start; none where the kernel does not say.
std::optional<std::chrono::nanoseconds> ParserClient::cpu_time() const {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(active_->process.pid(), &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    return std::nullopt;
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

/// The process can't lift it: setting limits is none of the system calls that it may make.
void ParserClient::limit_cpu(std::chrono::nanoseconds until) const {
  rlimit limit{};
  limit.rlim_max = RLIM_INFINITY;
  limit.rlim_cur = static_cast<rlim_t>(2 + until / std::chrono::seconds(1));
  ::prlimit(active_->process.pid(), RLIMIT_CPU, &limit,
            nullptr);  // beside the deadline, where datumd itself is gone
}

void ParserClient::hand_over(const ParseOrder& order, const ByteParts& parts) {
  std::uint64_t at = 0;
  for (const auto& part : parts) {
    active_->input.write(at, part.data(), part.size());
    at += part.size();
  }
  if (!send_packet(active_->process.socket(), &order, sizeof order))
    throw ParserGone(end_as_text(active_->process));
}

/// False: the active process had not begun with it.
bool ParserClient::was_taken(const ParseOrder& order) const {
  std::uint32_t taken = 0;
  return active_->output.read(0, &taken, sizeof taken) && taken == order.number;
}

ParseAnswer ParserClient::answered(std::uint32_t number, const Timeout& timeout,
                                   std::optional<std::chrono::nanoseconds> cpu_before) {
  const auto in_ms = [](std::chrono::nanoseconds time) {
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(time).count()) + " ms";
  };
  bool is_spent = false;
  ParseAnswer answer;
  const long size =
      receive_until(active_->process.socket(), &answer, sizeof answer,
                    Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout.all), [&] {
                      const auto now = cpu_time();
                      return is_spent = now && cpu_before && *now - *cpu_before > timeout.cpu;
                    });
  if (size == 0) throw ParserGone(end_as_text(active_->process));
  if (size < 0 && is_spent)
    throw ParserEnded("it gave no answer within " + in_ms(timeout.cpu) + " of processor time", true);
  if (size < 0) throw ParserEnded("it gave no answer within " + in_ms(timeout.all), true);
  if (size != sizeof answer || answer.number != number || answer.head_bytes > most_parse_head)
    throw ParserEnded("it answers with nonsense", true);
  return answer;
}

std::vector<std::uint8_t> ParserClient::head_of(const ParseAnswer& answer) const {
  std::vector<std::uint8_t> head(answer.head_bytes);
  if (!active_->output.read(parse_output_at, head.data(), head.size()))
    throw ParserEnded("it answers with nonsense", true);
  return head;
}

void ParserClient::parse_once(ParseOrder& order, const ByteParts& parts,
                              const std::function<std::exception_ptr()>& meanwhile,
                              const std::function<void(ParsedOutput&)>& take,
                              const std::function<void(const std::string&, FlatReader)>& refused) {
  make_ready();
  order.number = ++number_;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) bytes += order.part_bytes[i] = parts[i].size();
  const auto for_bytes = settings_.timeout_a_byte * bytes;
  const Timeout timeout{settings_.timeout + for_bytes, settings_.cpu_timeout + for_bytes};
  const auto cpu_before = cpu_time();
  if (cpu_before) limit_cpu(*cpu_before + timeout.cpu);
  hand_over(order, parts);
  const std::exception_ptr found = meanwhile();
  if (!found) stock_.prepare();
  const ParseAnswer answer = answered(order.number, timeout, cpu_before);
  const std::vector<std::uint8_t> head = head_of(answer);
  if (found) std::rethrow_exception(found);
  if (answer.status == ParseStatus::done) {
    ParsedOutput output(answer, head, active_->output, &stock_);
    take(output);
  } else {
    refused(printable_text(text_in(answer.text)), FlatReader(head));
  }
  stock_.clear();
  active_->input.shrink(kept_block_bytes);
  active_->output.shrink(kept_block_bytes);
}

void ParserClient::parse(ParseOrder order, const ByteParts& parts, const std::function<void()>& meanwhile,
                         const std::function<void(ParsedOutput&)>& take,
                         const std::function<void(const std::string&, FlatReader)>& refused) {
  const std::lock_guard lock(mutex_);
  const auto end = [&](const std::string& why) {
    replace();
    if (settings_.on_end) settings_.on_end(order, parts, why);
  };
  std::optional<std::exception_ptr> found;
  const auto once = [&] {
    if (found) return *found;
    found.emplace();
    try {
      meanwhile();
    } catch (...) {
      found = std::current_exception();
    }
    return *found;
  };
  for (int tries = 1;; ++tries) {
    try {
      return parse_once(order, parts, once, take, refused);
    } catch (const ParserGone& error) {
      if (tries < most_tries && !was_taken(order)) {
        replace();
        continue;
      }
      end(error.what());
      throw;
    } catch (const ParserEnded& error) {
      if (error.over_input) end(error.what());
      throw;
    } catch (const FlatError& error) {
      const std::string why = std::string("it answers with nonsense: ") + error.what();
      end(why);
      throw ParserEnded(why, true);
    }
  }
}

}  // namespace datum
