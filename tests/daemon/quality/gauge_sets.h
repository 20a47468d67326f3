// The worked study of five parts, three operators and two trials; um.
#pragma once

#include "daemon/quality/study/gauge_data.h"

namespace datum::testing {

inline quality::GaugeData gauge_set_a() {
  quality::GaugeData a;
  a.unit = "um";
  a.digits = 1;
  a.trials = 2;
  a.parts = {"P1", "P2", "P3", "P4", "P5"};
  a.operators = {"A", "B", "C"};
  a.cells = {{{12004, 12009}, {12011, 12013}, {11999, 12002}},
             {{12068, 12063}, {12070, 12076}, {12061, 12066}},
             {{11949, 11955}, {11958, 11952}, {11946, 11941}},
             {{12112, 12106}, {12115, 12120}, {12103, 12109}},
             {{12030, 12034}, {12033, 12041}, {12024, 12029}}};
  return a;
}

/// Part 2 of operator A 0.7 lower, part 5 of operator C 1.0 higher.
inline quality::GaugeData gauge_set_b() {
  quality::GaugeData b = gauge_set_a();
  for (auto& count : b.cells[1][0]) count -= 7;
  for (auto& count : b.cells[4][2]) count += 10;
  return b;
}

}  // namespace datum::testing
