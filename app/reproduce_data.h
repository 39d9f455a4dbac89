// The data of `dotin reproduce`: where it is, and what it is known by.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dotin::app {

class ReproduceData {
 public:
  /// folder: of the run, for generated data. extra: a folder to look for names in first; may be empty. Both are put
  /// before $DOTIN_DATA, for the children too.
  ReproduceData(std::string folder, const std::string& extra);

  /// Makes generated data where it is asked for and there is none of that name; core::Error that says what to do where
  /// other data is missing.
  void require(const std::vector<std::string>& datasets);

  /// From the content: the SHA-256 of a file, names and sizes of a folder. Empty where there is none.
  std::string fingerprint(const std::string& data);

  double bytes(const std::string& data);

 private:
  struct Known {
    std::string fingerprint;
    double bytes = 0;
  };
  const Known& known(const std::string& data);

  std::string folder_;
  std::map<std::string, Known> known_;
};

}  // namespace dotin::app
