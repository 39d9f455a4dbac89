// Finds the files of a TU dataset in a folder or zip.
#pragma once

#include <memory>
#include <string>

#include "dotin/io/file_set.h"

namespace dotin::io {

class TuFiles {
 public:
  /// core::Error if there is no *_A.txt, or several.
  TuFiles(const std::string& path, const Limits& limits);

  /// What stands before "_A.txt".
  const std::string& name() const { return name_; }
  /// "NAME_<kind>.txt", for messages about it.
  std::string file_name(const std::string& kind) const { return name_ + "_" + kind + ".txt"; }
  /// The file of that kind ("A", "node_labels", ...), or null where there is none.
  std::unique_ptr<ByteSource> open(const std::string& kind);
  /// Of the folder or zip.
  const std::string& path() const { return files_->path(); }
  /// Reads all files to their ends, of other kinds too; core::Error for one that is damaged.
  void read_through();

 private:
  std::unique_ptr<FileSet> files_;
  std::string folder_;  // of the *_A.txt, with its '/'
  std::string name_;
};

}  // namespace dotin::io
