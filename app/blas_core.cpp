#include "blas_core.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace dotin::app {

namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

/// The kernels that OpenBLAS would take here; empty where that cannot be told.
std::string chosen_core() {
  void* const library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {};
  using CoreName = char* (*)();
  const auto name = reinterpret_cast<CoreName>(dlsym(library, "openblas_get_corename"));
  return name == nullptr ? std::string() : std::string(name());
}

}  // namespace

std::string better_blas_core(const std::string& chosen, bool has_avx2, bool has_avx512) {
  static const char* const without_avx[] = {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom"};
  const bool old =
      std::any_of(std::begin(without_avx), std::end(without_avx), [&](const char* name) { return chosen == name; });
  if (!old || !has_avx2) return {};
  return has_avx512 ? "SkylakeX" : "Haswell";
}

bool choose_blas_core() {
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!has_avx2 || std::getenv(kVariable) != nullptr) return false;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  const std::string better = better_blas_core(chosen_core(), has_avx2, has_avx512);
  return !better.empty() && setenv(kVariable, better.c_str(), 0) == 0;
#else
  return false;
#endif
}

}  // namespace dotin::app
