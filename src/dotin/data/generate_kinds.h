// The functions that draw one graph of each kind of generated data. Internal to data/.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dotin/core/random.h"
#include "dotin/data/generate.h"
#include "dotin/data/generate_sketch.h"

namespace dotin::data {

constexpr int32_t kMotifNodes = 4;
constexpr int32_t kHouseNodes = 5;
constexpr int32_t kMostSurroundings = 8;
constexpr int64_t kLeastGridSide = 4;

/// The classes of a graph: one per task, the second for kinds with two.
using DrawnClasses = std::pair<int32_t, int32_t>;

// Where the labels or attributes of some nodes decide, in whatever graph: generate_labels.cpp.
void draw_random(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                 GraphSketch& sketch);
void draw_counts(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                 GraphSketch& sketch);
void draw_needle(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                 GraphSketch& sketch);
void draw_product(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                  GraphSketch& sketch);
void draw_vote(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
               GraphSketch& sketch);

// Where it is how nodes of a rare label are joined: generate_wiring.cpp.
void draw_motif(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                GraphSketch& sketch);
void draw_adjacent(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                   GraphSketch& sketch);
void draw_triangle(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                   GraphSketch& sketch);
void draw_edges(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                GraphSketch& sketch);
void draw_two_patterns(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                       GraphSketch& sketch);
void draw_two_tasks(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                    GraphSketch& sketch);

// Where it is a shape in a graph of its own make: generate_shapes.cpp, generate_surroundings.cpp.
void draw_grid(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
               GraphSketch& sketch);
void draw_house(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                GraphSketch& sketch);
void draw_surroundings(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                       GraphSketch& sketch);

/// Gives `count` random nodes of the sketch the label, as those that decide the task.
std::vector<int32_t> plant_label(GraphSketch& sketch, int32_t task, int64_t count, int32_t label, core::Rng& rng);

}  // namespace dotin::data
