#include "dotin/kernels/loops_impl.h"

namespace dotin::kernels {

extern const Loops<float> loops_float_avx2;
extern const Loops<double> loops_double_avx2;
const Loops<float> loops_float_avx2 = make_loops<float>("avx2");
const Loops<double> loops_double_avx2 = make_loops<double>("avx2");

}  // namespace dotin::kernels
