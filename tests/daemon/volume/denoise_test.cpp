// Volumes denoised: as the formula in double, in the volume's own values, and by datumctl from file to file.
#include "daemon/volume/denoise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/system/available_memory.h"
#include "drivers/volume/volume_file.h"
#include "tests/drivers/volume/volume_bytes.h"
#include "tests/fresh_folder.h"
#include "tests/gpu/diffusion_scenes.h"
#include "tests/house/output_of.h"
#include "tests/refusal.h"

namespace datum {
namespace denoise_test {

using namespace datum::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr DiffusionGrid grid{17, 9, 11};

template <class T>
Volume volume_of(const std::vector<T>& samples, VoxelType type) {
  Volume v;
  v.header.type = type;
  v.header.size[0] = grid.nx;
  v.header.size[1] = grid.ny;
  v.header.size[2] = grid.nz;
  v.samples.resize(samples.size() * sizeof(T));
  std::memcpy(v.samples.data(), samples.data(), v.samples.size());
  return v;
}

std::vector<std::int16_t> noise() {
  const Field f = random_field(grid, 5, 700);
  return {f.begin(), f.end()};
}

DenoiseSettings settings(KappaRule rule, double kappa, std::uint32_t iterations, double lambda = 0.125) {
  DenoiseSettings s;
  s.diffusion = {Conduction::exponential, rule, kappa, lambda, iterations};
  return s;
}

Denoised denoised(Volume& v, const DenoiseSettings& s, unsigned threads = 2) {
  CpuDiffuser diffuser(cpu_backend(threads));
  return denoise(v, s, diffuser, "v", [](std::uint32_t, std::uint32_t) {});
}

// 6 faces in 13 iterations hold back less than a step each: 78 steps of 1400 / 2^30 (a step is at least half of that), and
// the polynomial 4.9e-7 of a flux below 0.125 * 0.43 * 300; then half a sample by rounding.
TEST(Denoise, IsTheFormulaInTheVolumesValues) {
  const auto samples = noise();
  Volume v = volume_of(samples, VoxelType::i16);
  v.header.slope = 0.25;
  v.header.offset = -100;
  const DenoiseSettings s = settings(KappaRule::fixed, 75, 13);
  const Denoised d = denoised(v, s);
  EXPECT_DOUBLE_EQ(d.first_kappa, 75);
  const std::vector<double> exact =
      in_double(Field(samples.begin(), samples.end()), grid, s.diffusion, 75 / 0.25);
  double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double after = sample_at<std::int16_t>(v.samples, i);
    EXPECT_LE(std::abs(after - exact[i]), 0.5 + 78 * 1400 / 0x1p29 + 13 * 6 * 4.9e-7 * 16.2) << i;
    largest = std::max(largest, std::abs(after - samples[i]));
  }
  EXPECT_GT(largest, 50);
  EXPECT_DOUBLE_EQ(d.largest_change, largest * 0.25);
}

TEST(Denoise, InPiecesIsAsInOneForEveryRuleOfKappa) {
  const auto samples = noise();
  for (const KappaRule rule : {KappaRule::fixed, KappaRule::mean_gradient, KappaRule::robust}) {
    Volume v = volume_of(samples, VoxelType::i16);
    const Denoised d = denoised(v, settings(rule, rule == KappaRule::fixed ? 200 : 0, 13));
    Field steps(samples.begin(), samples.end());
    const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
    const auto middle = static_cast<std::int32_t>(std::floor(*low + (*high - *low) / 2.0));
    const double scale = 1 / d.step;
    for (auto& step : steps) step = static_cast<std::int32_t>((step - middle) * scale);
    const DiffusionRecord whole =
        diffuse(steps.data(), grid,
                {Conduction::exponential, rule, rule == KappaRule::fixed ? 200 * scale : 0, 0.125, 13},
                cpu_backend(1));
    EXPECT_EQ(d.first_kappa, whole.first_kappa * d.step) << name_of(rule);
    EXPECT_EQ(d.last_kappa, whole.last_kappa * d.step) << name_of(rule);
    for (std::size_t i = 0; i < steps.size(); ++i)
      ASSERT_EQ(sample_at<std::int16_t>(v.samples, i), std::nearbyint(middle + steps[i] / scale))
          << name_of(rule);
  }
}

// Each type holds the same numbers, so the result of floats, rounded, is that of integers.
TEST(Denoise, OfEachTypeAgreesAndThreadsDoNotShow) {
  const auto samples = noise();
  Volume shorts = volume_of(samples, VoxelType::i16);
  const DenoiseSettings s = settings(KappaRule::robust, 0, 7);
  denoised(shorts, s, 1);
  Volume ints = volume_of(std::vector<std::int32_t>(samples.begin(), samples.end()), VoxelType::i32);
  Volume floats = volume_of(std::vector<float>(samples.begin(), samples.end()), VoxelType::f32);
  Volume doubles = volume_of(std::vector<double>(samples.begin(), samples.end()), VoxelType::f64);
  denoised(ints, s, 3);
  denoised(floats, s, 2);
  denoised(doubles, s, 2);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto value = sample_at<std::int16_t>(shorts.samples, i);
    EXPECT_EQ(sample_at<std::int32_t>(ints.samples, i), value);
    // The middle of an odd span is half a sample off: 2^-20 of steps and of float's own rounding.
    EXPECT_NEAR(sample_at<float>(floats.samples, i), value, 0.5001);
    EXPECT_NEAR(sample_at<double>(doubles.samples, i), sample_at<float>(floats.samples, i), 1e-4);
  }
}

TEST(Denoise, KeepsVoxelsWithoutAValue) {
  std::vector<float> samples;
  for (const auto v : noise()) samples.push_back(v);
  samples[40] = samples[41] = NAN;
  Volume v = volume_of(samples, VoxelType::f32);
  EXPECT_THAT(refusal_of<VolumeError>([&] { denoised(v, settings(KappaRule::robust, 0, 3)); }),
              HasSubstr("v: voxel x 6, y 2, z 0 is nan; wanted: finite samples, or --missing nan"));
  DenoiseSettings s = settings(KappaRule::robust, 0, 3);
  s.missing = std::numeric_limits<double>::quiet_NaN();
  const Denoised d = denoised(v, s);
  EXPECT_EQ(d.missing, 2u);
  EXPECT_TRUE(std::isnan(sample_at<float>(v.samples, 41)));
  EXPECT_TRUE(std::isfinite(sample_at<float>(v.samples, 42)));
  samples[40] = INFINITY;
  v = volume_of(samples, VoxelType::f32);
  EXPECT_THAT(refusal_of<VolumeError>([&] { denoised(v, s); }), HasSubstr("is inf"));
  auto padded = noise();
  padded[0] = -32000;
  Volume shorts = volume_of(padded, VoxelType::i16);
  s.missing = -32000;
  denoised(shorts, s);
  EXPECT_EQ(sample_at<std::int16_t>(shorts.samples, 0), -32000);
  EXPECT_GT(sample_at<std::int16_t>(shorts.samples, 1), -700);
}

// An outlier takes the steps from all others: kappa 100 of a range of 1e30 is no step at all.
TEST(Denoise, RefusesAKappaBelowTheSteps) {
  std::vector<float> samples(grid.size(), 1);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<float>(i % 7);
  samples[5] = 1e30f;
  Volume v = volume_of(samples, VoxelType::f32);
  EXPECT_THAT(refusal_of<VolumeError>([&] { denoised(v, settings(KappaRule::fixed, 100, 3)); }),
              AllOf(HasSubstr("at least 1024 are wanted"), HasSubstr("mark outliers by --missing")));
  std::vector<std::uint32_t> wide(grid.size(), 0);
  wide[3] = 0xffffffff;
  Volume w = volume_of(wide, VoxelType::u32);
  EXPECT_THAT(refusal_of<VolumeError>([&] { denoised(w, settings(KappaRule::fixed, 1e6, 3)); }),
              HasSubstr("less than 2^31 is wanted"));
}

TEST(Denoise, SaysWhereNothingWasSmoothed) {
  std::vector<std::int16_t> flat(grid.size(), 7);
  flat[9] = 9;
  Volume v = volume_of(flat, VoxelType::i16);
  v.header.spacing[0] = v.header.spacing[1] = 0.5;
  v.header.spacing[2] = 2;
  const Denoised d = denoised(v, settings(KappaRule::robust, 0, 20));
  EXPECT_THAT(d.warnings, ElementsAre(HasSubstr("kappa is 0"), HasSubstr("voxels are 0.5 x 0.5 x 2")));
  EXPECT_EQ(d.before_sha256, d.after_sha256);
}

TEST(AvailableMemory, IsTheLeastOfMachineAndGroups) {
  const FreshFolder folder;
  EXPECT_FALSE(available_memory(folder.path()));
  folder.write("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:   1000 kB\n");
  EXPECT_EQ(available_memory(folder.path()), 1024000u);
  folder.write("proc/self/cgroup", "0::/user/job\n");
  folder.write("sys/fs/cgroup/user/memory.max", "500000\n");
  folder.write("sys/fs/cgroup/user/memory.current", "200000\n");
  folder.write("sys/fs/cgroup/user/job/memory.max", "max\n");
  EXPECT_EQ(available_memory(folder.path()), 300000u);
  folder.write("sys/fs/cgroup/user/job/memory.max", "100\n");
  folder.write("sys/fs/cgroup/user/job/memory.current", "200\n");
  EXPECT_EQ(available_memory(folder.path()), 0u);
}

struct DatumctlVolume : ::testing::Test {
  FreshFolder folder;
  std::filesystem::path in = folder.write(
      "in.nrrd", nrrd_header("short", "17 9 11", "gzip", "big") + gzip_bytes(samples_bytes(noise(), true)));
  Output run(const std::string& options) {
    return output_of(std::string(DATUMCTL) + " volume denoise " + in.string() + " " + options);
  }
  std::string out(const char* name = "out.nrrd") { return (folder / name).string(); }
  std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
};

TEST_F(DatumctlVolume, WritesVolumeAndRecord) {
  const Output done = run(out() + " --kappa 300 --iterations 6 --backend cpu");
  EXPECT_EQ(done.status, 0) << done.text;
  EXPECT_THAT(done.text, AllOf(HasSubstr("5 of 6 iterations"), HasSubstr("6 of 6 iterations")));
  const VolumeHeader header = read_volume_header(out());
  EXPECT_THAT(
      header.text,
      HasSubstr("datumd:=Perona-Malik exponential, kappa 300 (fixed), lambda 0.125, 6 iterations; datumd "));
  Volume expected = volume_of(noise(), VoxelType::i16);
  const Denoised d = denoised(expected, settings(KappaRule::fixed, 300, 6));
  EXPECT_EQ(read_samples(out(), header).samples, expected.samples);
  const auto record = nlohmann::json::parse(text_of(out() + ".json"));
  EXPECT_EQ(record["output_samples_sha256"], d.after_sha256);
  EXPECT_EQ(record["input"], "in.nrrd");
  EXPECT_EQ(record["kappa_rule"], "fixed");
}

TEST_F(DatumctlVolume, ReplacesNothingUnlessForced) {
  folder.write("out.nrrd", "mine");
  const std::string options = out() + " --kappa robust --iterations 1 --backend cpu";
  Output done = run(options);
  EXPECT_EQ(done.status, 4);
  EXPECT_THAT(done.text, HasSubstr("exists; --force replaces it"));
  EXPECT_EQ(text_of(out()), "mine");
  EXPECT_EQ(run(options + " --force").status, 0);
  EXPECT_EQ(read_volume_header(out()).voxels(), grid.size());
}

TEST_F(DatumctlVolume, LeavesNothingWhereItRefuses) {
  EXPECT_THAT(run(out() + " --kappa 0 --iterations 1").text,
              HasSubstr("a number above 0 in the volume's values, mean or robust"));
  EXPECT_THAT(run(out() + " --kappa 5 --iterations 1 --lambda 0.2 --backend cpu").text,
              HasSubstr("1e-6 to 1/6 is wanted for a volume"));
  EXPECT_THAT(run(out("out.nii") + " --kappa 5 --iterations 1").text,
              HasSubstr("the input is NRRD; wanted: a name that ends with .nrrd"));
  EXPECT_EQ(run((folder / "no/out.nrrd").string() + " --kappa 5 --iterations 1 --backend cpu").status, 9);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1u) << "the input alone";
}

TEST_F(DatumctlVolume, RefusesMoreThanTheMemoryThatIsThere) {
  const VolumeHeader header = read_volume_header(in);
  EXPECT_GT(denoise_memory(header, 1, false), 6 * grid.size() + (32u << 20));
  const Output done = run(out() + " --kappa 5 --iterations 1 --backend cpu --threads 1 --memory-mib 32");
  EXPECT_EQ(done.status, 4);
  EXPECT_THAT(done.text,
              HasSubstr("in.nrrd: 17 x 9 x 11 int16 take 32 MiB of memory, 32 MiB are allowed; cut the "
                        "volume into several along z, or raise --memory-mib"));
  // 8 GiB of doubles without blocks on the disk: with their steps 12 GiB.
  in = folder / "big.nii";
  NiftiFields f;
  f.dim[1] = f.dim[2] = f.dim[3] = 1024;
  f.datatype = f.bitpix = 64;
  std::ofstream(in, std::ios::binary) << nifti_header(f);
  std::filesystem::resize_file(in, 352 + (std::uintmax_t{8} << 30));
  EXPECT_THAT(
      run(out("out.nii") + " --kappa 5 --iterations 1 --backend cpu --threads 1 --memory-mib 12000").text,
      HasSubstr("1024 x 1024 x 1024 double take 12336 MiB of memory, 12000 MiB are allowed"));
}

}  // namespace denoise_test
}  // namespace datum
