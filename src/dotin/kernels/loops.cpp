#include "dotin/kernels/loops.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "dotin/core/error.h"

namespace dotin::kernels {

extern const Loops<float> loops_float_baseline;
extern const Loops<double> loops_double_baseline;
#ifdef __x86_64__
extern const Loops<float> loops_float_avx2, loops_float_avx512;
extern const Loops<double> loops_double_avx2, loops_double_avx512;
#endif

namespace {

template <class Scalar>
struct Runnable {
  const Loops<Scalar>* list[3];
  int count = 0;
  const Loops<Scalar>* chosen = nullptr;
};

/// The last, unless DOTIN_ISA names another.
template <class Scalar>
const Loops<Scalar>* choice_of(const Runnable<Scalar>& runnable) {
  const char* const wanted = std::getenv("DOTIN_ISA");
  if (wanted == nullptr || *wanted == '\0') return runnable.list[runnable.count - 1];
  std::string names;
  for (int i = 0; i < runnable.count; ++i) {
    if (std::strcmp(runnable.list[i]->name, wanted) == 0) return runnable.list[i];
    names += (i == 0 ? "" : ", ") + std::string(runnable.list[i]->name);
  }
  core::fail_usage("DOTIN_ISA is '{}', which is no instruction set that this CPU can run: {}", wanted, names);
}

template <class Scalar>
Runnable<Scalar> runnable([[maybe_unused]] const Loops<Scalar>& baseline, [[maybe_unused]] const Loops<Scalar>* avx2,
                          [[maybe_unused]] const Loops<Scalar>* avx512) {
  Runnable<Scalar> result;
  result.list[result.count++] = &baseline;
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2) result.list[result.count++] = avx2;
  if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    result.list[result.count++] = avx512;
  }
#endif
  result.chosen = choice_of(result);
  return result;
}

const Runnable<float>& runnable_of(float) {
#ifdef __x86_64__
  static const Runnable<float> found = runnable(loops_float_baseline, &loops_float_avx2, &loops_float_avx512);
#else
  static const Runnable<float> found = runnable<float>(loops_float_baseline, nullptr, nullptr);
#endif
  return found;
}

const Runnable<double>& runnable_of(double) {
#ifdef __x86_64__
  static const Runnable<double> found = runnable(loops_double_baseline, &loops_double_avx2, &loops_double_avx512);
#else
  static const Runnable<double> found = runnable<double>(loops_double_baseline, nullptr, nullptr);
#endif
  return found;
}

}  // namespace

template <class Scalar>
const Loops<Scalar>* const* all_loops(int* count) {
  const Runnable<Scalar>& found = runnable_of(Scalar());
  *count = found.count;
  return found.list;
}

template <class Scalar>
const Loops<Scalar>& loops() {
  return *runnable_of(Scalar()).chosen;
}

template const Loops<float>& loops<float>();
template const Loops<double>& loops<double>();
template const Loops<float>* const* all_loops<float>(int*);
template const Loops<double>* const* all_loops<double>(int*);

}  // namespace dotin::kernels
