#include "dotin/io/zip_file_set.h"

#include <zip.h>

#include <algorithm>
#include <filesystem>

#include "dotin/core/error.h"
#include "dotin/core/memory.h"
#include "dotin/io/text.h"

namespace dotin::io {
namespace {

// What unpacks to less is harmless however well it packs.
constexpr int64_t kHarmlessBytes = int64_t{16} << 20;

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};

/// What the entries of one zip share; an open entry keeps it alive.
struct Archive {
  std::unique_ptr<zip_t, CloseZip> zip;
  Limits limits;
  int64_t file_bytes = 0;
  int64_t unpacked_bytes = 0;  // so far, of all entries read

  /// name: of the entry that makes it so many. One file of a dataset may pack a thousandfold, a column of equal labels,
  /// say, but never all of them: their edges pack tenfold at most.
  void check_limits(int64_t bytes, const std::string& name) const {
    DOTIN_CHECK(bytes <= limits.max_unpacked_bytes,
                "{}: the zip unpacks to more than {} (a zip bomb? if not, raise the limit on unpacked bytes)", name,
                core::format_bytes(limits.max_unpacked_bytes));
    DOTIN_CHECK(
        bytes <= kHarmlessBytes ||
            static_cast<double>(bytes) <= limits.max_compression * static_cast<double>(file_bytes),
        "{}: the zip unpacks to more than {} times its size (a zip bomb? if not, raise the limit on compression)", name,
        limits.max_compression);
  }
};

class ZipSource : public ByteSource {
 public:
  ZipSource(std::string name, std::shared_ptr<Archive> archive, std::unique_ptr<zip_file_t, CloseEntry> entry,
            int64_t declared_bytes)
      : ByteSource(std::move(name), declared_bytes), archive_(std::move(archive)), entry_(std::move(entry)) {}

  std::size_t read(char* buffer, std::size_t size) override {
    const zip_int64_t got = zip_fread(entry_.get(), buffer, size);
    if (got < 0) {
      core::fail("{}: damaged at byte {} of its unpacked content: {} (get the zip again)", name(), unpacked_bytes_,
                 zip_file_strerror(entry_.get()));
    }
    unpacked_bytes_ += got;
    archive_->unpacked_bytes += got;
    archive_->check_limits(archive_->unpacked_bytes, name());
    return static_cast<std::size_t>(got);
  }

 private:
  std::shared_ptr<Archive> archive_;  // before entry_: the entry must be closed first
  std::unique_ptr<zip_file_t, CloseEntry> entry_;
  int64_t unpacked_bytes_ = 0;
};

/// Joins the parts with one '/' each; core::Error for a name that leaves the folder it is unpacked to.
std::string tidy_name(const std::string& zip, const std::string& name) {
  const auto refuse = [&](const char* why) {
    core::fail("{}: entry {} {}: refused, since unpacking it could overwrite files elsewhere (make the zip again)", zip,
               excerpt(name), why);
  };
  const bool drive = name.size() >= 2 && name[1] == ':';
  if (!name.empty() && (name[0] == '/' || name[0] == '\\' || drive)) refuse("has an absolute path");
  std::string tidy;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("/\\", begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    if (part == "..") refuse("has '..' in its path");
    if (!part.empty() && part != ".") tidy += (tidy.empty() ? "" : "/") + part;
    begin = end + 1;
  }
  return tidy;
}

class ZipFileSet : public FileSet {
 public:
  ZipFileSet(const std::string& path, const Limits& limits) : FileSet(path), archive_(std::make_shared<Archive>()) {
    std::error_code unknown_size;
    archive_->limits = limits;
    archive_->file_bytes = static_cast<int64_t>(std::filesystem::file_size(path, unknown_size));
    int code = 0;
    archive_->zip.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (archive_->zip == nullptr) {
      zip_error_t error;
      zip_error_init_with_code(&error, code);
      const std::string reason = zip_error_strerror(&error);
      zip_error_fini(&error);
      core::fail("{}: not a readable zip: {} (truncated or another kind of file? get it again)", path, reason);
    }
    list_entries();
  }

  std::unique_ptr<ByteSource> open(std::size_t index) override {
    const std::string name = path() + ":" + names_[index];
    zip_t* const zip = archive_->zip.get();
    zip_stat_t status;
    zip_stat_init(&status);
    DOTIN_CHECK(zip_stat_index(zip, entries_[index], 0, &status) == 0, "{}: {}", name, zip_strerror(zip));
    DOTIN_CHECK((status.valid & ZIP_STAT_ENCRYPTION_METHOD) == 0 || status.encryption_method == ZIP_EM_NONE,
                "{}: the entry is encrypted (unpack the zip with its password and give the folder instead)", name);
    std::unique_ptr<zip_file_t, CloseEntry> entry(zip_fopen_index(zip, entries_[index], 0));
    DOTIN_CHECK(entry != nullptr, "{}: cannot be opened: {} (get the zip again)", name, zip_strerror(zip));

    // Never to be trusted: no more than the limit, so that nothing overflows, and a byte to be beyond it.
    const auto most = static_cast<zip_uint64_t>(archive_->limits.max_unpacked_bytes) + 1;
    const auto declared = static_cast<int64_t>(std::min<zip_uint64_t>(status.size, most));
    archive_->check_limits(archive_->unpacked_bytes + declared, name);  // before any work is done for it
    return std::make_unique<ZipSource>(name, archive_, std::move(entry), declared);
  }

 private:
  void list_entries() {
    zip_t* const zip = archive_->zip.get();
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    DOTIN_CHECK(count <= archive_->limits.max_entries,
                "{}: has {} entries, more than {} (not a dataset? if it is, raise the limit on entries)", path(), count,
                archive_->limits.max_entries);
    for (zip_int64_t i = 0; i < count; ++i) {
      const char* const raw = zip_get_name(zip, static_cast<zip_uint64_t>(i), 0);
      DOTIN_CHECK(raw != nullptr, "{}: the name of entry {} cannot be read: {} (get the zip again)", path(), i,
                  zip_strerror(zip));
      std::string name = tidy_name(path(), raw);
      if (name.empty() || is_clutter(name)) continue;
      entries_.push_back(static_cast<zip_uint64_t>(i));
      names_.push_back(std::move(name));
    }
  }

  std::shared_ptr<Archive> archive_;
  std::vector<zip_uint64_t> entries_;  // index in the zip of each name
};

}  // namespace

std::unique_ptr<FileSet> open_zip(const std::string& path, const Limits& limits) {
  return std::make_unique<ZipFileSet>(path, limits);
}

}  // namespace dotin::io
