// Registration of a board in a 3904 x 3904 int16 frame with 58 components: frame in memory to motion and covariance.
//
//   bench_registration [REPEATS [THREADS [PAUSE_MS]]]    processor time of all threads, and the time that passes: median (10 % .. 90 %)
//
// Boards come one by one: between two registrations the program rests for PAUSE_MS (5), so that the threads have to be woken.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "daemon/inspection/registration/board_registration.h"
#include "tests/bench/bench_board.h"

namespace {

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

std::string summary(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const auto at = [&](double q) {
    return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1))];
  };
  return fmt::format("{:7.2f} ({:.2f} .. {:.2f})", at(0.5), at(0.1), at(0.9));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace datum;  // NOLINT(google-build-using-namespace): a program's one file
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 100;
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::max(1, std::atoi(argv[2]))) : 2;
  const std::chrono::milliseconds pause(argc > 3 ? std::max(0, std::atoi(argv[3])) : 5);
  const Recipe recipe = bench::make_recipe();
  const HeightFrame frame = bench::make_frame(recipe);
  const BoardView view(frame,
                       Htm<Board, Sensor>(Htm<Sensor, Board>(recipe.machine_from_board.matrix()).inverse()));
  RegistrationSettings settings;
  settings.max_shift_mm = 2;
  settings.max_rotation_deg = 3;
  settings.lowest_mm = 0.4;
  std::vector<double> cpu, passed;
  BoardRegistration r;
  for (int i = -3; i < repeats; ++i) {  // three to warm up
    const double cpu_begin = cpu_ms();
    const auto begin = std::chrono::steady_clock::now();
    const BoardLookAt look{frame, view};
    r = register_board(recipe, {&look, 1}, settings, threads);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    std::this_thread::sleep_for(pause);  // threads that stay awake for a while count
    if (i < 0) continue;
    cpu.push_back(cpu_ms() - cpu_begin);
    passed.push_back(took.count());
  }
  fmt::print(
      "registration, {0} x {0} px, {1} components, {2} threads, +- {3} mm, +- {4} degrees, eight turns\n",
      bench::side_px, recipe.components.size(), threads, settings.max_shift_mm, settings.max_rotation_deg);
  fmt::print("cpu ms  {}\ntime ms {}\n", summary(cpu), summary(passed));
  const PlaneMotion& m = r.best.value().motion;
  fmt::print("found: [{:.4f}, {:.4f}] mm, {:.5f} deg, match {:.2f}, second {:.2f}, {} pairs\n",
             m.shift_mm.x(), m.shift_mm.y(), m.rotation_deg, r.best->match, r.second ? r.second->match : 0,
             r.best->fit.used);
}
