#include "daemon/inspection/verdict/panel_refusal.h"

namespace datum {
namespace {

ComponentVerdict refused_row(const ComponentVerdict& measured, Reason reason, const std::string& detail) {
  ComponentVerdict row;
  row.reference = measured.reference;
  row.package = measured.package;
  if (measured.warp) row.warp.emplace();
  for (const CheckVerdict& check : measured.checks) {
    CheckVerdict& refused = row.checks.emplace_back();
    refused.check = check.check;
    refused.reason = reason;
    refused.detail = detail;
  }
  return row;
}

}  // namespace

void refuse_board(BoardVerdict& v, std::size_t i, Reason reason, const std::string& detail) {
  PanelBoard& board = v.boards.at(i);
  if (!board.decision || board.reason != Reason::none) return;
  const std::string of_board = "@" + board.name;
  for (ComponentVerdict& c : v.components)
    if (c.reference.ends_with(of_board)) c = refused_row(c, reason, detail);
  board.decision = Decision::invalid;
  board.reason = reason;
  board.detail = detail;
  if (v.reason == Reason::none) v.decision = Decision::invalid;  // the worst of its boards
}

}  // namespace datum
