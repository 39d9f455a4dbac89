// Any DATA argument -> dataset.
#pragma once

#include <memory>
#include <string>

#include "dotin/data/dataset.h"
#include "dotin/io/limits.h"
#include "dotin/io/problem.h"

namespace dotin::data {

enum class DataForm { tu, jsonl, csv, packed };

struct OpenOptions {
  io::Limits limits;
  DuplicatePolicy duplicates = DuplicatePolicy::merge;
};

/// Path of a DATA argument: itself if it exists, else a name looked for by find_by_name; core::Error with what to do if
/// neither.
std::string resolve(const std::string& data);

/// How the thing at this path is to be read: a folder with edges.csv is csv; another folder, or a zip, is tu; a file
/// that starts like safetensors is packed; else jsonl.
DataForm form_of(const std::string& path);

/// Everything but packed: reads the records, reporting problems to the sink.
io::Records read_records(const std::string& path, DataForm form, const io::Limits& limits, io::ProblemSink& problems);

/// Opens a TU folder, TU zip, packed file, CSV folder, JSON Lines file or name. The first problem is a core::Error.
std::shared_ptr<const Dataset> open(const std::string& data, const OpenOptions& options);

}  // namespace dotin::data
