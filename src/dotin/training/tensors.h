// Between at::Tensor and safetensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "dotin/io/safetensors.h"

namespace dotin::training {

/// The tensor must be contiguous, on the CPU, float or double, and outlive the writing.
io::TensorToWrite to_write(const std::string& name, const at::Tensor& tensor);

/// Copies a file's tensor into one that is already there. core::Error if it is missing, or differs in shape or type.
void read_into(const io::SafetensorsFile& file, const std::string& name, at::Tensor destination);

}  // namespace dotin::training
