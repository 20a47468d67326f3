// Volumes of scanners: what is read, what is written again, and how hostile and damaged files are refused.
#include "drivers/volume/volume_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <numeric>
#include <random>

#include "tests/damaged_bytes.h"
#include "tests/drivers/volume/volume_bytes.h"
#include "tests/fresh_folder.h"
#include "tests/refusal.h"

namespace datum {
namespace volume_test {

using namespace datum::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<std::int16_t> ramp() {
  std::vector<std::int16_t> samples(12);
  std::iota(samples.begin(), samples.end(), std::int16_t{-3});
  return samples;
}

std::vector<std::int16_t> samples_of(const Volume& v) {
  std::vector<std::int16_t> samples;
  for (std::size_t i = 0; i < v.header.voxels(); ++i)
    samples.push_back(sample_at<std::int16_t>(v.samples, i));
  return samples;
}

Volume read_back(const std::filesystem::path& file) { return read_samples(file, read_volume_header(file)); }

struct VolumeFile : ::testing::Test {
  FreshFolder folder;
  std::string refusal(const std::string& name, const std::string& bytes) {
    const auto file = folder.write(name, bytes);
    return refusal_of<VolumeError>([&] { read_back(file); });
  }
  std::string nrrd_refusal(const std::string& from, const std::string& to) {
    std::string text = nrrd_header("short", "3 2 2");
    text.replace(text.find(from), from.size(), to);
    return refusal("a.nrrd", text + samples_bytes(ramp()));
  }
};

TEST_F(VolumeFile, OfEachFormatAndByteOrderHasTheSameSamples) {
  const std::string little = samples_bytes(ramp()), big = samples_bytes(ramp(), true);
  const std::vector<std::filesystem::path> files{
      folder.write("raw.nrrd", nrrd_header("short", "3 2 2") + little),
      folder.write("big.nrrd", nrrd_header("int16", "3 2 2", "gzip", "big") + gzip_bytes(big)),
      folder.write("n.nii", nifti_header({}) + little),
      folder.write("b.nii", nifti_header({}, true) + big),
      folder.write("n.nii.gz", gzip_bytes(nifti_header({}) + little)),
      folder.write("d.nhdr",
                   nrrd_header("short", "3 2 2", "raw", "little", "data file: d.raw\nbyte skip: 5\n"))};
  folder.write("d.raw", "12345" + little);
  for (const auto& file : files) EXPECT_EQ(samples_of(read_back(file)), ramp()) << file;
}

TEST_F(VolumeFile, StatesSpacingAndScale) {
  const VolumeHeader n = read_volume_header(
      folder.write("n.nii", nifti_header({.slope = 0.5, .inter = -1024}) + samples_bytes(ramp())));
  EXPECT_EQ(n.slope, 0.5);
  EXPECT_EQ(n.offset, -1024);
  EXPECT_EQ(n.spacing[2], 1.5);
  EXPECT_EQ(n.spacing_unit, "mm");
  const VolumeHeader d = read_volume_header(folder.write(
      "d.nrrd",
      nrrd_header("short", "3 2 2", "raw", "little",
                  "space directions: (0,2,0) (3,0,4) (0,0,1)\nspace units: \"mm\" \"mm\" \"mm\"\n") +
          samples_bytes(ramp())));
  EXPECT_EQ(d.spacing[0], 2);
  EXPECT_EQ(d.spacing[1], 5);
  EXPECT_EQ(d.spacing_unit, "mm");
}

TEST_F(VolumeFile, IsWrittenWithItsHeaderAndWhatWasDone) {
  for (const bool gzip : {false, true}) {
    const Volume v = read_back(folder.write(
        "b.nrrd",
        nrrd_header("short", "3 2 2", gzip ? "gzip" : "raw", "big", "modality:=CT\ndatumd:=once\n") +
            (gzip ? gzip_bytes(samples_bytes(ramp(), true)) : samples_bytes(ramp(), true))));
    std::string bytes;
    write_volume(v, header_with(v.header, "datumd", "twice\n"), gzip,
                 [&](const std::string& b) { bytes += b; });
    EXPECT_THAT(bytes, AllOf(HasSubstr("modality:=CT\ndatumd:=once\ndatumd 2:=twice\\n\n\n"),
                             HasSubstr("endian: big")));
    EXPECT_EQ(samples_of(read_back(folder.write("out.nrrd", bytes))), ramp());
  }
  const Volume v =
      read_back(folder.write("b.nii", nifti_header({.slope = 2}, true) + samples_bytes(ramp(), true)));
  std::string bytes;
  const std::string header = header_with(v.header, "datumd", std::string(100, 'x'));
  write_volume(v, header, true, [&](const std::string& b) { bytes += b; });
  const Volume again = read_back(folder.write("out.nii.gz", bytes));
  EXPECT_EQ(samples_of(again), ramp());
  EXPECT_EQ(again.header.slope, 2);
  EXPECT_EQ(again.header.text.substr(148, 80), std::string(79, 'x') + '\0');
}

TEST_F(VolumeFile, ADetachedHeaderBecomesAttached) {
  folder.write("d.raw", samples_bytes(ramp()));
  const Volume v = read_back(folder.write(
      "d.nhdr",
      "NRRD0001\ntype: short\ndimension: 3\nsizes: 3 2 2\nendian: little\nencoding: raw\nbyteskip: -1\n"
      "datafile: d.raw\n"));
  EXPECT_EQ(
      header_with(v.header, "datumd", "x"),
      "NRRD0002\ntype: short\ndimension: 3\nsizes: 3 2 2\nendian: little\nencoding: raw\ndatumd:=x\n\n");
}

TEST_F(VolumeFile, OfWrongSizesIsRefusedBeforeMemoryIsTaken) {
  EXPECT_THAT(nrrd_refusal("3 2 2", "3 2 3"),
              HasSubstr("24 bytes from the samples on, its header states 36 (3 x 2 x 3 int16)"));
  EXPECT_THAT(nrrd_refusal("3 2 2", "3 2 1"), HasSubstr("longer: its sizes, type or skip are wrong"));
  EXPECT_THAT(nrrd_refusal("3 2 2", "0 2 2"), HasSubstr("sizes 0 x 2 x 2: one is 0"));
  EXPECT_THAT(nrrd_refusal("3 2 2", "-3 2 2"),
              HasSubstr("a.nrrd:5: sizes: '-3 2 2'; wanted: three whole numbers"));
  EXPECT_THAT(nrrd_refusal("3 2 2", "3 2"), HasSubstr("three whole numbers"));
  // 2^22 cubed overflows 64 bits to 4.
  EXPECT_THAT(nrrd_refusal("3 2 2", "4194304 4194304 4194305"), HasSubstr("more than 2^30 voxels"));
  EXPECT_THAT(nrrd_refusal("3 2 2", "18446744073709551616 1 1"), HasSubstr("three whole numbers"));
  EXPECT_THAT(
      refusal("bomb.nrrd", nrrd_header("double", "1024 1024 1024", "gzip") + gzip_bytes(std::string(100, 0))),
      HasSubstr("compressed bytes can't hold the 8589934592 bytes"));
  const std::string longer = gzip_bytes(std::string(1 << 20, 'x'));
  EXPECT_THAT(refusal("long.nrrd", nrrd_header("short", "3 2 2", "gzip") + longer),
              HasSubstr("more than the 24 bytes of samples"));
  const std::string few = gzip_bytes(samples_bytes(ramp()).substr(1));
  EXPECT_THAT(refusal("few.nrrd", nrrd_header("short", "3 2 2", "gzip") + few), HasSubstr("23 of 24 bytes"));
  NiftiFields f;
  f.dim[2] = -2;
  EXPECT_THAT(refusal("n.nii", nifti_header(f) + samples_bytes(ramp())), HasSubstr("dim[2] -2"));
  f.dim[2] = 0;
  EXPECT_THAT(refusal("n.nii", nifti_header(f) + samples_bytes(ramp())), HasSubstr("one is 0"));
  f.dim[1] = f.dim[2] = f.dim[3] = 32767;
  EXPECT_THAT(refusal("n.nii", nifti_header(f) + samples_bytes(ramp())), HasSubstr("more than 2^30 voxels"));
}

TEST_F(VolumeFile, CutOffOrDamagedIsRefused) {
  const std::string whole = nrrd_header("short", "3 2 2", "gzip") + gzip_bytes(samples_bytes(ramp()));
  EXPECT_THAT(refusal("cut.nrrd", whole.substr(0, whole.size() - 9)), HasSubstr("cut off or damaged"));
  std::string flipped = whole;
  flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 1);  // of the CRC
  EXPECT_THAT(refusal("crc.nrrd", flipped), HasSubstr("cut off or damaged: incorrect data check"));
  EXPECT_THAT(refusal("plain.nrrd", nrrd_header("short", "3 2 2", "gzip") + samples_bytes(ramp())),
              HasSubstr("the header says gzip, the samples are not"));
  EXPECT_THAT(refusal("n.nii", nifti_header({}).substr(0, 200)), HasSubstr("a header of 348 bytes"));
  EXPECT_THAT(refusal("n.nii", ""), HasSubstr("0 bytes; wanted: a header of 348 or 540 bytes"));
  EXPECT_THAT(refusal("n.nii", gzip_bytes(nifti_header({}))), HasSubstr("wanted: .nii.gz"));
  EXPECT_THAT(refusal("n.nii.gz", nifti_header({})), HasSubstr("wanted: .nii"));
}

TEST_F(VolumeFile, OfNoVolumeOfScalarsIsRefusedByItsField) {
  EXPECT_THAT(nrrd_refusal("type: short", "type: block"),
              HasSubstr("a.nrrd:3: type: 'block'; wanted: int8, "));
  EXPECT_THAT(nrrd_refusal("type: short", "typ: short"), HasSubstr("no field 'type'"));
  EXPECT_THAT(nrrd_refusal("dimension: 3", "dimension: 4"), HasSubstr("dimension: '4'; wanted: 3"));
  EXPECT_THAT(nrrd_refusal("endian: little\n", ""), HasSubstr("no field 'endian'; wanted: little or big"));
  EXPECT_THAT(nrrd_refusal("little", "middle"), HasSubstr("endian: 'middle'"));
  EXPECT_THAT(nrrd_refusal("raw", "bzip2"), HasSubstr("encoding: 'bzip2'; wanted: raw or gzip"));
  EXPECT_THAT(nrrd_refusal("raw\n", "raw\nkinds: RGB-color domain domain\n"), HasSubstr("kinds: "));
  EXPECT_THAT(nrrd_refusal("raw\n", "raw\nraw\n"), HasSubstr("a.nrrd:8: 'raw' is no field"));
  EXPECT_THAT(nrrd_refusal("raw\n", "raw\ntype: int\n"), HasSubstr("type stands there twice"));
  EXPECT_THAT(nrrd_refusal("raw\n", "raw\nline skip: 3\n"), HasSubstr("line skip: '3'"));
  EXPECT_THAT(nrrd_refusal("NRRD0004", "NRRD0009"), HasSubstr("no NRRD"));
  for (const char* file : {"../secret", "/etc/passwd", "LIST", "a%03d.raw 1 3 1", ".."})
    EXPECT_THAT(nrrd_refusal("raw\n", std::string("raw\ndata file: ") + file + "\n"),
                HasSubstr("the name of one file beside the header"));
  EXPECT_THAT(refusal("long.nrrd", "NRRD0004\n" + std::string(2 << 20, '#')),
              HasSubstr("no blank line within 1 MiB"));
  EXPECT_THAT(refusal("n.nii", nifti_header({.magic = std::string("ni1\0", 4)})),
              HasSubstr("a pair of .hdr and .img"));
  EXPECT_THAT(refusal("n.nii", nifti_header({.datatype = 128, .bitpix = 24})), HasSubstr("datatype 128"));
  EXPECT_THAT(refusal("n.nii", nifti_header({.bitpix = 8})), HasSubstr("bitpix 8 of datatype 4; wanted: 16"));
  EXPECT_THAT(refusal("n.nii", nifti_header({.offset = 1e30f})), HasSubstr("vox_offset 1"));
  EXPECT_THAT(refusal("n.nii", nifti_header({.slope = NAN})), HasSubstr("scl_slope nan"));
  NiftiFields series;
  series.dim[0] = 4;
  series.dim[4] = 7;
  EXPECT_THAT(refusal("n.nii", nifti_header(series)), HasSubstr("dim[4] 7; wanted: 1"));
  EXPECT_THAT(refusal("a.raw", ""), HasSubstr("wanted: .nrrd, .nii, .nii.gz, or .nhdr"));
  EXPECT_THAT(refusal_of<VolumeError>([&] { read_volume_header(folder / "none.nii"); }),
              HasSubstr("can't be read"));
  const auto pipe = folder / "pipe.nii";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refusal_of<VolumeError>([&] { read_volume_header(pipe); }), HasSubstr("no file"));
}

// Damage is refused or read as a volume of as many samples as the header states; no other error, and no wild memory.
TEST_F(VolumeFile, DamagedAtRandomIsReadOrRefused) {
  std::mt19937 random(7);
  const std::string nrrd = nrrd_header("short", "3 2 2", "gzip") + gzip_bytes(samples_bytes(ramp()));
  const std::string nifti = nifti_header({}) + samples_bytes(ramp());
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    const auto file = folder.write(i % 2 ? "a.nrrd" : "a.nii", damaged(i % 2 ? nrrd : nifti, random));
    try {
      const Volume v = read_back(file);
      EXPECT_EQ(v.samples.size(), v.header.sample_bytes());
    } catch (const VolumeError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace volume_test
}  // namespace datum
