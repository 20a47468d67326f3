#include "daemon/cell/board_serial.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/inspection/board/code_image.h"
#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "drivers/frame/bounded_text.h"

namespace datum {
namespace {

void refuse(BoardOrder& order, std::string why) {
  if (order.reason != Reason::none) return;
  order.reason = Reason::serial;
  order.detail = std::move(why);
}

const DroppedFrame* frame_of(const BoardOrder& order) {
  return order.frame ? &*order.frame : order.taken.empty() ? nullptr : &order.taken.back().frame;
}

/// The number of all codes of one region.
CodeFinding number_of(const std::vector<ReadCode>& codes, const ScanPayload& payload) {
  CodeFinding found;
  std::string other;  // why a code is no number
  for (const ReadCode& code : codes) {
    const ScannedSerial serial = serial_of(code.bytes, payload);
    if (code.mirrored) {
      found.fault = fmt::format(
          "the code{} is mirrored: the frame's handedness is stated wrongly, or the print shows through",
          serial.fault.empty() ? " " + serial.text : "");
      return found;
    }
    if (!serial.fault.empty()) {
      other = serial.fault;
    } else if (found.text.empty() || found.text == serial.text) {
      found.text = serial.text;
      found.read_hex = hex_of(code.bytes);
    } else {
      found.fault = fmt::format("two codes with different numbers lie in the region: {} and {}", found.text,
                                serial.text);
      return found;
    }
  }
  if (found.text.empty() && !other.empty()) found.fault = "the code is no serial number: " + other;
  return found;
}

std::future<CodeFinding> known(CodeFinding found) {
  std::promise<CodeFinding> promise;
  promise.set_value(std::move(found));
  return promise.get_future();
}

}  // namespace

CodeFinding read_code(const CodeReader& reader, const GreyImage& image, const ScanPayload& payload) {
  try {
    return number_of(reader.read(image), payload);
  } catch (const CodeError& error) {
    return {"", "", bounded_text(std::string("the code can't be read: ") + error.what())};
  } catch (const std::exception& error) {
    return {"", "", bounded_text(std::string("the code can't be looked for: ") + error.what())};
  }
}

void settle_stated_serial(BoardOrder& order) {
  if (!order.unit_doubt.empty()) refuse(order, order.unit_doubt);
  if (!order.recipe->without_serial) return;
  const DroppedFrame* frame = frame_of(order);
  if (order.unit.empty() && order.unit_doubt.empty() && frame && !frame->frame.unit_id.empty()) {
    order.unit = frame->frame.unit_id;
    order.unit_by = "sidecar";
  }
  if (order.unit.starts_with(unknown_serial))
    refuse(order, fmt::format("serial number {} is one that datumd gives boards without one",
                              std::exchange(order.unit, "")));
}

void settle_missing_serial(BoardOrder& order) {
  if (!order.recipe->without_serial || !order.unit.empty()) return;
  order.unit_by = "none";
  order.unit_read_hex.clear();
  if (*order.recipe->without_serial == WithoutSerial::invalid)
    refuse(order, order.recipe->code
                      ? "no serial number was stated before the trigger, and no code is read in serial.code"
                      : "no serial number was stated before the trigger");
  else if (order.reason != Reason::serial)
    order.unit = unknown_serial;
}

SerialEvidence serial_evidence(const BoardOrder& order) {
  SerialEvidence e{order.unit_by, order.unit_read_hex};
  if (!order.unit_repair.empty()) e.repair = order.unit_repair;
  if (order.recipe->max_retests) e.max_retests = static_cast<std::uint64_t>(*order.recipe->max_retests);
  return e;
}

namespace {

/// The host's numbers of a panel's boards, which a delivery that states some must have too.
void settle_with(std::optional<PanelStatement>& stated, BoardOrder& order) {
  const std::vector<std::string>& serials = order.panel_serials.serials;
  if (serials.empty() || order.reason != Reason::none) return;
  if (!stated) stated.emplace();
  if (stated->serials.empty()) stated->serials = serials;
  if (stated->serials == serials) return;
  const auto [told, delivered] =
      std::mismatch(serials.begin(), serials.end(), stated->serials.begin(), stated->serials.end());
  order.reason = Reason::serial;
  order.detail = told == serials.end() || delivered == stated->serials.end()
                     ? fmt::format("the host states {} serial numbers of the panel's boards, the delivery {}",
                                   serials.size(), stated->serials.size())
                     : fmt::format("board {} of the panel is '{}' by the host and '{}' by the delivery",
                                   told - serials.begin() + 1, *told, *delivered);
}

}  // namespace

void settle_panel_serials(BoardOrder& order) {
  if (order.frame) settle_with(order.frame->frame.panel, order);
  for (TakenSnapshot& s : order.taken) settle_with(s.frame.frame.panel, order);
}

std::future<CodeFinding> look_at_code(const BoardOrder& order, const InspectionInputs& in,
                                      const std::vector<StepRecord>& stages) {
  const CodeRegion* region = order.recipe->code.get();
  if (!region || !order.frame || order.reason != Reason::none) return {};
  if (!order.codes) return known({"", "", "nobody reads codes here"});
  try {
    const HeightFrame& frame = order.frame->frame;
    const CodePicture picture =
        code_picture(frame, BoardView(frame, moved(board_from_sensor(in), stages)), *region);
    if (!picture.image) return known({"", "", picture.why});
    return std::async(std::launch::async, [reader = order.codes, image = std::move(*picture.image), region] {
      return read_code(*reader, image, region->payload);
    });
  } catch (const std::exception&) {  // no calibration, a board on edge: the measurement says so
    return {};
  }
}

void settle_code(BoardOrder& order, const CodeFinding& found) {
  if (!found.fault.empty()) {
    refuse(order, found.fault);
  } else if (found.text.empty()) {
    if (!order.unit.empty())
      refuse(order, fmt::format("no code is read in serial.code, which must confirm the number {} ({})",
                                order.unit, order.unit_by.empty() ? "stated" : order.unit_by));
  } else if (order.unit.empty()) {
    order.unit = found.text;
    order.unit_by = "code";
    order.unit_read_hex = found.read_hex;
  } else if (order.unit != found.text) {
    refuse(order, fmt::format("the code on the board says {}, the {} names {}", found.text,
                              order.unit_by.empty() ? "host" : order.unit_by, order.unit));
    order.unit.clear();
  }
}

}  // namespace datum
