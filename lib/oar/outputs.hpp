#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/oar/access.hpp"
#include "lib/oar/failure.hpp"
#include "lib/oar/parse.hpp"

/// The files that tasks leave on a cluster, read over OAR's /media as their user.
///
/// OAR 2.5.9 reads a file whole into the memory of its API before it sends the first byte, reports no size with it, and knows no ranges. So
/// sizes come from the listing of the folder, and a large file is silent for as long as OAR reads it. OAR gives paths to a shell: those
/// with blanks and other characters that a shell interprets are Refused here.
namespace gleaner::oar {

/// The files in a folder with their sizes, without those that start with a dot. A folder that OAR does not find is Refused 404. A listing
/// of more than 8 MB (some 60 000 files) is NoAnswer.
[[nodiscard]] Result<std::vector<ListedFile>> list_files(const Access& access, const Limits& limits, std::string_view user,
                                                         std::string_view path);

/// A file on the cluster, read piece by piece in bounded memory.
class FileStream {
 public:
  /// Returns when the first bytes are there. A missing file is Refused 404, an unreadable one Refused 403.
  [[nodiscard]] static Result<FileStream> open(const Access& access, const Limits& limits, std::string_view user, std::string_view path);
  ~FileStream();
  FileStream(FileStream&&) noexcept;
  FileStream& operator=(FileStream&&) = delete;

  /// The next bytes; empty: the end of the file. OAR may end too early without a sign of it, so the caller compares the size.
  [[nodiscard]] Result<std::string> next();

 private:
  struct Parts;
  explicit FileStream(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace gleaner::oar
