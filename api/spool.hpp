#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "api/call.hpp"
#include "lib/http/file_descriptor.hpp"
#include "lib/http/message.hpp"

namespace gleaner::api {

/// Counts the disk space of arriving submissions, in total and by user. Thread-safe.
class Spool {
 public:
  Spool(std::filesystem::path folder, std::uint64_t bytes) : folder_{std::move(folder)}, bytes_{bytes} {}
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  enum class Grown { yes, too_much_of_user, too_much };
  /// @param most  bytes that the user may have at once
  [[nodiscard]] Grown grow(const std::string& user, std::uint64_t bytes, std::uint64_t most) { return grow(user, bytes, most, bytes_); }
  /// @param in_all  bytes that all users may have at once
  [[nodiscard]] Grown grow(const std::string& user, std::uint64_t bytes, std::uint64_t most, std::uint64_t in_all);
  void give_back(const std::string& user, std::uint64_t bytes);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  const std::filesystem::path folder_;
  const std::uint64_t bytes_;
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> of_user_;
  std::uint64_t taken_ = 0;
};

/// The body of a submission. It is received whole before a transaction begins, so that no transaction waits for a client: a small one in
/// memory, a larger one in an unnamed file. Then it is read like a body.
class Upload final : public http::Body {
 public:
  /// The most bytes of the body, and the answer to a longer one.
  struct Most {
    std::uint64_t bytes;
    http::Response (*answer)(std::uint64_t most);
  };
  /// @param of_user  bytes that the caller may send at once, other submissions included
  Upload(const Call& call, std::uint64_t of_user, Most most);
  ~Upload() override;
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  /// Receives the first line, or as much of it as fits in memory.
  [[nodiscard]] Asked<void> receive_first_line();
  /// The first line. Empty: it is not wholly in memory.
  [[nodiscard]] std::optional<std::string_view> first_line() const;
  /// Receives the rest.
  [[nodiscard]] Asked<void> receive_all();
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool is_whole() const { return ended_; }

  /// A number for the whole body, after receive_all(); the body is read from its beginning again. Empty: it cannot be read.
  [[nodiscard]] std::optional<std::uint64_t> digest();

  /// The next bytes, after receive_all().
  [[nodiscard]] tl::expected<std::size_t, http::BodyError> read(std::span<char> into) override;

 private:
  [[nodiscard]] Asked<void> check_announced() const;
  [[nodiscard]] Asked<bool> receive_piece();
  [[nodiscard]] Asked<void> keep(std::string_view piece);
  [[nodiscard]] Asked<void> write(std::string_view piece);

  const Call& call_;
  const std::uint64_t of_user_;
  const Most most_;
  std::vector<char> piece_;
  std::string memory_;         ///< the beginning of the body
  http::FileDescriptor file_;  ///< the rest, if any
  std::uint64_t size_ = 0;
  std::uint64_t taken_ = 0;  ///< bytes taken from the spool
  std::uint64_t read_ = 0;
  bool ended_ = false;
};

}  // namespace gleaner::api
