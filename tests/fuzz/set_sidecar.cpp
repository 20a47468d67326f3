// JSON sidecars of raw fringe sets: written and read again they are equal.
#include "drivers/fringe/set_sidecar.h"
#include "tests/fuzz/frame_bytes.h"

using namespace datum;

static FringeSettings two_periods_of_three() {
  FringeSettings settings;
  settings.periods_px = {16, 15};
  settings.steps = 3;
  settings.image_names = "{set}_{period}_{step}.png";
  return settings;
}

DATUM_FUZZ_TARGET(set_sidecar) {
  static const FringeSettings settings = two_periods_of_three();
  fuzz::expect_frame_or_refusal([&] {
    const SetSidecar sidecar = parse_set_sidecar(fuzz::view(bytes), "a.json", settings);
    fuzz::expect(sidecar.images.size() == 6, "all images of the set and no other");
    const std::string text = write_set_sidecar(sidecar);
    fuzz::expect(write_set_sidecar(parse_set_sidecar(fuzz::view(text), "a.json", settings)) == text,
                 "the same when it is read again");
  });
}
