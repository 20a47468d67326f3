// Models exported by CAD systems: three formats, one surface, and refused files.
#include "drivers/model/model_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstring>

#include "drivers/sensor/file_bytes.h"
#include "tests/fresh_folder.h"

using namespace datum;
namespace fs = std::filesystem;

namespace {

using Triangle = std::array<std::array<float, 3>, 3>;

/// A tetrahedron of size 10 with its corner at the origin, seen anticlockwise from outside.
const std::vector<Triangle> tetrahedron{{{{{0, 0, 0}, {0, 10, 0}, {10, 0, 0}}},
                                         {{{0, 0, 0}, {10, 0, 0}, {0, 0, 10}}},
                                         {{{0, 0, 0}, {0, 0, 10}, {0, 10, 0}}},
                                         {{{10, 0, 0}, {0, 10, 0}, {0, 0, 10}}}}};

std::array<float, 3> turned(const Triangle& t) {
  float a[3], b[3];
  for (std::size_t k = 0; k < 3; ++k) {
    a[k] = t[1][k] - t[0][k];
    b[k] = t[2][k] - t[0][k];
  }
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

std::string binary_stl(const std::vector<Triangle>& facets, float normal_sign = 1) {
  std::string bytes(80, ' ');
  const auto put = [&](const void* from, std::size_t size) {
    bytes.append(static_cast<const char*>(from), size);
  };
  const auto count = static_cast<std::uint32_t>(facets.size());
  put(&count, 4);
  for (const Triangle& t : facets) {
    for (const float c : turned(t)) {
      const float stated = c * normal_sign;
      put(&stated, 4);
    }
    put(t.data(), 36);
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string ascii_stl(const std::vector<Triangle>& facets) {
  std::string text = "solid part\n";
  for (const Triangle& t : facets) {
    const auto n = turned(t);
    text += fmt::format("  facet normal {} {} {}\n    outer loop\n", n[0], n[1], n[2]);
    for (const auto& v : t) text += fmt::format("      vertex {} {} {}\n", v[0], v[1], v[2]);
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid part\n";
}

std::string obj(const std::vector<Triangle>& facets) {
  std::string text;
  for (const Triangle& t : facets)
    for (const auto& v : t) text += fmt::format("v {} {} {}\n", v[0], v[1], v[2]);
  for (std::size_t i = 0; i < facets.size(); ++i)
    text += fmt::format("f {} {} {}\n", 3 * i + 1, 3 * i + 2, 3 * i + 3);
  return text;
}

std::string ply(const std::vector<Triangle>& facets) {
  std::string text = fmt::format(
      "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      3 * facets.size(), facets.size());
  for (const Triangle& t : facets)
    for (const auto& v : t) text += fmt::format("{} {} {}\n", v[0], v[1], v[2]);
  for (std::size_t i = 0; i < facets.size(); ++i)
    text += fmt::format("3 {} {} {}\n", 3 * i, 3 * i + 1, 3 * i + 2);
  return text;
}

/// Corner k of facet i, in mm.
std::array<double, 3> corner(const ModelFile& model, std::size_t i, std::size_t k) {
  return model.vertices_mm[model.facets[i][k]];
}

std::string binary_ply(const std::vector<Triangle>& facets) {
  std::string bytes = ply(facets);
  bytes.resize(bytes.find("end_header"));
  bytes.replace(bytes.find("ascii"), 5, "binary_little_endian");
  bytes += "end_header\n";
  for (const Triangle& t : facets) bytes.append(reinterpret_cast<const char*>(t.data()), 36);
  for (int i = 0; i < static_cast<int>(facets.size()); ++i) {
    const int corners[3] = {3 * i, 3 * i + 1, 3 * i + 2};
    bytes += '\3';
    bytes.append(reinterpret_cast<const char*>(corners), 12);
  }
  return bytes;
}

std::string refusal_of(const std::string& bytes, const std::string& name) {
  try {
    model_from_bytes(bytes, name, 1);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST(ModelFile, EveryFormatGivesTheSameFacetsInTheFilesOrder) {
  const std::vector<std::pair<std::string, std::string>> files{{"part.stl", binary_stl(tetrahedron)},
                                                               {"part.STL", ascii_stl(tetrahedron)},
                                                               {"part.ply", ply(tetrahedron)},
                                                               {"binary.ply", binary_ply(tetrahedron)},
                                                               {"part.obj", obj(tetrahedron)}};
  for (const auto& [name, bytes] : files) {
    const ModelFile model = model_from_bytes(bytes, name, 25.4);
    ASSERT_EQ(model.facets.size(), 4u) << name;
    EXPECT_EQ(model.contradicted_normals, 0u) << name;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t axis = 0; axis < 3; ++axis)
          EXPECT_EQ(corner(model, i, k)[axis], double{tetrahedron[i][k][axis]} * 25.4) << name << i << k;
  }
}

TEST(ModelFile, FacetsOfSeveralObjectsAndMaterialsKeepTheFilesOrder) {
  std::string text = obj(tetrahedron);
  const std::size_t faces = text.find("f ");
  std::string tail = text.substr(faces), mixed = text.substr(0, faces);
  const char* heads[] = {"o one\nusemtl red\n", "usemtl blue\n", "usemtl red\n", "o two\nusemtl blue\n"};
  for (const char* head : heads) {
    const std::size_t end = tail.find('\n') + 1;
    mixed += head + tail.substr(0, end);
    tail = tail.substr(end);
  }
  const ModelFile model = model_from_bytes(mixed, "part.obj", 1);
  ASSERT_EQ(model.facets.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(corner(model, i, 1)[0], double{tetrahedron[i][1][0]}) << i;
}

TEST(ModelFile, NormalsThatContradictTheCornersAreCounted) {
  EXPECT_EQ(model_from_bytes(binary_stl(tetrahedron, -1), "part.stl", 1).contradicted_normals, 4u);
}

TEST(ModelFile, RoundingIsThatOfTheLargestCoordinate) {
  // 10 units of 1000 mm: half a unit in the last place of a 24-bit significand, as a bound relative to the
  // number.
  EXPECT_DOUBLE_EQ(model_from_bytes(obj(tetrahedron), "part.obj", 1000).rounding_mm, 10000 * 0x1p-24);
}

TEST(ModelFile, TruncatedOrDamagedFilesAreRefusedByName) {
  const std::string whole = binary_stl(tetrahedron), text = ascii_stl(tetrahedron);
  EXPECT_THAT(refusal_of(whole.substr(0, whole.size() - 1), "part.stl"),
              ::testing::StartsWith("part.stl: is neither"));
  EXPECT_THAT(refusal_of(text.substr(0, text.size() / 2), "part.stl"), ::testing::HasSubstr("truncated"));
  EXPECT_THAT(refusal_of(ply(tetrahedron).substr(0, 37), "part.ply"), ::testing::HasSubstr("ends early"));
  std::string more = ply(tetrahedron);
  more.replace(more.find("face 4"), 6, "face 999999999");
  EXPECT_THAT(refusal_of(more, "part.ply"), ::testing::HasSubstr("announces '999999999'"));
  more.replace(more.find("face 999999999"), 14, "face 5");
  EXPECT_THAT(refusal_of(more, "part.ply"), ::testing::HasSubstr("ends early"));
  more.replace(more.find("face 5"), 6, "face 3");
  EXPECT_THAT(refusal_of(more, "part.ply"), ::testing::HasSubstr("goes on after all"));
  const std::string binary = binary_ply(tetrahedron);
  EXPECT_THAT(refusal_of(binary.substr(0, binary.size() - 1), "part.ply"),
              ::testing::HasSubstr("ends early"));
  EXPECT_THAT(refusal_of("", "part.obj"), ::testing::HasSubstr("part.obj: "));
  EXPECT_THAT(refusal_of("x", "part.step"), ::testing::HasSubstr("export it as .stl, .ply or .obj"));
}

TEST(ModelFile, WhatIsNoTriangleIsRefused) {
  EXPECT_THAT(refusal_of("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", "part.obj"),
              ::testing::HasSubstr("facet 0 has 4 corners; export it with triangles only"));
  EXPECT_THAT(refusal_of("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                         "property float z\nend_header\n0 0 0\n",
                         "part.ply"),
              ::testing::HasSubstr("has points but no facets"));
}

TEST(ModelFile, StructureThatIsThereTwiceOrUnknownIsRefused) {
  const std::string head = "ply\nformat ascii 1.0\n",
                    xyz = "property float x\nproperty float y\nproperty float z\n";
  const std::string vertex = "element vertex 3\n" + xyz, list = "property list uchar int vertex_indices\n";
  const std::string face = "element face 1\n" + list, points = "0 0 0\n1 0 0\n0 1 0\n",
                    body = points + "3 0 1 2\n";
  const auto refusal = [&](const std::string& elements, const std::string& text) {
    return refusal_of(head + elements + "end_header\n" + text, "part.ply");
  };
  EXPECT_EQ(refusal(vertex + face, body), "accepted");
  EXPECT_EQ(refusal(vertex + "element vertex 100000\n" + xyz + face, points + body),
            "part.ply:7: announces '100000' of 'vertex' in 271 bytes; it is damaged, export it again");
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "0 0 0\n";
  EXPECT_EQ(refusal(vertex + "element vertex 100000\n" + xyz + face, points + many + "3 0 1 2\n"),
            "part.ply:7: has the element vertex twice; it is damaged, export it again");
  EXPECT_EQ(refusal(vertex + face + face, body + "3 0 1 2\n"),
            "part.ply:9: has the element face twice; it is damaged, export it again");
  EXPECT_EQ(refusal(vertex + "property float x\n" + face, body),
            "part.ply:7: has the property x twice; it is damaged, export it again");
  EXPECT_EQ(
      refusal(vertex + "element face 1\nproperty list uchar float texcoord\n", points + "6 0 0 1 0 0 1\n"),
      "part.ply:8: has the list 'texcoord'; only a face's vertex_indices is known: export it without");
  EXPECT_EQ(refusal(vertex + "element face 1\nproperty uchar red\n", points + "1\n"),
            "part.ply: a face has no list vertex_indices; export it again");
  EXPECT_EQ(
      refusal(vertex + "element tristrips 1\nproperty list int int vertex_indices\n", points + "3 0 1 2\n"),
      "part.ply:7: has the element 'tristrips'; export it with vertex and face alone");
  EXPECT_EQ(refusal(face + vertex, "3 0 1 2\n" + points),
            "part.ply:3: has the element face before vertex; export it in the usual order");
  EXPECT_EQ(refusal(vertex + face, points + "3 0 1 3\n"),
            "part.ply: facet 0 names vertex 3 of 3; it is damaged, export it again");
  EXPECT_EQ(refusal(vertex + face, points + "3 0 1 -1\n"),
            "part.ply: facet 0 names vertex -1 of 3; it is damaged, export it again");
}

TEST(ModelFile, AnObjNamesOnlyWhatStandsAboveIt) {
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 -1\n";
  const auto refusal = [&](const std::string& lines) { return refusal_of(points + lines, "part.obj"); };
  EXPECT_EQ(refusal("f 1 2 4\n"),
            "part.obj:5: facet 0 names vertex 4 of the 3 above it; it is damaged, export it again");
  EXPECT_EQ(refusal("f 0 1 2\n"),
            "part.obj:5: facet 0 names vertex 0 of the 3 above it; it is damaged, export it again");
  EXPECT_EQ(refusal("f 1//2 2//1 3//1\n"),
            "part.obj:5: facet 0 names normal 2 of the 1 above it; it is damaged, export it again");
  EXPECT_EQ(
      refusal("f 1/1 2/1 3/1\n"),
      "part.obj:5: facet 0 names texture coordinate 1 of the 0 above it; it is damaged, export it again");
  EXPECT_THAT(refusal("f 1 2 99999999999999999999\n"),
              ::testing::HasSubstr("facet 0 has the corner '99999999999999999999'"));
  EXPECT_THAT(refusal("call other.obj\n"), ::testing::HasSubstr("part.obj:5: has the statement 'call'"));
  EXPECT_THAT(refusal("v 0 0 0 0.5\n"), ::testing::HasSubstr("part.obj:5: has a vertex of 4 numbers"));
  const ModelFile model = model_from_bytes(points + "f -3//-1 -2//-1 -1//-1\n", "part.obj", 1);
  EXPECT_EQ(model.facets, (std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}}));
  EXPECT_EQ(model.contradicted_normals, 1u);
}

TEST(ModelFile, BinaryPlyOfEitherByteOrderIsTheSame) {
  const std::string little = binary_ply(tetrahedron);
  std::string big = little.substr(0, little.find("end_header\n") + 11);
  big.replace(big.find("little"), 6, "big");
  const auto put = [&](const char* from) { big.append({from[3], from[2], from[1], from[0]}); };
  const char* body = little.data() + little.find("end_header\n") + 11;
  for (int i = 0; i < 36; ++i) put(body + 4 * i);
  for (int i = 0; i < 4; ++i) {
    big += '\3';
    for (int k = 0; k < 3; ++k) put(body + 144 + 13 * i + 1 + 4 * k);
  }
  const ModelFile a = model_from_bytes(little, "a.ply", 1), b = model_from_bytes(big, "b.ply", 1);
  EXPECT_EQ(a.vertices_mm, b.vertices_mm);
  EXPECT_EQ(a.facets, b.facets);
}

TEST(ModelFile, MoreThanAModelMayHaveIsRefusedBeforeItIsKept) {
  std::string bytes = binary_stl({});
  const auto count = static_cast<std::uint32_t>(max_model_facets + 1);
  std::memcpy(bytes.data() + 80, &count, 4);
  bytes.resize(84 + std::size_t{50} * count);
  EXPECT_THAT(refusal_of(bytes, "part.stl"), ::testing::HasSubstr("and 4194305 facets, a model may have"));
  EXPECT_THAT(refusal_of("v 0 0 " + std::string(5000, '0') + "\n", "part.obj"),
              ::testing::HasSubstr("has a line of 5006 bytes, it may have 4096"));
}

TEST(ModelFile, NothingOutsideItsFolderIsRead) {
  const datum::testing::FreshFolder folder;
  const std::string good = binary_stl(tetrahedron);
  const std::string sha =
      sha256_hex({ByteView(reinterpret_cast<const std::uint8_t*>(good.data()), good.size())});
  folder.write("in/part.stl", good);
  folder.write("in/parts/part.stl", good);
  const fs::path outside = folder.write("outside.stl", good);
  fs::create_symlink(outside, folder / "in/link.stl");
  fs::create_directory_symlink(folder.path(), folder / "in/up");
  fs::create_directory(folder / "in/folder.stl");
  ASSERT_EQ(::mkfifo((folder / "in/fifo.stl").c_str(), 0600), 0);
  const auto refusal = [&](const fs::path& file, const std::string& sha256) -> std::string {
    try {
      read_model(folder / "in", file, 1, sha256);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal("part.stl", sha), "accepted");
  EXPECT_EQ(refusal("parts/part.stl", sha), "accepted");
  const auto refused = [&](const fs::path& file, const char* why) {
    const std::string text = refusal(file, std::string(64, '0'));
    EXPECT_THAT(text, ::testing::HasSubstr(why)) << file;
    EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr(sha.substr(0, 8)))) << file << " is no oracle";
  };
  refused(outside, "is not below");
  refused("../outside.stl", "is not below");
  refused("", "is not a model");
  refused("link.stl", "is a link; bring the file itself");
  refused("up/outside.stl", "can't be opened: Not a directory");
  refused("fifo.stl", "is not a regular file");
  refused("folder.stl", "is not a regular file");
  refused("/etc/hostname", "is not a model that datumd reads");
}

TEST(ModelFile, ACoordinateThatIsNoNumberIsRefused) {
  std::string bytes = binary_stl(tetrahedron);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + 84 + 50 + 12, &nan, 4);
  EXPECT_THAT(refusal_of(bytes, "part.stl"), ::testing::HasSubstr("a coordinate that is not a number"));
  for (const char* number : {"nan", "inf", "-inf", "1e39", "1e999", "0x1", "1,5", ""})
    EXPECT_THAT(refusal_of(fmt::format("v 0 0 {}\n", number), "part.obj"),
                ::testing::StartsWith("part.obj:1: has a "))
        << number;
}
