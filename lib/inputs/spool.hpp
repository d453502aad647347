#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/grid/input_files.hpp"
#include "lib/inputs/sha256.hpp"

/// The folder of input files: each content is a file, named by its SHA-256. gridapi writes it, and the runner reads it.
namespace gleaner::inputs {

class Spool {
 public:
  explicit Spool(std::filesystem::path folder) : folder_{std::move(folder)} {}

  /// Removes a content, or an upload that was not finished.
  void remove(const std::string& name) const;
  /// The content of a small file. Error: why it cannot be read.
  [[nodiscard]] tl::expected<std::string, std::string> read(std::string_view sha256, std::int64_t most) const;
  /// Bytes of the contents of files that stand one after the other, from `begin` to `end`. Error: the file that cannot be read, and why.
  [[nodiscard]] tl::expected<std::string, std::string> read(std::span<const grid::InputFile> files, std::int64_t begin,
                                                            std::int64_t end) const;
  [[nodiscard]] std::filesystem::path path_of(std::string_view sha256) const { return folder_ / sha256; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// A walk through the files of the spool, a part at a time. It finds what a crash left: uploads that were not finished, and contents
/// without a row in the database.
class Walk {
 public:
  explicit Walk(Spool spool, std::chrono::seconds older_than = std::chrono::hours{24})
      : spool_{std::move(spool)}, older_than_{older_than} {}

  /// The names of ours among the next files that are older than that. At the end it begins anew, after an hour. Cost: O(most).
  [[nodiscard]] std::vector<std::string> next(int most);

 private:
  static constexpr std::chrono::hours kPause{1};
  Spool spool_;
  std::chrono::seconds older_than_;
  std::filesystem::directory_iterator place_;
  std::chrono::steady_clock::time_point begins_{};
};

/// A content on its way into the spool, in a file of another name until it is whole. Whoever dies in between leaves a file that
/// the walk finds.
class Arrival {
 public:
  /// Error: why the spool cannot be written.
  [[nodiscard]] static tl::expected<Arrival, std::string> begin(const Spool& spool);
  ~Arrival();
  Arrival(Arrival&& other) noexcept;
  Arrival& operator=(Arrival&&) = delete;

  /// Error: why the bytes cannot be written, such as a full disk.
  [[nodiscard]] tl::expected<void, std::string> add(std::string_view bytes);
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// Its SHA-256, with all bytes on the disk.
  [[nodiscard]] tl::expected<std::string, std::string> finish();
  /// Puts it in its place, after finish(); nothing when it is there already.
  [[nodiscard]] tl::expected<void, std::string> place(const Spool& spool, std::string_view sha256);

 private:
  Arrival(int descriptor, std::filesystem::path path) : descriptor_{descriptor}, path_{std::move(path)} {}
  int descriptor_;
  std::filesystem::path path_;
  Sha256 sum_;
  std::int64_t bytes_ = 0;
};

}  // namespace gleaner::inputs
