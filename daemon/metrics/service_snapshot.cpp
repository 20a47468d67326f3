#include "daemon/metrics/service_snapshot.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr auto timeout_at_end = std::chrono::seconds(1);

std::string slurp(const char* file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// /proc/self/stat from its third field on; the command name may contain blanks and parentheses.
void read_stat(ServiceSnapshot& facts) {
  const std::string text = slurp("/proc/self/stat");
  const std::size_t after = text.rfind(')');
  if (after == text.npos) return;
  std::istringstream in(text.substr(after + 2));
  std::vector<std::string> fields;
  for (std::string field; in >> field;) fields.push_back(field);
  if (fields.size() < 22) return;
  // Field numbers of proc(5).
  const auto number = [&](std::size_t field) { return std::stoull(fields[field - 3]); };
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  facts.cpu_s = static_cast<double>(number(14) + number(15)) / ticks;
  facts.threads = number(20);
  facts.virtual_bytes = number(23);
  facts.memory_bytes = number(24) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::istringstream lines(slurp("/proc/stat"));
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("btime ", 0) == 0)
      facts.started_utc_s = std::stod(line.substr(6)) + static_cast<double>(number(22)) / ticks;
}

std::uint64_t count_of(const fs::path& folder, std::error_code& error) {
  std::uint64_t n = 0;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) ++n;
  return n;
}

}  // namespace

ServiceSnapshot look_at_service(const ServicePlaces& places) {
  ServiceSnapshot facts;
  read_stat(facts);
  std::error_code error;
  if (const std::uint64_t n = count_of("/proc/self/fd", error); !error && n > 0)
    facts.fds = n - 1;  // without the descriptor of the listing
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) facts.most_fds = limit.rlim_cur;
  for (const char* ending : {"", "-wal", "-shm"}) {
    const auto bytes = fs::file_size(places.store.string() + ending, error);
    if (!error) facts.store_bytes = facts.store_bytes.value_or(0) + bytes;
  }
  for (const auto& [name, folder] : places.rooms) {
    struct statvfs room {};
    if (::statvfs(folder.c_str(), &room) == 0)
      facts.free_bytes[name] = static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize;
  }
  return facts;
}

ServiceSampler::ServiceSampler(ServicePlaces places, Clock now, int period_ms)
    : shared_(std::make_shared<Shared>()),
      thread_([shared = shared_, places = std::move(places), now, period_ms] {
        std::unique_lock lock(shared->mutex);
        while (!shared->stopping) {
          lock.unlock();
          auto facts = std::make_shared<ServiceSnapshot>(look_at_service(places));
          facts->looked_ns = now();
          lock.lock();
          shared->newest = std::move(facts);
          shared->wake.wait_for(lock, std::chrono::milliseconds(period_ms), [&] { return shared->stopping; });
        }
        shared->ended = true;
        shared->wake.notify_all();
      }) {}

ServiceSampler::~ServiceSampler() {
  std::unique_lock lock(shared_->mutex);
  shared_->stopping = true;
  shared_->wake.notify_all();
  const bool ended = shared_->wake.wait_for(lock, timeout_at_end, [&] { return shared_->ended; });
  lock.unlock();
  ended ? thread_.join() : thread_.detach();  // it waits for a disk; the process ends without it
}

std::shared_ptr<const ServiceSnapshot> ServiceSampler::newest() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->newest;
}

}  // namespace datum
