#include "dotin/core/denormals.h"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace dotin::core {

#ifdef __SSE__

namespace {

constexpr unsigned kResultsToZero = 0x8000, kOperandsAsZero = 0x0040;  // FTZ and DAZ of the control register

}  // namespace

FlushDenormals::FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kResultsToZero | kOperandsAsZero); }

FlushDenormals::~FlushDenormals() { _mm_setcsr(before_); }

#else

FlushDenormals::FlushDenormals() = default;

FlushDenormals::~FlushDenormals() = default;

#endif

}  // namespace dotin::core
