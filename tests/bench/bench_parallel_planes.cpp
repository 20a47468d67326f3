// datum bench parallel_planes: ten parallel planes of a million weighted points, on this CPU and on its GPU.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>

#include "tests/bench/parallel_planes_gpu.h"
#include "tests/gpu/parallel_planes_scenes.h"

namespace datum::bench {
namespace {

using testing::Stack;
using testing::StackResult;

constexpr int rounds = 15;

double median_ms(const std::function<void()>& work) {
  std::vector<double> ms;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(ms.begin(), ms.begin() + rounds / 2, ms.end());
  return ms[rounds / 2];
}

/// Every cache line once, summed as integers: what reading costs.
std::uint64_t read_all(const Stack& stack) {
  std::uint64_t sum[8] = {};
  for (const auto& plane : stack.points) {
    const auto* words = reinterpret_cast<const unsigned char*>(plane.data());
    for (std::size_t at = 0; at + 64 <= plane.size() * sizeof plane[0]; at += 64)
      for (int k = 0; k < 8; ++k) {
        std::uint64_t word = 0;
        std::memcpy(&word, words + at + 8 * k, 8);
        sum[k] += word;
      }
  }
  for (int k = 1; k < 8; ++k) sum[0] ^= sum[k];
  return sum[0];
}

/// The textbook with Eigen's arrays: the fastest of the formulations that were tried (centred matrix times its weighted
/// transpose, in double).
Eigen::Vector3d eigen_normal(const Stack& stack) {
  Eigen::Matrix3d s = Eigen::Matrix3d::Zero();
  for (const auto& plane : stack.points) {
    const Eigen::Map<const Eigen::Matrix4Xf> p(&plane[0].x, 4, static_cast<Eigen::Index>(plane.size()));
    const Eigen::Matrix4Xd all = p.cast<double>();
    const Eigen::Vector3d centroid = all.topRows<3>() * all.row(3).transpose() / all.row(3).sum();
    const Eigen::Matrix3Xd d = all.topRows<3>().colwise() - centroid;
    s += (d.array().rowwise() * all.row(3).array()).matrix() * d.transpose();
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(s).eigenvectors().col(0);
}

/// The same from one pass in blocks of columns that stay in the cache.
Eigen::Vector3d eigen_one_pass_normal(const Stack& stack) {
  Eigen::Matrix3d s = Eigen::Matrix3d::Zero();
  constexpr Eigen::Index block = 512;
  for (std::size_t i = 0; i < stack.points.size(); ++i) {
    const auto& plane = stack.points[i];
    const Eigen::Map<const Eigen::Matrix4Xf> p(&plane[0].x, 4, static_cast<Eigen::Index>(plane.size()));
    const Eigen::Vector3d centre(stack.centres[i][0], stack.centres[i][1], stack.centres[i][2]);
    Eigen::Matrix4d moments = Eigen::Matrix4d::Zero();
    for (Eigen::Index at = 0; at < p.cols(); at += block) {
      const Eigen::Index n = std::min(block, p.cols() - at);
      Eigen::Matrix4Xd d = p.middleCols(at, n).cast<double>();
      const Eigen::RowVectorXd w = d.row(3);
      d.topRows<3>().colwise() -= centre;
      d.row(3).setOnes();
      moments.noalias() += (d.array().rowwise() * w.array()).matrix() * d.transpose();
    }
    const Eigen::Vector3d m = moments.topRightCorner<3, 1>();
    s += moments.topLeftCorner<3, 3>() - m * m.transpose() / moments(3, 3);
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(s).eigenvectors().col(0);
}

void run(std::size_t points) {
  std::mt19937_64 random(1);
  Stack stack;
  testing::add_set(stack, std::vector<std::size_t>(10, points), testing::Shape{.step = 2}, random, true);
  const double megabytes = 10e-6 * static_cast<double>(points) * sizeof(WeightedPoint);
  std::printf("10 parallel planes of %zu weighted points, %.0f MB; medians of %d\n", points, megabytes,
              rounds);
  std::printf("%-58s %9s %9s %9s\n", "method", "ms", "x reading", "Eigen x");
  std::uint64_t seen = 0;
  const double read = median_ms([&] { seen ^= read_all(stack); });
  Eigen::Vector3d normal;
  const double two_pass = median_ms([&] { normal = eigen_normal(stack); });
  const double one_pass = median_ms([&] { normal = eigen_one_pass_normal(stack); });
  const double eigen = std::min(two_pass, one_pass);
  const auto row = [&](const std::string& name, double ms) {
    std::printf("%-58s %9.3f %9.2f %9.1f\n", name.c_str(), ms, ms / read, eigen / ms);
  };
  row("reading alone, 1 thread" + std::string(seen == 1 ? "." : ""), read);
  row("Eigen, two passes in double", two_pass);
  row("Eigen, one pass in blocks", one_pass);
  const auto settings = testing::stack_settings();
  StackResult result(stack);
  for (const unsigned threads : {1u, 0u}) {
    const Backend backend = cpu_backend(threads);
    row("datumd " + describe(backend), median_ms([&] { result = testing::fit(stack, settings, backend); }));
  }
  std::printf("angle to Eigen's normal: %.1e rad\n\n",
              normal
                  .cross(Eigen::Vector3d(result.shared[0].normal[0], result.shared[0].normal[1],
                                         result.shared[0].normal[2]))
                  .norm());
  parallel_planes_gpu_rows(stack, settings, result);
}

}  // namespace
}  // namespace datum::bench

int main() {
  datum::bench::run(1000000);
  datum::bench::run(10000);
}
