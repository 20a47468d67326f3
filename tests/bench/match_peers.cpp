// Distances of points from a mesh by datumd and by CGAL's AABB tree in double, for match_peers.py: raw arrays in, raw arrays out.
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Simple_cartesian.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include "gpu/model_distance/model_distance.h"

namespace {

using Kernel = CGAL::Simple_cartesian<double>;
using Triangles = std::vector<Kernel::Triangle_3>;
using Primitive = CGAL::AABB_triangle_primitive<Kernel, Triangles::iterator>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;
using Clock = std::chrono::steady_clock;

template <class T>
std::vector<T> read(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw std::runtime_error("can't read " + path);
  std::vector<T> values(static_cast<std::size_t>(in.tellg()) / sizeof(T));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

template <class T>
void write(const std::string& path, const std::vector<T>& values) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!out) throw std::runtime_error("can't write " + path);
}

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void run(const std::string& folder) {
  const auto vertices = read<float>(folder + "/vertices.f32"), points = read<float>(folder + "/points.f32");
  const auto facets = read<std::uint32_t>(folder + "/facets.u32");
  datum::RawModel raw;
  for (std::size_t i = 0; i + 2 < vertices.size(); i += 3)
    raw.vertices.push_back({vertices[i], vertices[i + 1], vertices[i + 2]});
  for (std::size_t i = 0; i + 2 < facets.size(); i += 3)
    raw.facets.push_back({facets[i], facets[i + 1], facets[i + 2]});

  auto begin = Clock::now();
  const auto model = std::make_shared<datum::TriangleModel>(datum::triangle_model(raw));
  std::vector<datum::ModelPoint> about;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    const auto at = [&](std::size_t k) { return static_cast<float>(points[i + k] - model->origin[k]); };
    about.push_back({at(0), at(1), at(2)});
  }
  std::vector<datum::ModelDistance> found(about.size());
  datum::DistanceSettings settings;
  settings.search = 1e6f;
  datum::ModelSearch(model, 1).find(about.data(), about.size(), settings, datum::cpu_backend(1),
                                    found.data());
  const double own_s = since(begin);
  std::vector<float> own;
  std::vector<std::uint8_t> place;
  for (const auto& d : found) {
    own.push_back(d.distance);
    place.push_back(static_cast<std::uint8_t>(d.place));
  }

  begin = Clock::now();
  Triangles triangles;
  const auto corner = [&](std::uint32_t i) {
    return Kernel::Point_3(raw.vertices[i][0], raw.vertices[i][1], raw.vertices[i][2]);
  };
  for (const auto& f : raw.facets) {
    const Kernel::Triangle_3 t(corner(f[0]), corner(f[1]), corner(f[2]));
    if (!t.is_degenerate()) triangles.push_back(t);
  }
  Tree tree(triangles.begin(), triangles.end());
  tree.accelerate_distance_queries();
  std::vector<double> cgal;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3)
    cgal.push_back(
        std::sqrt(tree.squared_distance(Kernel::Point_3(points[i], points[i + 1], points[i + 2]))));
  const double cgal_s = since(begin);

  write(folder + "/datumd.f32", own);
  write(folder + "/place.u8", place);
  write(folder + "/cgal.f64", cgal);
  std::printf("%g %g %zu %zu %zu\n", own_s, cgal_s, model->faults.degenerate, model->faults.open_edges,
              model->faults.turned_edges + model->faults.branched_edges);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: match_peers FOLDER");
    run(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "match_peers: %s\n", e.what());
    return 1;
  }
}
