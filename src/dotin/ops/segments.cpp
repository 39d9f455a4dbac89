#include "dotin/ops/segments.h"

#include <torch/csrc/autograd/custom_function.h>

#include "dotin/kernels/segments.h"
#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

kernels::Segments segments_of(const std::vector<int64_t>& offsets) {
  return {offsets.data(), static_cast<int64_t>(offsets.size()) - 1};
}

/// What stands in a graph's row of the result, side by side.
enum Part : int64_t { kSum = 1, kMean = 2, kMax = 4 };

class SegmentReduction : public torch::autograd::Function<SegmentReduction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& all_rows, const std::vector<int64_t>& offsets,
                            int64_t parts) {
    const at::Tensor rows = all_rows.contiguous();
    const kernels::Segments segments = segments_of(offsets);
    const int64_t width = rows.size(1), stride = width * ((parts & kMax) != 0 && parts != kMax ? 2 : 1);
    const at::Tensor out = at::empty({segments.graphs, stride}, rows.options());
    with_scalar(rows, [&](auto zero) {
      using Scalar = decltype(zero);
      const Scalar* const from = rows.data_ptr<Scalar>();
      Scalar* to = out.data_ptr<Scalar>();
      if (parts != kMax) {
        kernels::segment_sums(segments, from, width, (parts & kMean) != 0, to, stride);
        to += width;
      }
      if ((parts & kMax) != 0) kernels::segment_max(segments, from, width, to, stride);
    });
    context->saved_data["offsets"] = offsets;
    context->saved_data["parts"] = parts;
    context->save_for_backward({rows, out});
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const std::vector<int64_t> offsets = context->saved_data["offsets"].toIntVector();
    const kernels::Segments segments = segments_of(offsets);
    const int64_t parts = context->saved_data["parts"].toInt();
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &rows = saved[0], &out = saved[1];
    const at::Tensor d_all = d_outputs[0].contiguous(), d_rows = at::zeros_like(rows.detach());
    const int64_t width = rows.size(1), stride = out.size(1);
    with_scalar(rows, [&](auto zero) {
      using Scalar = decltype(zero);
      const Scalar *result = out.data_ptr<Scalar>(), *d = d_all.data_ptr<Scalar>();
      if (parts != kMax) {
        kernels::segment_sums_backward(segments, width, (parts & kMean) != 0, d, stride, d_rows.data_ptr<Scalar>());
        result += width;
        d += width;
      }
      if ((parts & kMax) != 0) {
        kernels::segment_max_backward(segments, rows.data_ptr<Scalar>(), width, result, d, stride,
                                      d_rows.data_ptr<Scalar>());
      }
    });
    return {d_rows, at::Tensor(), at::Tensor()};
  }
};

class SegmentAttention : public torch::autograd::Function<SegmentAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& all_rows, const at::Tensor& all_queries,
                            const std::vector<int64_t>& offsets) {
    const at::Tensor rows = all_rows.contiguous(), queries = all_queries.contiguous();
    const at::TensorOptions options = rows.options();
    const at::Tensor share = at::empty({rows.size(0)}, options), out = at::empty(queries.sizes(), options);
    with_scalar(rows, [&](auto zero) {
      using Scalar = decltype(zero);
      kernels::segment_attention(segments_of(offsets), rows.data_ptr<Scalar>(), queries.data_ptr<Scalar>(),
                                 rows.size(1), share.data_ptr<Scalar>(), out.data_ptr<Scalar>());
    });
    context->saved_data["offsets"] = offsets;
    context->save_for_backward({rows, queries, share});
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const std::vector<int64_t> offsets = context->saved_data["offsets"].toIntVector();
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &rows = saved[0], &queries = saved[1], &share = saved[2];
    const at::Tensor d_out = d_outputs[0].contiguous();
    const at::Tensor d_rows = at::zeros_like(rows.detach()), d_queries = at::zeros_like(queries.detach());
    with_scalar(rows, [&](auto zero) {
      using Scalar = decltype(zero);
      kernels::segment_attention_backward(segments_of(offsets), rows.data_ptr<Scalar>(), queries.data_ptr<Scalar>(),
                                          rows.size(1), share.data_ptr<Scalar>(), d_out.data_ptr<Scalar>(),
                                          d_rows.data_ptr<Scalar>(), d_queries.data_ptr<Scalar>());
    });
    return {d_rows, d_queries, at::Tensor()};
  }
};

}  // namespace

at::Tensor segment_sums(const at::Tensor& rows, const std::vector<int64_t>& offsets) {
  return SegmentReduction::apply(rows, offsets, int64_t{kSum});
}

at::Tensor segment_means(const at::Tensor& rows, const std::vector<int64_t>& offsets) {
  return SegmentReduction::apply(rows, offsets, int64_t{kMean});
}

at::Tensor segment_max(const at::Tensor& rows, const std::vector<int64_t>& offsets) {
  return SegmentReduction::apply(rows, offsets, int64_t{kMax});
}

at::Tensor segment_mean_max(const at::Tensor& rows, const std::vector<int64_t>& offsets) {
  return SegmentReduction::apply(rows, offsets, kMean | kMax);
}

at::Tensor segment_attention(const at::Tensor& rows, const at::Tensor& queries, const std::vector<int64_t>& offsets) {
  return SegmentAttention::apply(rows, queries, offsets);
}

}  // namespace dotin::ops
