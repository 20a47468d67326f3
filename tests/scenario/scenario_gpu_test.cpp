// The real daemon with a faulty GPU. The worker is the product's worker with a CPU measurer (tests/daemon/gpu_worker) in
// the place of datumd-gpu; gpu_failover_cuda_test.cpp there covers a real GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A folder with datumd and a test worker under the name of datumd-gpu.
class Programs {
 public:
  Programs() {
    for (const char* program : {"datumd", "datumd-parse"})
      fs::copy_file(fs::path(DATUM_BIN) / program, folder_ / program);
    fs::copy_file(DATUM_TEST_WORKER_PROGRAM, folder_ / "datumd-gpu");
  }
  std::string datumd() const { return (folder_ / "datumd").string(); }

 private:
  datum::testing::FreshFolder folder_;
};

CellOptions cell_of(const Programs& programs) {
  CellOptions options;
  options.daemon = programs.datumd();
  return options;
}

/// The running worker of this folder; 0: none.
pid_t worker_beside(const Programs& programs) {
  for (const auto& process : fs::directory_iterator("/proc")) {
    std::error_code error;
    const auto program = fs::read_symlink(process.path() / "exe", error);
    if (!error && program == programs.datumd() + "-gpu") return std::stoi(process.path().filename());
  }
  return 0;
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST(ScenarioGpu, AFaultInTheMiddleOfABoardCostsNoResult) {
  const Programs programs;
  Cell cell(cell_of(programs));
  Program& datumd = cell.start({{"DATUM_TEST_WORKER", "fault"}});
  ASSERT_TRUE(datumd.says("backend: cuda a test device")) << datumd.output();
  const auto host = cell.connect();
  std::string frame = frame_of_box(good_height_um, 1);
  for (const char* name : {"a", "b", "c"}) {
    frame[frame.size() - 4] = *name;  // last bits of a corner pixel: another frame, the same component
    cell.deliver(name, frame);
    EXPECT_EQ(host->result().decision, "PASS");
  }
  EXPECT_THAT(host->ask("*TST?"), ::testing::Not(::testing::StartsWith("0")));
  auto stored = cell.results();
  ASSERT_EQ(stored.size(), 3u);
  EXPECT_EQ(stored[0]["backend"], "cuda test device");
  EXPECT_EQ(count(datumd.output(), "backend: the GPU failed"), 1) << datumd.output();
  EXPECT_THAT(datumd.output(), HasSubstr("an illegal memory access was encountered"));
  for (int i : {1, 2}) {
    EXPECT_THAT(stored[i]["backend"].get<std::string>(), HasSubstr("cpu"));
    EXPECT_EQ(stored[i]["components"], stored[0]["components"]);  // equal frames give equal numbers
  }
}

TEST(ScenarioGpu, AKilledWorkerIsStartedAgain) {
  const Programs programs;
  Cell cell(cell_of(programs));
  Program& datumd = cell.start({{"DATUM_TEST_WORKER", "well"}});
  const auto host = cell.connect();
  EXPECT_EQ(host->ask("*TST?").substr(0, 1), "0");
  std::string frame = frame_of_box(good_height_um, 1);
  cell.deliver("a", frame);
  EXPECT_EQ(host->result().decision, "PASS");
  const pid_t worker = worker_beside(programs);
  ASSERT_GT(worker, 0);
  ::kill(worker, SIGKILL);
  const Deadline deadline = timeout();
  int boards = 1;
  while (!datumd.output().ends_with("\n") || count(datumd.output(), "the GPU measures again") == 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << datumd.output();
    ++boards;
    // Last bits of a corner pixel: another frame of the same good component, however many boards a slow start takes.
    frame[frame.size() - 4] = static_cast<char>(boards);
    frame[frame.size() - 3] = static_cast<char>(boards >> 8);
    cell.deliver("b" + std::to_string(boards), frame);
    EXPECT_EQ(host->result().decision, "PASS");
  }
  EXPECT_EQ(count(datumd.output(), "backend: the GPU failed"), 1) << datumd.output();
  EXPECT_EQ(count(datumd.output(), "backend: the GPU measures again"), 1) << datumd.output();
  // The restarted worker inherits no descriptor of the daemon: ports, the store and sockets would stay open beyond its
  // end.
  const std::string open = "/proc/" + std::to_string(worker_beside(programs)) + "/fd";
  for (const auto& entry : fs::directory_iterator(open)) {
    if (std::stoi(entry.path().filename()) <= 3) continue;
    EXPECT_THAT(fs::read_symlink(entry.path()).string(), HasSubstr("memfd:datumd-frames"));
  }
  const auto stored = cell.results();
  EXPECT_EQ(stored.size(), static_cast<std::size_t>(boards));
  EXPECT_THAT(stored[1]["backend"].get<std::string>(), HasSubstr("cpu"));
  EXPECT_EQ(stored.back()["backend"], "cuda test device");
}

TEST(ScenarioGpu, TheWorkerEndsWithAKilledDaemon) {
  const Programs programs;
  Cell cell(cell_of(programs));
  Program& datumd = cell.start();
  const pid_t worker = worker_beside(programs);
  ASSERT_GT(worker, 0);
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, worker, 0));
  ASSERT_GE(process, 0);
  datumd.signal(SIGKILL);
  EXPECT_TRUE(readable({process}, timeout()));
  ::close(process);
}

TEST(ScenarioGpu, AStopFinishesTheBoardInHand) {
  const Programs programs;
  Cell cell(cell_of(programs));
  Program& datumd = cell.start();
  ::kill(worker_beside(programs), SIGTERM);  // as a service manager that signals every process
  const auto host = cell.connect();
  cell.deliver("a", frame_of_box(good_height_um, 1));
  EXPECT_EQ(host->result().decision, "PASS");
  datumd.signal(SIGTERM);
  EXPECT_EQ(datumd.wait(), 0);
  EXPECT_EQ(cell.results().at(0)["backend"], "cuda test device");
  EXPECT_EQ(worker_beside(programs), 0);
}

TEST(ScenarioGpu, WhoAsksForAGpuIsToldWhyThereIsNone) {
  const Programs programs;
  ::setenv("DATUM_TEST_WORKER", "unusable", 1);
  CellOptions options = cell_of(programs);
  Cell cell(options);
  std::ifstream in(cell.path() / "datumd.toml");
  std::string config{std::istreambuf_iterator<char>(in), {}};
  config.replace(config.find("threads = 1"), 11, "kind = \"cuda\"");
  cell.write("cuda.toml", config);
  const Outcome refused = run({programs.datumd(), "--config", "cuda.toml"}, cell.path());
  EXPECT_EQ(refused.status, 78);
  EXPECT_THAT(refused.output, HasSubstr("no usable GPU: no CUDA device: none is listed; allowed: \"auto\""));
  // "auto" starts on the CPU and reports the reason.
  Program& datumd = cell.start({{"DATUM_TEST_WORKER", "unusable"}});
  EXPECT_TRUE(datumd.says("; no CUDA device: none is listed")) << datumd.output();
  ::unsetenv("DATUM_TEST_WORKER");
}

// A CUDA fault in the daemon's own process would end it.
TEST(ScenarioGpu, TheDaemonHoldsNoCuda) {
  EXPECT_EQ(slurp(DATUM_BIN "/datumd").find("cudaRegisterFatBinary"), std::string::npos);
}

}  // namespace datum::scenario
