#include "dotin/kernels/loops_impl.h"

namespace dotin::kernels {

extern const Loops<float> loops_float_baseline;
extern const Loops<double> loops_double_baseline;
const Loops<float> loops_float_baseline = make_loops<float>("baseline");
const Loops<double> loops_double_baseline = make_loops<double>("baseline");

}  // namespace dotin::kernels
