// What the summary and the charts of stored values share.
#pragma once

#include "daemon/quality/spc/spc_report.h"

namespace datum::quality {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<double>& value);
std::string shown(const std::optional<double>& value, int digits = 3);
Json json_of(const ControlLimits& l);
Json json_of(const std::optional<Index>& index);
std::vector<std::size_t> shown_segments(const SeriesBook& book, const SeriesKey& key, bool all);
std::string segment_text(const Segment& s, std::size_t index);
Json segment_json(const Segment& s, std::size_t index);
/// What charts of a segment lack: single values of removed results. None: nothing.
std::optional<std::string> removed_note(const Segment& s);
/// Members of a series beside its capability: limits, least and largest value, counts by decision and reason.
Json sums_json(const SegmentSums& sums);
Specification specification_of(const SegmentSums& sums);
Distribution distribution_of(const SpcSettings& s, Characteristic c);
void refuse_for_invalid(Capability& c, const SegmentSums& sums, const SpcSettings& s);
Json capability_json(const Capability& c);
void begin_report(SpcReport& report, const SeriesBook& book);

}  // namespace datum::quality
