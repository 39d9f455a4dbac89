// Which of its kernels OpenBLAS takes.
#pragma once

#include <string>

namespace dotin::app {

/// What to ask for in place of the kernels that OpenBLAS chose, by the name it gives them; empty where they suit the
/// CPU.
std::string better_blas_core(const std::string& chosen, bool has_avx2, bool has_avx512);

/// OpenBLAS goes by the model number of the CPU and takes kernels of 2004 (Prescott, SSE3) for models that are newer
/// than itself: Debian 12's does on Emerald Rapids, and small models train at 0.6 of the speed. Asks for better ones by
/// OPENBLAS_CORETYPE, which OpenBLAS reads as it is loaded: for a program that is started after this. Leaves what the
/// user has set. Returns whether it asked.
bool choose_blas_core();

}  // namespace dotin::app
