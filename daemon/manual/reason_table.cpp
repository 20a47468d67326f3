#include "daemon/manual/reason_table.h"

#include <array>

namespace datum {
namespace {

constexpr std::array rows{
    ReasonRow{
        Reason::floor_too_few, "Too few pixels of the ring around the component have a height.",
        "recipe: floor.min_sides, floor.min_side_pixels, floor.inner_margin_mm, floor.outer_margin_mm",
        "The ring is covered by neighbours, saturated or in shadow, or it is too narrow.",
        "Look at the picture; widen the ring, or correct exposure. Lower the demand only where the floor is "
        "known to be one level."},
    ReasonRow{Reason::floor_no_consensus, "No plane goes through the ring's pixels.",
              "recipe: floor.threshold_sigmas, floor.confidence; sensor profile: noise",
              "Parts, solder or edges fill the ring, or the noise profile is far too small.",
              "Add exclusions for what is no board; measure the noise of the sensor again."},
    ReasonRow{
        Reason::floor_not_fixed, "The pixels that belong to the floor still changed when the fit ended.",
        "recipe: floor.refit_threshold_sigmas",
        "The ring is a ramp or has two levels near to each other, so that each plane takes other pixels.",
        "Exclude pads, traces and solder mask edges from the ring."},
    ReasonRow{
        Reason::floor_inlier_ratio, "Too small a share of the ring's pixels lies on the floor.",
        "recipe: floor.min_inlier_ratio",
        "Something that is no floor fills the ring, or the noise profile is too small.",
        "Look at the picture; add exclusions, or name neighbours as components so that they are cut out."},
    ReasonRow{Reason::floor_sides, "Floor is seen on too few sides of the component.",
              "recipe: floor.min_sides, floor.min_side_pixels",
              "Neighbours, shadow or the edge of the frame on that side: the plane would be extrapolated.",
              "Widen floor.outer_margin_mm, or move the sensor so that the side is seen."},
    ReasonRow{
        Reason::floor_rms,
        "The floor's pixels scatter more about the level of their neighbourhood than the sensor's noise.",
        "recipe: floor.max_rms_sigmas; sensor profile: noise",
        "Texture, stripes narrower than a tile of the ring, steps of two to four standard deviations there, "
        "or a noise "
        "profile that is too small.",
        "Exclude the stripes; compare noise_um of good floors with the profile and measure it again. Do not "
        "raise "
        "the limit to let a floor pass."},
    ReasonRow{Reason::floor_second_level, "The ring lies on two levels, and either could be the floor.",
              "recipe: floor.max_second_floor", "Pads, traces, solder mask openings or labels in the ring.",
              "Exclude one of the levels in the recipe."},
    ReasonRow{
        Reason::floor_tilt, "The floor, or the board, leans too far to the sensor's z.",
        "recipe: floor.max_tilt_deg",
        "The board does not lie in its fixture, the calibration is of another placement, or the fit took a "
        "component for the floor.",
        "Look at the fixture and at the picture; verify the calibration."},
    ReasonRow{
        Reason::body_coverage,
        "Too few pixels of the body's top have a height, or what is asked of them can't be formed.",
        "recipe: body.min_valid_ratio, body.min_pixels, body.max_missing_ratio, body.erode_px; sensor "
        "profile: z_min_mm, "
        "z_max_mm",
        "A glossy or dark top, saturation, a part beyond the sensor's range, a component that is missing.",
        "Look at the classes in the picture; correct exposure or the sensor's position."},
    ReasonRow{Reason::body_clipped,
              "Too many pixels of the body's top are out of the sensor's range or saturated.",
              "recipe: body.max_clipped_ratio; sensor profile: z_min_mm, z_max_mm",
              "The part is too high, tilted, or too bright. What is cut off is the highest or the brightest, "
              "so what "
              "is left shows less than the truth.",
              "Move the part into the sensor's range; expose it less."},
    ReasonRow{
        Reason::out_of_view, "The body or its ring lies outside the frame.",
        "recipe: component.centre_mm, board.origin_mm, floor.outer_margin_mm; sensor profile: field_x_mm, "
        "field_y_mm",
        "The board lies elsewhere, the recipe's coordinates are another board's, or the stage stood "
        "elsewhere.",
        "Compare the picture with the recipe; a table [alignment] follows a board that is shifted."},
    ReasonRow{Reason::pose_missing, "The CMM reported no position before or after the exposure.",
              "datumd.toml: cmm.pairing.position_timeout_ms, cmm",
              "The line is down, or its controller did not answer in time.",
              "datumctl links shows the line and its last fault. Stop datumd, and datumctl listen shows the "
              "raw lines "
              "that come."},
    ReasonRow{
        Reason::pose_stale, "A position was too old to belong to the exposure.",
        "datumd.toml: cmm.pairing.window_ms, cmm.poll.period_ms",
        "A slow or polled line that answers late; an exposure whose instant is known only roughly.",
        "Shorten cmm.poll.period_ms, or let the controller report by itself. Widen window_ms only where the "
        "stage stands still that long."},
    ReasonRow{
        Reason::pose_moved, "The stage moved between the positions before and after the exposure.",
        "datumd.toml: cmm.pairing.tolerance_um",
        "The trigger came before standstill, or the machine vibrates.",
        "Wait for standstill before the trigger; widen the tolerance only as far as the budget bears it."},
    ReasonRow{Reason::pose_error, "The CMM reported an error, or what it said can't be a position.",
              "datumd.toml: cmm",
              "Limits, unit, coordinate system or tool changed; the machine lost its reference.",
              "Read the text; home the machine and confirm it with datumctl referenced."},
    ReasonRow{
        Reason::calibration, "The calibration must not be used for this frame.",
        "datumd.toml: inspection.calibration, inspection.temperature_max_age_s; the calibration's expiry and "
        "temperature window",
        "It is missing, changed, expired, drifted, superseded, of another sensor, or the cell's temperature "
        "is "
        "outside its window or not reported.",
        "datumctl status says which. Report the temperature (datumctl temperature), or calibrate again "
        "(datumctl "
        "calibrate start)."},
    ReasonRow{
        Reason::sensor_mismatch,
        "The frame is of another sensor, or of another resolution, than the recipe and the profile say.",
        "recipe: sensor_serial; sensor profile: serial, pixel_pitch_mm",
        "A sensor was exchanged, or files of another cell lie in the drop folder.",
        "Use the recipe and calibration of that sensor; calibrate an exchanged one."},
    ReasonRow{
        Reason::frame, "No frame came, or it can't be used.",
        "datumd.toml: inspection.frame_timeout_ms, sensor",
        "A time-out, a lost or incomplete frame, a format or unit that contradicts the profile, an image "
        "that "
        "seems mirrored.",
        "The text says which; failed/ in the drop folder has the reason beside the file; datumctl links."},
    ReasonRow{Reason::frame_stale, "The frame is older than its limit, or its time can't be true.",
              "datumd.toml: max_age_ms of the sensor's table",
              "Clocks of sensor and computer differ, or a delivery was held up.",
              "The text names age, limit and clock; set the clocks right."},
    ReasonRow{Reason::frame_early,
              "The frame was there before the cell was armed, or before its unit's number was reported.",
              "datumd.toml: inspection.trigger, inspection.arm_at_start",
              "The sensor exposed before INITiate or CONFigure:UNIT, or an old file lay in the drop folder.",
              "Arm, report the unit, then let the sensor expose; empty the drop folder before arming."},
    ReasonRow{Reason::frame_unproven, "Nothing proves that the frame shows this trigger's board.",
              "datumd.toml: inspection.late_frame_ms, inspection.frame_timeout_ms, "
              "sensor.utc_uncertainty_ms; unit_id in the "
              "sidecar",
              "An earlier trigger timed out or was aborted and its frame may still come, or the sidecar "
              "names another unit.",
              "Stamp frames by a compared clock, or name the unit_id; raise frame_timeout_ms, or trigger "
              "again when "
              "late_frame_ms is over."},
    ReasonRow{Reason::frame_repeated, "The frame has the pixels of one that came before.",
              "datumd.toml: sensor", "The sensor or its software delivers an old picture under a new name.",
              "The text names the earlier frame; let the sensor expose again, and look at its software."},
    ReasonRow{
        Reason::uncertainty, "The measurement is too uncertain for the limits: C_m is below 1.",
        "recipe: limits of the check, uncertainty",
        "Limits narrower than the expanded uncertainty; a ring with few pixels; a calibration with a large "
        "residual.",
        "The budget in the verdict names the largest term: reduce it, or widen the limits."},
    ReasonRow{Reason::model, "The part's model can't be used.",
              "recipe: model.file, model.sha256, model.unit, model.size_mm",
              "The file is missing, changed, or of another size than the recipe says.",
              "Put the file back, or name its new hash and size after a review."},
    ReasonRow{
        Reason::snapshots,
        "A snapshot of the part or board is missing, came twice, was taken elsewhere, or may show another "
        "one; or "
        "two of a board contradict each other.",
        "recipe: snapshots.timeout_ms, snapshots.one_board, snapshots.pose.position_mm, tolerance_mm; "
        "alignment.max_rotation_deg",
        "The host moved the stage in another order, or stopped in between. The board moved between two "
        "snapshots, or an axis counts the other way.",
        "Let the host follow SYSTem:STATe?, which names the next position; clamp the board; do what the "
        "verdict's text says of the axes."},
    ReasonRow{Reason::surface_coverage, "Too little of a region was seen, or there is a gap in it.",
              "recipe: region.min_coverage, region.max_gap_mm",
              "Shadow, gloss, a snapshot that is missing, a part placed elsewhere.",
              "Add a snapshot that sees it; look at the exported map."},
    ReasonRow{Reason::surface_beyond,
              "At least 4 pixels side by side lie farther before or behind the part than was searched.",
              "recipe: surface.search_mm, mask",
              "Damage, a missing feature, chips, a clamp or a cloth on the part; a wrong part. Facets of no "
              "region count too: "
              "the part is INVALID as a whole then.",
              "Look at the place that the text names; take away what lies there. State a clamp as [[mask]]."},
    ReasonRow{
        Reason::surface_spot,
        "At least 4 pixels close together are out of a limit and fill no window, so that no extreme shows "
        "them.",
        "recipe: surface.window_px, limits of the region's checks",
        "A small dent, a burr, a feature beside its place by a pixel or two; dust; a sensor that errs beside "
        "steps.",
        "Look at the place that the text names. A smaller surface.window_px makes such spots a value with a "
        "decision."},
    ReasonRow{
        Reason::surface_noise, "A region scatters by more than the sensor's profile explains.",
        "recipe: surface.max_noise_sigmas; sensor profile: noise.sigma_um",
        "The profile of another sensor or exposure; gloss; a surface that is rougher than its model.",
        "Measure the profile again, look at the surface, or raise max_noise_sigmas: U follows the noise."},
    ReasonRow{Reason::surface_fit, "A region's points are no plane, or the part's place can't be fitted.",
              "recipe: alignment.datums, alignment.search_mm, alignment.refinement.max_shift_mm, "
              "alignment.refinement.max_turn_mrad",
              "Too narrow a region, or a part that lies farther from its place than was searched.",
              "Widen the region; look at the fixture."},
    ReasonRow{
        Reason::hole_scan,
        "A hole was not found in its snapshot, or the probe does not surely fit into it: it was not touched.",
        "recipe: hole.centre_mm, hole.diameter_mm, hole.search_mm, hole.diameter_search_mm, hole.snapshot; "
        "datumd.toml: holes.edge_depth_mm, holes.spare_mm, calibration.probe_radius_mm",
        "A hole that is missing, plugged or beside its place, a snapshot that does not show it all round, a "
        "ball "
        "that is larger than the hole.",
        "Look at the snapshot and at the part; widen hole.search_mm, or take a smaller probe."},
    ReasonRow{Reason::hole_touch,
              "A hole was not touched, or not all round; the machine stands where the text says.",
              "datumd.toml: holes.timeout_ms, holes.ring_gauge, cmm.ipp.motion, cmm.grbl.motion; recipe: "
              "touching.travel_z_mm",
              "A contact on a free way, an alarm, a lost link or a late answer of the machine, a limit of "
              "motion, an "
              "abort; after it no further hole of the part is touched.",
              "Look at the machine before it moves again: free the probe by hand, reset the alarm, then "
              "measure the "
              "part anew."},
    ReasonRow{Reason::hole_mismatch,
              "A hole's touches contradict its scan by more than 3 u, or do not converge.",
              "datumd.toml: holes.eps_um, holes.u_edge_um",
              "A calibration that no longer holds, a part that moved between scan and touch, a hole that is "
              "not round, "
              "a burr.",
              "Verify the calibration (datumctl verify), look at the clamps and at the hole. The machine "
              "stands where "
              "the text says."},
    ReasonRow{Reason::warp_model, "The board's own form is not known.", "recipe: warp.min_knots, warp.bare",
              "Too few floors and patches were accepted, or they lie in a line.",
              "Add patches of bare board."},
    ReasonRow{Reason::warp_hull, "The board's form is asked where nothing was seen.",
              "recipe: warp.bare, warp.margin_mm", "No floor or patch reaches the board's corners.",
              "Add patches of bare board near the corners, or judge less of the outline."},
    ReasonRow{
        Reason::warp_gap,
        "The board's form is asked too far from where it was seen, or bare board "
        "lies off it there.",
        "recipe: warp.max_gap_mm, warp.bare, exclusion",
        "Patches lie far apart; a ring is hidden far from all others; a bump between patches, or something "
        "on the board that the recipe does not list.",
        "Add patches of bare board nearer, or raise warp.max_gap_mm; warp.max_curvature_um_per_mm2 "
        "says what U covers. Name as [[exclusion]] what stands on the board."},
    ReasonRow{Reason::alignment, "The board's place is not known, or is too far from the recipe's.",
              "recipe: alignment.max_shift_mm, alignment.max_rotation_deg, alignment.min_ratio, "
              "alignment.min_share, "
              "alignment.min_parts, alignment.max_residual_um, alignment.model, alignment.max_scale_ppm, "
              "alignment.max_shear_urad, alignment.min_fiducials, "
              "alignment.fiducial_search_mm, alignment.parts_offset_um, alignment.fiducial, alignment.hole, "
              "alignment.min_holes, alignment.holes_offset_um, alignment.outline, alignment.edge, "
              "alignment.min_edges, alignment.edges_offset_um",
              "Another board, one turned by quarters or mirrored (the text says so), parts that repeat, too "
              "many missing ones, a wrong pixel pitch, fiducials that are hidden or contradict each other or "
              "the parts, a frame "
              "without an intensity image, or, "
              "for a shift alone, a rotation and parts that the recipe does not list.",
              "Look at the fixture and the board. State max_rotation_deg where boards may lie turned a "
              "little. List a part by "
              "which the layout differs when it is shifted or turned."},
    ReasonRow{
        Reason::body_edges, "Too little of the part's edges is seen to say where it lies.",
        "recipe: body_mm; a finer pixel",
        "Shadow or missing pixels along a whole side, another part against it, a part of few pixels, or "
        "one that stands on another part.",
        "Look at the classes in the picture; leave offset and rotation of such a part out of the recipe."},
    ReasonRow{Reason::defect,
              "Each limit of the part is kept, but by the rules of [defects] it looks wrong; the word stands "
              "beside it.",
              "recipe: defects.beside_pass, defects.max_shift_mm, defects.max_rotation_deg, "
              "defects.max_lift_um, defects.max_height_share",
              "A defect that no limit of the recipe measures: a part that is shifted where only its height "
              "has limits.",
              "Look at the part. Add the limit that sees it (offset_x, offset_y, rotation, tilt, a height); "
              "if such parts are good, widen the rule, or state beside_pass = \"pass\"."},
    ReasonRow{
        Reason::terminals,
        "Too few of the part's terminals (balls, leads) are seen to say how they stand to each other, or "
        "they do not surround its middle.",
        "recipe: terminals.group of the package; body_mm; a finer pixel",
        "A terminal is missing or in shadow, the part lies beside its place or on its other side, or the "
        "recipe's terminals are those of the other view (left and right exchanged).",
        "Look at the named terminal in the picture. State terminals as the sensor sees the part."},
    ReasonRow{
        Reason::paste,
        "The deposit's volume, area and height are not known: too many of its pixels have no height, no "
        "paste is seen, or it is joined to another deposit.",
        "recipe: paste.threshold_um, body.max_missing_ratio, floor.outer_margin_mm; exposure",
        "Glossy or shadowed paste; a clogged aperture; a bridge, which is named with the other deposit.",
        "Look at the deposit in the picture. A bridge or a missing deposit is a defect of the print."},
    ReasonRow{Reason::nominal_unconfirmed,
              "The component was measured; its nominal height is not confirmed, so that nothing is decided: "
              "INCONCLUSIVE.",
              "recipe: nominal_confirmed, nominal_um, nominal_source",
              "A recipe from a design (datumctl recipe import) whose heights come from a name, a table or "
              "the design file.",
              "Compare the value with the part's data sheet, correct nominal_um and its limits, state the "
              "source, and remove "
              "nominal_confirmed = false."},
    ReasonRow{
        Reason::panel,
        "A board of a panel: its bad-board mark is neither surely there nor surely absent. Of the whole "
        "panel: every board is skipped, or what was stated of its boards contradicts the recipe.",
        "recipe: panel, panel.bad_mark; sidecar: panel",
        "A mark that is glossy, worn or partly on its place, or beside it. More serial numbers than "
        "boards, the same one twice, or a bad board that the recipe does not have.",
        "Look at the mark's median and presence (datumctl show); make bad_mark.size_mm smaller than the "
        "mark by the boards' shift, or the mark thicker. Correct what the line states of the panel."},
    ReasonRow{Reason::skipped, "The component's board is a bad one of its panel: it decides nothing.",
              "recipe: panel.bad_mark; sidecar: panel.bad",
              "The board has its mark, or the line stated it as bad.", "None."},
    ReasonRow{
        Reason::serial,
        "Nothing was measured: the board has no serial number, or it is in doubt which of two is its own.",
        "recipe: serial.missing; datumd.toml: scanner",
        "The scan or CONFigure:UNIT came after the trigger, was unreadable or too old; a second board was "
        "scanned, or the host named another number than the scanner read. The numbers of a panel's boards "
        "were "
        "stated for another panel or recipe, or contradict the sidecar's.",
        "State the number before the trigger, once a board. Scan the board again and trigger it again."},
    ReasonRow{
        Reason::reference_check,
        "A reference check of the cell is due, in progress or failed, so that the board was not "
        "measured.",
        "datumd.toml: reference_checks",
        "A shift began, the interval is over, datumd was started, the temperature or the calibration "
        "changed, somebody reported a collision, or the artefact measured wrong.",
        "datumctl check says which and why. Measure the artefact (datumctl check start); after a failed "
        "check look at datumctl check look-back."},
    ReasonRow{Reason::internal, "datumd contradicts itself.", "none",
              "A fault of datumd, or of the computer's memory.",
              "Keep the frame, run datumctl selftest, and send the archive of datumctl support."},
};

}  // namespace

std::span<const ReasonRow> reason_table() { return rows; }

}  // namespace datum
