// Models as CAD systems export them: three formats, one surface, and files that must be refused.
#include "drivers/model/model_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

using namespace datum;

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
  // 10 units of 1000 mm: half a unit in the last place of a 24-bit significand, as a bound relative to the number.
  EXPECT_DOUBLE_EQ(model_from_bytes(obj(tetrahedron), "part.obj", 1000).rounding_mm, 10000 * 0x1p-24);
}

TEST(ModelFile, TruncatedOrDamagedFilesAreRefusedByName) {
  const std::string whole = binary_stl(tetrahedron), text = ascii_stl(tetrahedron);
  EXPECT_THAT(refusal_of(whole.substr(0, whole.size() - 1), "part.stl"),
              testing::StartsWith("part.stl: is neither"));
  EXPECT_THAT(refusal_of(text.substr(0, text.size() / 2), "part.stl"), testing::HasSubstr("truncated"));
  EXPECT_THAT(refusal_of(ply(tetrahedron).substr(0, 37), "part.ply"), testing::HasSubstr("ends early"));
  std::string more = ply(tetrahedron);
  more.replace(more.find("face 4"), 6, "face 999999999");
  EXPECT_THAT(refusal_of(more, "part.ply"), testing::HasSubstr("announces '999999999'"));
  more.replace(more.find("face 999999999"), 14, "face 5");
  EXPECT_THAT(refusal_of(more, "part.ply"), testing::HasSubstr("ends early"));
  more.replace(more.find("face 5"), 6, "face 3");
  EXPECT_THAT(refusal_of(more, "part.ply"), testing::HasSubstr("goes on after all"));
  const std::string binary = binary_ply(tetrahedron);
  EXPECT_THAT(refusal_of(binary.substr(0, binary.size() - 1), "part.ply"), testing::HasSubstr("ends early"));
  EXPECT_THAT(refusal_of("", "part.obj"), testing::HasSubstr("part.obj: "));
  EXPECT_THAT(refusal_of("x", "part.step"), testing::HasSubstr("export it as .stl, .ply or .obj"));
}

TEST(ModelFile, WhatIsNoTriangleIsRefused) {
  EXPECT_THAT(refusal_of("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", "part.obj"),
              testing::HasSubstr("facet 0 has 4 corners; export it with triangles only"));
  EXPECT_THAT(refusal_of("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                         "property float z\nend_header\n0 0 0\n",
                         "part.ply"),
              testing::HasSubstr("has points but no facets"));
}

TEST(ModelFile, ACoordinateThatIsNoNumberIsRefused) {
  std::string bytes = binary_stl(tetrahedron);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + 84 + 50 + 12, &nan, 4);
  EXPECT_THAT(refusal_of(bytes, "part.stl"), testing::HasSubstr("a coordinate that is not a number"));
}
