#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/task_outputs.hpp"
#include "lib/http/file_descriptor.hpp"

/// The tree of one campaign's outputs on this machine.
namespace gleaner::clients::gridget {

/// The path of an output within the tree: `7.out`, `7.err`, `7/results/a.dat`, `5000/5123.out`; of attempt 2 `7.2.out`,
/// `7.2/results/a.dat`. It never leads out of the tree: parts such as `..` stay encoded (`%2E%2E`).
[[nodiscard]] std::filesystem::path local_path(const grid::TaskOutput& output);

/// An output as a user names it by its path within the tree: without an attempt, it is of the one that did the task, and the folder of
/// its thousand may be left out, `5123.out`.
struct NamedOutput {
  std::int64_t task = 0;
  std::string path;  ///< in full, `5000/5123.out`
};
/// Empty: it is the path of no task's output. `5000/5123/a` is a file `a` of task 5123.
[[nodiscard]] std::optional<NamedOutput> named_output(std::string_view path);

/// The folder `--to`. It has a folder `.gridget`, which says whose outputs it holds, and keeps the files that have arrived in part.
class LocalTree {
 public:
  /// Makes the folder if need be, and locks it: one gridget at a time. Throws process::Error: it holds another campaign's outputs, another
  /// gridget works on it, or it cannot be written.
  LocalTree(std::filesystem::path folder, const std::string& campaign);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Whether the output is there, whole; of one of unknown size, whether it is there.
  [[nodiscard]] bool has(const grid::TaskOutput& output, std::optional<std::int64_t> size) const;

 private:
  friend class PartialFile;
  std::filesystem::path folder_;
  std::filesystem::path parts_;
  http::FileDescriptor lock_;
};

/// An output on its way: it gets its name when it is whole. Whatever interrupts that, what has arrived is continued. Functions throw
/// process::Error, which names the file.
class PartialFile {
 public:
  PartialFile(const LocalTree& tree, const grid::TaskOutput& output);

  [[nodiscard]] std::int64_t size() const { return size_; }
  void append(std::string_view bytes);
  void restart();
  /// Moves it to its place.
  void finish();

 private:
  std::filesystem::path part_;
  std::filesystem::path place_;
  http::FileDescriptor file_;
  std::int64_t size_ = 0;
};

}  // namespace gleaner::clients::gridget
