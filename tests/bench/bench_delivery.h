// From a delivery's files to an accepted frame with its identity.
#pragma once

namespace datum::bench {

/// Prints one row per format: the product beside a plain read with a copy and one SHA-256, in turns.
void bench_deliveries(int repeats);

}  // namespace datum::bench
