#include "daemon/calibration/calibration_page.h"

#include <fmt/format.h>

namespace datum {

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string row(const std::string& name, const std::string& value) {
  return "<tr><th>" + escaped(name) + "</th><td>" + escaped(value) + "</td></tr>\n";
}

constexpr const char* style =
    "body{font:11pt sans-serif;max-width:190mm;margin:8mm auto;color:#111}h1{font-size:15pt;margin:0 0 2mm}"
    ".outcome{font-size:12pt;font-weight:bold;border:1px solid #111;padding:2mm;margin:2mm 0}"
    "th{text-align:left;padding-right:5mm;font-weight:normal;color:#555;vertical-align:top}"
    "img{width:94mm;margin-right:1mm;vertical-align:top}p{margin:1mm 0;font-size:9pt}"
    "@page{size:A4;margin:10mm}";

}  // namespace

std::string page_of(const CalibrationSession& session, const PageContents& facts) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Calibration of sensor " +
      escaped(facts.sensor_serial) + "</title><style>" + style + "</style></head><body>\n";
  out += "<h1>Calibration of sensor " + escaped(facts.sensor_serial) + "</h1>\n";
  out += "<div class=\"outcome\">" + escaped(facts.outcome) + "</div>\n<table>\n";
  out += row("written", facts.written) + row("operator", session.operator_name());
  out += row("temperature", fmt::format("{} degC", session.degc()));
  out += row("artefact", session.drawing().serial + ", " + session.drawing().title);
  out += row("drawing sha256", session.drawing().sha256);
  if (session.scan()) {
    const Eigen::Vector3d& q = session.scan()->faces.q_mm;
    out += row("frame", session.scan()->frame_id + ", sha256 " + session.scan()->frame_sha256);
    out += row("stage", fmt::format("{:.4f} {:.4f} {:.4f} mm", q[0], q[1], q[2]));
  }
  out += row("software", facts.software) + row("log", facts.log) + "</table>\n";
  out += "<img src=\"" + escaped(facts.scan_png) + "\" alt=\"the artefact as it was seen, faces coloured\">";
  out += "<img src=\"" + escaped(facts.residual_png) + "\" alt=\"residuals\">\n";
  for (const std::string& line : session.report()) out += "<p>" + escaped(line) + "</p>\n";
  return out + "</body></html>\n";
}

}  // namespace datum
