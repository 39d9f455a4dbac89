#include "dotin/kernels/loops_impl.h"

namespace dotin::kernels {

extern const Loops<float> loops_float_avx512;
extern const Loops<double> loops_double_avx512;
const Loops<float> loops_float_avx512 = make_loops<float>("avx512");
const Loops<double> loops_double_avx512 = make_loops<double>("avx512");

}  // namespace dotin::kernels
