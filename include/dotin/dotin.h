// All of dotin: open graphs, train, cross-validate, predict, explain. docs/api.md has every function with an example.
#pragma once

#include "dotin/dataset.h"
#include "dotin/error.h"
#include "dotin/options.h"
#include "dotin/predictor.h"
#include "dotin/train.h"
