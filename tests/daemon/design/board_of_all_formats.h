// One board, written in each format by the conversion table of its own convention. What a reader makes of it must be this board.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "daemon/design/design.h"

namespace datum::testing {

struct TruePart {
  std::string reference;
  design::Side side;
  design::Point at;     // from the top, y up, in the file's coordinates
  double rotation_deg;  // as seen from its own side after a turn about the vertical
};

/// 60 x 40 mm, its lower left corner at (100, -90); one package with three pins, whose body's middle is not its origin.
struct TrueBoard {
  design::Point corner{100, -90}, size{60, 40};
  std::vector<design::Point> pins{{-1.2, 0.5}, {-1.2, -0.5}, {1.2, 0}};
  design::Box body{{0.15, 0.05}, {2.8, 1.4}, 0};
  double height_mm = 1.1;
  std::vector<TruePart> parts{
      {"U1", design::Side::top, {110, -60}, 0},         {"U2", design::Side::top, {120, -70}, 90},
      {"U3", design::Side::top, {130, -60.5}, 35.096},  {"U4", design::Side::top, {145, -80}, 270},
      {"U5", design::Side::bottom, {112, -80}, 0},      {"U6", design::Side::bottom, {124, -82}, 90},
      {"U7", design::Side::bottom, {136, -75}, 82.601}, {"U8", design::Side::bottom, {150, -62}, 180}};

  /// Place of a library point on the board, from the top.
  design::Point place(const TruePart& part, const design::Point& l) const {
    design::Point way = design::turned(l, part.rotation_deg);
    if (part.side == design::Side::bottom) way.x() = -way.x();
    return part.at + way;
  }
};

inline std::string to_kicad(const TrueBoard& b, int version = 20211014) {
  const bool old = version < 20201115, fields = version >= 20240108;
  std::string out = fmt::format(
      "(kicad_pcb (version {}) (generator test)\n (setup (pad_to_mask_clearance 0.05))\n", version);
  const design::Point low = b.corner, high = b.corner + b.size;
  const design::Point c[] = {low, {high.x(), low.y()}, high, {low.x(), high.y()}};
  for (int i = 0; i < 4; ++i)
    out += fmt::format(" (gr_line (start {} {}) (end {} {}) (layer \"Edge.Cuts\") (width 0.1))\n", c[i].x(),
                       -c[i].y(), c[(i + 1) % 4].x(), -c[(i + 1) % 4].y());
  for (const TruePart& p : b.parts) {
    const bool bottom = p.side == design::Side::bottom;
    const char* of = bottom ? "B" : "F";
    const double r = bottom ? 180 - p.rotation_deg : p.rotation_deg;
    const double sign = bottom ? 1 : -1;  // of the stored local y, which points down; the bottom's is negated
    out += fmt::format(" ({} \"lib:SOT-X\" (layer \"{}.Cu\") (at {} {} {})\n  (attr smd)\n",
                       old ? "module" : "footprint", of, p.at.x(), -p.at.y(), r);
    out += fields ? fmt::format("  (property \"Reference\" \"{}\" (at 0 0) (layer \"{}.Fab\"))\n",
                                p.reference, of)
                  : fmt::format("  (fp_text reference {} (at 0 0 {}) (layer {}.Fab))\n", p.reference, r, of);
    const design::Polygon body = design::corners_of(b.body);
    for (std::size_t i = 0; i < 4; ++i)
      out +=
          fmt::format("  (fp_line (start {} {}) (end {} {}) (layer \"{}.Fab\") (width 0.1))\n", body[i].x(),
                      sign * body[i].y(), body[(i + 1) % 4].x(), sign * body[(i + 1) % 4].y(), of);
    for (std::size_t i = 0; i < b.pins.size(); ++i)
      out += fmt::format(
          "  (pad \"{}\" smd rect (at {} {} {}) (size 0.6 0.4) (layers \"{}.Cu\" \"{}.Paste\" "
          "\"{}.Mask\"))\n",
          i + 1, b.pins[i].x(), sign * b.pins[i].y(), r, of, of, of);
    out += " )\n";
  }
  return out + ")\n";
}

/// `mirror_first`: as a writer would who mirrors before it turns.
inline std::string to_ipc2581(const TrueBoard& b, const std::string& units = "MILLIMETER",
                              bool mirror_first = false) {
  const double k = units == "INCH" ? 1 / 25.4 : units == "MICRON" ? 1000 : 1;
  const auto polygon = [&](const design::Polygon& points) {
    std::string out = "<Polygon>";
    for (std::size_t i = 0; i <= points.size(); ++i)
      out += fmt::format("<{} x=\"{:.9f}\" y=\"{:.9f}\"/>", i == 0 ? "PolyBegin" : "PolyStepSegment",
                         k * points[i % points.size()].x(), k * points[i % points.size()].y());
    return out + "</Polygon>";
  };
  std::string out =
      "<?xml version=\"1.0\"?>\n<IPC-2581 revision=\"C\" xmlns=\"http://webstds.ipc.org/2581\">\n";
  out += fmt::format(
      "<Content><DictionaryStandard units=\"{}\"><EntryStandard id=\"R\"><RectCenter width=\"{}\" "
      "height=\"{}\"/></EntryStandard></DictionaryStandard></Content>\n",
      units, 0.6 * k, 0.4 * k);
  out += "<Bom name=\"b\"><BomItem>";
  for (const TruePart& p : b.parts)
    out += fmt::format("<RefDes name=\"{}\" packageRef=\"SOT-X\" populate=\"true\"/>", p.reference);
  out += fmt::format(
      "</BomItem></Bom>\n<Ecad><CadHeader units=\"{}\"/><CadData><Layer name=\"TOP\" "
      "layerFunction=\"CONDUCTOR\" side=\"TOP\"/><Layer name=\"BOTTOM\" layerFunction=\"CONDUCTOR\" "
      "side=\"BOTTOM\"/><Layer name=\"SMT\" layerFunction=\"SOLDERMASK\" side=\"TOP\"/>",
      units);
  out += "<Step name=\"board\"><Profile>" + polygon(design::corners_of({b.corner + b.size / 2, b.size, 0})) +
         "</Profile>\n";
  out += "<Package name=\"SOT-X\"><Outline>" + polygon(design::corners_of(b.body, 0.3)) +
         "</Outline><AssemblyDrawing><Outline>" + polygon(design::corners_of(b.body)) +
         "</Outline></AssemblyDrawing>";
  for (std::size_t i = 0; i < b.pins.size(); ++i)
    out += fmt::format(
        "<Pin number=\"{}\"><Location x=\"{:.9f}\" y=\"{:.9f}\"/><StandardPrimitiveRef id=\"R\"/></Pin>",
        i + 1, k * b.pins[i].x(), k * b.pins[i].y());
  out += "</Package>\n";
  for (const TruePart& p : b.parts) {
    const bool bottom = p.side == design::Side::bottom;
    out += fmt::format(
        "<Component refDes=\"{}\" packageRef=\"SOT-X\" layerRef=\"{}\" mountType=\"SMT\" "
        "height=\"{:.9f}\"><Xform rotation=\"{:.4f}\"{}/><Location x=\"{:.9f}\" y=\"{:.9f}\"/></Component>\n",
        p.reference, bottom ? "BOTTOM" : "TOP", k * b.height_mm,
        design::normal_angle(bottom && mirror_first ? -p.rotation_deg : p.rotation_deg),
        bottom ? " mirror=\"true\"" : "", k * p.at.x(), k * p.at.y());
  }
  for (const design::Side side : {design::Side::top, design::Side::bottom}) {
    out += fmt::format("<LayerFeature layerRef=\"{}\">", side == design::Side::top ? "TOP" : "BOTTOM");
    for (const TruePart& p : b.parts)
      for (std::size_t i = 0; i < b.pins.size() && p.side == side; ++i) {
        const design::Point at = b.place(p, b.pins[i]);
        out += fmt::format(
            "<Set><Pad><Location x=\"{:.9f}\" y=\"{:.9f}\"/><StandardPrimitiveRef id=\"R\"/><PinRef "
            "componentRef=\"{}\" pin=\"{}\"/></Pad></Set>",
            k * at.x(), k * at.y(), p.reference, i + 1);
      }
    out += "</LayerFeature>\n";
  }
  return out + "</Step></CadData></Ecad></IPC-2581>\n";
}

enum class OdbWriter { valor, kicad };

inline std::map<std::string, std::string> to_odb(const TrueBoard& b, OdbWriter writer, bool inch = false) {
  const double k = inch ? 1 / 25.4 : 1;
  std::map<std::string, std::string> files;
  files["matrix/matrix"] =
      "STEP {\n  COL=1\n  NAME=PCB\n}\nLAYER {\n  ROW=1\n  CONTEXT=BOARD\n  TYPE=COMPONENT\n  "
      "NAME=COMP_+_TOP\n}\nLAYER {\n  ROW=2\n  CONTEXT=BOARD\n  TYPE=SIGNAL\n  NAME=TOP\n}\n";
  const std::string units = inch ? "" : "UNITS=MM\n";  // without a line of units it is inches
  const auto contour = [&](const design::Polygon& points) {
    std::string out = fmt::format("OB {:.9f} {:.9f} I\n", k * points[0].x(), k * points[0].y());
    for (std::size_t i = 1; i <= points.size(); ++i)
      out += fmt::format("OS {:.9f} {:.9f}\n", k * points[i % points.size()].x(),
                         k * points[i % points.size()].y());
    return out + "OE\n";
  };
  files["steps/pcb/profile"] =
      units + "#\nS P 0\n" + contour(design::corners_of({b.corner + b.size / 2, b.size, 0})) + "SE\n";
  std::string eda = units + "HDR test\n";
  for (const bool mirrored : {false, true}) {  // KiCad stores a package for each side
    if (mirrored && writer == OdbWriter::valor) break;
    const double s = mirrored ? -1 : 1;
    design::Polygon body = design::corners_of(b.body);
    for (design::Point& p : body) p.y() *= s;
    eda += "PKG SOT-X 0.5 -1 -1 1 1;;ID=1\nCT\n" + contour(body) + "CE\n";
    for (std::size_t i = 0; i < b.pins.size(); ++i)
      eda += fmt::format("PIN {} S {:.9f} {:.9f} 0 E S ID=2\nRC {:.6f} {:.6f} {:.6f} {:.6f}\n", i + 1,
                         k * b.pins[i].x(), k * s * b.pins[i].y(), -0.3 * k, -0.2 * k, 0.6 * k, 0.4 * k);
  }
  files["steps/pcb/eda/data"] = eda;
  for (const design::Side side : {design::Side::top, design::Side::bottom}) {
    const bool bottom = side == design::Side::bottom;
    std::string out = units + "@0 .comp_mount_type\n@1 .comp_height\n";
    int n = 0;
    for (const TruePart& p : b.parts) {
      if (p.side != side) continue;
      const bool own = writer == OdbWriter::kicad && bottom;
      const double rot = own ? p.rotation_deg - 180 : -p.rotation_deg;
      out += fmt::format("# CMP {}\nCMP {} {:.9f} {:.9f} {:.4f} {} {} SOT-X ;0=1,1={:.6f};ID=7\n", n++,
                         own ? 1 : 0, k * p.at.x(), k * p.at.y(), design::normal_angle(rot), own ? "M" : "N",
                         p.reference, k * b.height_mm);
      for (std::size_t i = 0; i < b.pins.size(); ++i) {
        const design::Point at = b.place(p, b.pins[i]);
        out += fmt::format("TOP {} {:.9f} {:.9f} 0 N 0 0 {}\n", i, k * at.x(), k * at.y(), i + 1);
      }
    }
    files[std::string("steps/pcb/layers/comp_+_") + (bottom ? "bot" : "top") + "/components"] = out;
  }
  return files;
}

inline std::string to_pos(const TrueBoard& b) {
  std::string out =
      "### Footprint positions - created on today ###\n## Unit = mm, Angle = deg.\n## Side : All\n# Ref Val "
      "Package PosX PosY Rot Side\n";
  for (const TruePart& p : b.parts) {
    const bool bottom = p.side == design::Side::bottom;
    out += fmt::format("{} x SOT-X {:.6f} {:.6f} {:.6f} {}\n", p.reference, bottom ? -p.at.x() : p.at.x(),
                       p.at.y(), bottom ? 180 - p.rotation_deg : p.rotation_deg, bottom ? "bottom" : "top");
  }
  return out + "## End\n";
}

}  // namespace datum::testing
