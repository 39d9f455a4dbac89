// A folder that is gone when the test is over.
#pragma once

#include <string>

namespace dotin::testing {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  /// path()/name
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file (parent folders are made) and returns its path.
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

/// Whole content of a file; empty if there is none.
std::string read_text(const std::string& path);

}  // namespace dotin::testing
