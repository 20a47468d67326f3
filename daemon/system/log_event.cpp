#include "daemon/system/log_event.h"

#include <array>

namespace datum {
namespace {

constexpr std::array<EventKind, events - 1> kinds{{
    {Event::ready, "ready", "7cae13d7f1754a548bf4cc9c7bef8200", "", "datumd takes boards and hosts"},
    {Event::stopping, "stopping", "eb1ebce1ac054373a9c1df7ce15e3677", "", "datumd ends as it was asked to"},
    {Event::verdict, "verdict", "e28872175f914af4979f56f6ef32c088",
     "DATUM_SEQUENCE DATUM_DECISION DATUM_REASON DATUM_RECIPE DATUM_UNIT DATUM_FRAME DATUM_CALIBRATION "
     "DATUM_BACKEND DATUM_COMPONENT",
     "a board's result is stored"},
    {Event::board_abandoned, "board_abandoned", "112216972d95416b966b13281b7fded9",
     "DATUM_RECIPE DATUM_REASON", "a board that was triggered has no result"},
    {Event::armed, "armed", "81d85ed7eb1b498ca1eafbdef6734fc9", "DATUM_RECIPE",
     "the next trigger, or frame, is measured"},
    {Event::disarmed, "disarmed", "444ec85c52a748058532d7f68f618962", "DATUM_RECIPE DATUM_REASON",
     "no board is measured until a host arms"},
    {Event::recipe_chosen, "recipe_chosen", "1e178431ce114714ab3736e9d5fba47b", "DATUM_RECIPE",
     "another recipe, or another file of it, holds from now on"},
    {Event::recipe_refused, "recipe_refused", "1aa9126b83794788ba3e45b5b3695956", "DATUM_REASON",
     "a recipe's file can't be used"},
    {Event::link_lost, "link_lost", "f03d1ebb0cbc4e70a0c2024668eead45", "DATUM_LINK DATUM_HOST DATUM_REASON",
     "sensor, CMM or host is out of reach"},
    {Event::link_back, "link_back", "dea95aa21d9a42389dba8ddb9e232ca4", "DATUM_LINK DATUM_HOST",
     "it is there again"},
    {Event::backend_fault, "backend_fault", "02e763c25e404939a07418fcbabacdc0", "DATUM_REASON",
     "the GPU failed; the CPU goes on with the same bytes"},
    {Event::backend_back, "backend_back", "a919f20097f24767a74477e518e42c51", "DATUM_REASON",
     "the GPU measures again"},
    {Event::calibration_refused, "calibration_refused", "b7df7dbfbea942aa8032393a234c6892",
     "DATUM_CALIBRATION DATUM_REASON", "the sensor's calibration must not be used"},
    {Event::calibration_accepted, "calibration_accepted", "98284e1fab2f4057a2605fc6254fd7af",
     "DATUM_CALIBRATION", "a new calibration is the current one"},
    {Event::calibration_drifted, "calibration_drifted", "104ef99e7e3944f3b147ce5aa3329c9b",
     "DATUM_CALIBRATION DATUM_REASON", "a verification found the current calibration drifted"},
    {Event::store_trouble, "store_trouble", "73542c1608a34f9092b0497f0ae5ed60", "DATUM_REASON DATUM_RECIPE",
     "a result could not be stored; disarmed, the board is kept"},
    {Event::frame_refused, "frame_refused", "125df2202a7543b783f80f0fb1b0959e", "DATUM_FRAME DATUM_REASON",
     "a frame was not measured"},
    {Event::results_left_out, "results_left_out", "5e41dd79b6a04ae0af4602d2a72887eb",
     "DATUM_LINK DATUM_HOST DATUM_SEQUENCE", "a host does not take its results; the store has them"},
    {Event::host_refused, "host_refused", "6e0c7995a0a14cbb917a02c5866b84bc",
     "DATUM_LINK DATUM_HOST DATUM_REASON", "a host may not connect, or there are too many"},
    {Event::control_taken, "control_taken", "8dd904eb22384a129347487ae89cbcb9", "DATUM_LINK DATUM_HOST",
     "a host took control by force"},
    {Event::clock_set, "clock_set", "f7645808290c409fbb23efcea67d6fe8", "DATUM_REASON",
     "this computer's clock was set while datumd ran"},
    {Event::configuration_refused, "configuration_refused", "4a570654ea2c4265aa5218cf920ff01d",
     "DATUM_REASON", "datumd did not start: its configuration, or what it names, is refused"},
    {Event::metrics_trouble, "metrics_trouble", "eb72ff1b5fd14d2e9dc4085fcc10bb7c", "DATUM_REASON",
     "no program can read the metrics; boards are measured all the same"},
    {Event::store_set_back, "store_set_back", "142ebb57ba1240658cfa855d7da51565",
     "DATUM_STORE DATUM_FORMER_STORE DATUM_SEQUENCE DATUM_REASON",
     "the result store was put back from a copy, or is one; it goes on under another id"},
    {Event::parser_ended, "parser_ended", "8a8f1c0a5f4e4c6db0f2c1d09e7b3a64", "DATUM_FRAME DATUM_REASON",
     "a file ended the process that parses it; it is refused and kept"},
    {Event::signing_trouble, "signing_trouble", "5f0c3b6fd2a94cbd8b1f4e0a9d7762ce", "DATUM_REASON",
     "the chain of results is not signed; it may have been changed"},
    {Event::reference_check, "reference_check", "c2a5f8f0b7d14b1e9a3f6d1c84e7a952",
     "DATUM_CHECK DATUM_STATE DATUM_REASON", "a reference check is due, begun, good, failed or overridden"},
    {Event::control_chart, "control_chart", "7d1e0c6ab95f4e0f8c2b3a7f5e9d4416",
     "DATUM_RECIPE DATUM_STATE DATUM_SEQUENCE DATUM_REASON",
     "a control chart's rule is hit, its limits are taken up or hold no more, or a person acknowledged it"},
}};

}  // namespace

LogFields of_host(const std::string& host) {
  return {{"DATUM_LINK", "host." + host.substr(0, host.find(' '))}, {"DATUM_HOST", host}};
}

std::span<const EventKind> event_kinds() { return kinds; }

const EventKind* kind_of(Event event) {
  return event == Event::none ? nullptr : &kinds[static_cast<std::size_t>(event) - 1];
}

}  // namespace datum
