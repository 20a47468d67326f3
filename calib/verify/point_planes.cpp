#include "calib/verify/point_planes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace datum {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(" \t\r"), to = text.find_last_not_of(" \t\r");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line + ",");
  for (std::string field; std::getline(in, field, ',');) fields.push_back(trimmed(field));
  return fields;
}

/// Columns of the head line.
struct Columns {
  std::size_t count = 0;
  std::map<std::string, std::size_t> at;
};

class Reader {
 public:
  Reader(const std::string& name, PointColumns columns) : name_(name) {
    if (columns == PointColumns::weight)
      more_ = {"weight", "plane"};
    else
      more_ = {"set", "plane", "area_mm2", "u_um"};
  }

  Columns head(const std::string& line, std::size_t number) {
    Columns columns;
    for (const std::string& field : fields_of(line)) {
      const bool known = field == "x_mm" || field == "y_mm" || field == "z_mm" ||
                         std::find(more_.begin(), more_.end(), field) != more_.end();
      if (!known || !columns.at.emplace(field, columns.count).second)
        refuse(number, "head '" + field + (known ? "' twice" : "'"),
               "x_mm,y_mm,z_mm and, where wanted, " + all_more());
      ++columns.count;
    }
    for (const char* needed : {"x_mm", "y_mm", "z_mm"})
      if (columns.at.count(needed) == 0)
        refuse(number, "no column " + std::string(needed), "a head line x_mm,y_mm,z_mm");
    return columns;
  }
  ListedPoint point(const Columns& columns, const std::string& line, std::size_t number) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != columns.count)
      refuse(number, std::to_string(fields.size()) + " fields",
             std::to_string(columns.count) + ", as the head line has");
    const auto value = [&](const char* column) {
      return number_of(fields[columns.at.at(column)], column, number);
    };
    ListedPoint p;
    p.mm = Vector3d(value("x_mm"), value("y_mm"), value("z_mm"));
    if (p.mm.cwiseAbs().maxCoeff() > 1e5) refuse(number, "a coordinate beyond 100 m", "mm");
    const auto positive = [&](const char* column, double& to) {
      if (columns.at.count(column) == 0) return;
      to = value(column);
      if (!(to > 0))
        refuse(number, std::string(column) + " " + fields[columns.at.at(column)], "a number above 0");
    };
    const auto natural = [&](const char* column, int& to) {
      if (columns.at.count(column) == 0) return;
      const double n = value(column);
      if (!(n >= 1 && n <= 1000 && n == std::floor(n)))
        refuse(number, std::string(column) + " " + fields[columns.at.at(column)],
               "a whole number from 1 to 1000");
      to = static_cast<int>(n);
    };
    positive("weight", p.weight);
    positive("area_mm2", p.area_mm2);
    positive("u_um", p.u_um);
    natural("plane", p.plane);
    natural("set", p.set);
    return p;
  }

 private:
  [[noreturn]] void refuse(std::size_t number, const std::string& what, const std::string& wanted) const {
    throw std::invalid_argument(name_ + ":" + std::to_string(number) + ": " + what + "; wanted: " + wanted);
  }
  double number_of(const std::string& field, const char* column, std::size_t number) const {
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
      refuse(number, std::string(column) + " '" + field + "'", "a number with '.' as its decimal point");
    return value;
  }

  std::string all_more() const {
    std::string all;
    for (const std::string_view name : more_)
      all += (all.empty() ? "" : name == more_.back() ? " and " : ", ") + std::string(name);
    return all;
  }

  std::string name_;
  std::vector<std::string_view> more_;
};

struct Group {
  std::vector<const ListedPoint*> points;
  double weight = 0;
  Vector3d centroid = Vector3d::Zero();
};

std::map<int, Group> groups_of(const std::vector<ListedPoint>& points) {
  std::map<int, Group> groups;
  for (const ListedPoint& p : points) groups[p.plane].points.push_back(&p);
  if (groups.empty()) throw FitRefused("no points");
  for (auto& [number, g] : groups) {
    if (g.points.size() < 4)
      throw FitRefused("plane " + std::to_string(number) + ": " + std::to_string(g.points.size()) +
                       " points; at least 4 are needed, spread over the face");
    for (const ListedPoint* p : g.points) {
      g.weight += p->weight;
      g.centroid += p->weight * p->mm;
    }
    g.centroid /= g.weight;
  }
  return groups;
}

Matrix3d scatter_of(const Group& g) {
  Matrix3d scatter = Matrix3d::Zero();
  for (const ListedPoint* p : g.points)
    scatter += p->weight * (p->mm - g.centroid) * (p->mm - g.centroid).transpose();
  return scatter;
}

Eigen::SelfAdjointEigenSolver<Matrix3d> axes_of(const Matrix3d& scatter, const std::string& what) {
  Eigen::SelfAdjointEigenSolver<Matrix3d> axes(scatter);
  const Vector3d width = axes.eigenvalues().cwiseMax(0).cwiseSqrt();
  if (!(width[1] > 0.01 * width[2]))
    throw FitRefused(what + ": points on a line or a strip thinner than 1:100");
  if (width[0] > 0.05 * width[1]) throw FitRefused(what + ": points are scattered, they are no plane");
  return axes;
}

double range_along(const Group& g, const Vector3d& normal) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const ListedPoint* p : g.points) {
    const double d = normal.dot(p->mm - g.centroid);
    low = std::min(low, d);
    high = std::max(high, d);
  }
  return high - low;
}

double profile_of(const Group& g, const NominalPlane& nominal) {
  const double length = nominal.normal.norm();
  double most = 0;
  for (const ListedPoint* p : g.points)
    most = std::max(most, std::abs((nominal.normal.dot(p->mm) - nominal.offset_mm) / length));
  return 2 * most;
}

}  // namespace

std::vector<ListedPoint> read_points(const std::string& text, const std::string& name, PointColumns columns) {
  std::istringstream in(text);
  Reader reader(name, columns);
  std::optional<Columns> head;
  std::vector<ListedPoint> points;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line[0] == '#') continue;
    if (head)
      points.push_back(reader.point(*head, line, number));
    else
      head = reader.head(line, number);
  }
  if (points.empty())
    throw std::invalid_argument(name +
                                ": no points; wanted: a head line x_mm,y_mm,z_mm, then one point a line");
  return points;
}

ParallelPoints fit_listed(const std::vector<ListedPoint>& points,
                          const std::optional<NominalPlane>& nominal) {
  const std::map<int, Group> groups = groups_of(points);
  Matrix3d scatter = Matrix3d::Zero();
  for (const auto& [number, g] : groups) scatter += scatter_of(g);
  const auto axes = axes_of(scatter, groups.size() > 1 ? "all planes together" : "the points");
  ParallelPoints out;
  out.normal = axes.eigenvectors().col(0);
  const Eigen::Index largest = [&] {
    Eigen::Index i = 0;
    out.normal.cwiseAbs().maxCoeff(&i);
    return i;
  }();
  const bool turned = nominal ? out.normal.dot(nominal->normal) < 0 : out.normal[largest] < 0;
  if (turned) out.normal = -out.normal;
  double weight = 0, n = 0;
  for (const auto& [number, g] : groups) {
    weight += g.weight;
    n += static_cast<double>(g.points.size());
  }
  const double freedom = n - static_cast<double>(groups.size()) - 2, mean_weight = weight / n;
  out.sigma_mm = std::sqrt(std::max(0.0, axes.eigenvalues()[0]) / mean_weight / std::max(1.0, freedom));
  for (int k = 0; k < 2; ++k)
    out.u_tilt_rad[k] = out.sigma_mm / std::sqrt(axes.eigenvalues()[2 - k] / mean_weight);
  for (const auto& [number, g] : groups) {
    ListedPlane& plane = out.planes[number];
    plane.points = g.points.size();
    const auto own = axes_of(scatter_of(g), "plane " + std::to_string(number));
    plane.flatness_mm = range_along(g, own.eigenvectors().col(0));
    plane.rms_mm = std::sqrt(std::max(0.0, out.normal.dot(scatter_of(g) * out.normal)) / g.weight);
    plane.offset_mm = out.normal.dot(g.centroid);
    double squares = 0;
    for (const ListedPoint* p : g.points) squares += p->weight * p->weight;
    plane.u_offset_mm = out.sigma_mm * std::sqrt(squares) / g.weight;
    if (nominal) plane.profile_mm = profile_of(g, *nominal);
  }
  return out;
}

}  // namespace datum
