#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/grid/epochs.hpp"
#include "lib/grid/id.hpp"

/// Input files of campaigns: files beside the campaign file, which the grid brings to each cluster before the tasks that read them.
///
/// The contents of all files of a campaign stand one after the other, in the order of the first tasks that read them, cut into pieces of
/// equal size: on a cluster, in the folder `inputs` of the campaign, the files `0`, `1`, … Those of them are there that tasks need which
/// were to go there. The file `index` says where each input file is:
/// `<SHA-256> <first byte> <bytes> <path>`, with `<bytes>:<mode>` for a mode other than 444. A job's wrapper takes the files that its task
/// needs from them, checks them, and puts them below `inputs/f` (runner/wrapper/inputs.bash).
namespace gleaner::grid {

inline constexpr std::int64_t kInputPiece = std::int64_t{4} << 20;  ///< bytes of a piece
inline constexpr std::size_t kMostInputFiles = 10'000;              ///< of one campaign
inline constexpr std::size_t kLongestInputPath = 500;               ///< bytes
inline constexpr int kPlainInput = 0444;                            ///< the mode of a file that everybody may read, and nobody execute
/// The longest manifest.
inline constexpr std::int64_t kLongestManifest = static_cast<std::int64_t>(kMostInputFiles * (kLongestInputPath + 80));

/// Numbers from `first` to before `past`.
struct Range {
  std::int64_t first = 0;
  std::int64_t past = 0;
  bool operator==(const Range&) const = default;
};

inline constexpr std::int64_t kNoTask = std::numeric_limits<std::int64_t>::max();
/// The first and the last task that read a file; others between them may. Without any, the last is before the first.
struct Readers {
  std::int64_t first = kNoTask;
  std::int64_t last = -1;
  bool operator==(const Readers&) const = default;
};

struct InputFile {
  std::string path;  ///< relative to the folder of the campaign file, as a task's pattern gives it
  std::string sha256;
  std::int64_t bytes = 0;
  std::int64_t begin = 0;  ///< of its first byte, among those of all files
  int mode = kPlainInput;  ///< on the clusters: input_mode()
  Readers readers = {};    ///< among the tasks with which the campaign was submitted
  bool operator==(const InputFile&) const = default;
};

/// The permissions that an input file has on the clusters: those to read and to execute that it has on its user's disk. Nobody may write,
/// as the tasks of a campaign share the file; its owner may read it.
[[nodiscard]] constexpr int input_mode(int mode) { return (mode & 0555) | 0400; }

/// 64 digits of lower-case hexadecimal.
[[nodiscard]] bool is_sha256(std::string_view text);

/// The error in the path of an input file. Empty: there is none. A path is relative, without `.` and `..`, and a line of text.
[[nodiscard]] std::optional<std::string> wrong_input_path(std::string_view path);

/// The greatest number of a word of the parameter that a pattern has, `{2}`; 0: it has none.
[[nodiscard]] std::size_t last_input_word(std::string_view pattern);
/// The path that a pattern gives a task: `data/{1}.bin` with the first word of its parameter. Missing words are empty.
[[nodiscard]] std::string input_path(std::string_view pattern, std::span<const std::string> words);

/// Reads a manifest, the list of a campaign's input files: lines `<SHA-256> <mode> <path>`, the mode as three octal digits, or as sha256sum
/// prints them, `<SHA-256>  <path>`, with the mode 444. The files are in the order of their paths, without sizes. Errors: a line that is
/// not of this form, a wrong path, a path twice, too many files.
[[nodiscard]] tl::expected<std::vector<InputFile>, std::string> read_manifest(std::string_view text);
[[nodiscard]] std::string manifest_of(std::span<const InputFile> files);

/// Sorts the files by their first readers, then by their paths, and sets where each begins. Returns the bytes of all.
std::int64_t place_inputs(std::vector<InputFile>& files);
/// The number of pieces of so many bytes.
[[nodiscard]] std::int64_t input_pieces(std::int64_t bytes);

/// The pieces of a campaign's input files that are on a cluster.
class InputsThere {
 public:
  /// @param files  must outlive this object, placed
  /// @param tasks  with which the campaign was submitted: it is known which files these read, and any other task needs all
  /// @param there  pieces; those that the files do not have are ignored
  InputsThere(std::span<const InputFile> files, std::int64_t tasks, std::span<const Range> there);

  void add(std::int64_t piece) { there_.at(static_cast<std::size_t>(piece)) = true; }
  [[nodiscard]] bool has(std::int64_t piece) const { return there_.at(static_cast<std::size_t>(piece)); }
  [[nodiscard]] bool is_complete() const;
  /// The pieces that these tasks lack, in their order.
  [[nodiscard]] std::vector<std::int64_t> missing_for(std::span<const Range> tasks) const;
  /// All that are not there.
  [[nodiscard]] std::vector<std::int64_t> missing() const;
  /// The tasks that lack pieces, whatever their state: ranges in their order, apart from each other.
  [[nodiscard]] std::vector<Range> lacking() const;
  /// Bytes of these pieces.
  [[nodiscard]] std::int64_t bytes_of(std::span<const std::int64_t> pieces) const;

 private:
  [[nodiscard]] bool lacks(const InputFile& file) const;

  std::span<const InputFile> files_;
  std::int64_t tasks_;
  std::int64_t bytes_ = 0;
  std::vector<bool> there_;
};
/// The same numbers, as ranges in their order. @param numbers  sorted, each once
[[nodiscard]] std::vector<Range> ranges_of(std::span<const std::int64_t> numbers);
/// The content of the file `index`.
[[nodiscard]] std::string input_index(std::span<const InputFile> files);

/// The folder of a campaign's input files on a cluster.
[[nodiscard]] std::string inputs_folder(const Epochs& epochs, CampaignId campaign);

}  // namespace gleaner::grid
