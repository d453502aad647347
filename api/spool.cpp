#include "api/spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "api/task_intake.hpp"
#include "lib/process/log.hpp"
#include "lib/process/values.hpp"
#include "lib/text/digest.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::api {
namespace {

constexpr std::size_t kInMemory = 128 * 1024;
constexpr std::size_t kPieceOfUpload = 64 * 1024;

http::Response no_room(std::string_view why) {
  auto response = error(Code::busy, fmt::format("{}: nothing was stored; try again in a moment", why));
  response.headers.add("Retry-After", "10");
  return response;
}

/// An unnamed file, which is freed when it is closed.
http::FileDescriptor nameless_file(const std::filesystem::path& folder) {
  http::FileDescriptor file{::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  if (file.valid() || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  auto pattern = (folder / "gridapi-XXXXXX").string();
  file = http::FileDescriptor{::mkostemp(pattern.data(), O_CLOEXEC)};
  if (file.valid()) ::unlink(pattern.c_str());
  return file;
}

std::optional<std::uint64_t> announced_size(const http::Request& request) {
  const auto header = request.headers.find("Content-Length");
  if (!header) return std::nullopt;
  const auto size = text::whole_number<std::uint64_t>(*header);
  return size ? std::optional{*size} : std::nullopt;
}

}  // namespace

Spool::Grown Spool::grow(const std::string& user, std::uint64_t bytes, std::uint64_t most, std::uint64_t in_all) {
  const std::lock_guard lock{mutex_};
  auto& own = of_user_[user];
  if (own + bytes > most) return Grown::too_much_of_user;
  if (taken_ + bytes > in_all) return Grown::too_much;
  own += bytes;
  taken_ += bytes;
  return Grown::yes;
}

void Spool::give_back(const std::string& user, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  taken_ -= bytes;
  auto& own = of_user_[user];
  own -= bytes;
  if (own == 0) of_user_.erase(user);
}

Upload::Upload(const Call& call, std::uint64_t of_user, Most most) : call_{call}, of_user_{of_user}, most_{most}, piece_(kPieceOfUpload) {}

Upload::~Upload() { call_.spool.give_back(call_.caller.user, taken_); }

Asked<void> Upload::receive_first_line() {
  if (auto fits = check_announced(); !fits) return fits;
  while (!first_line() && memory_.size() < kInMemory) {
    const auto more = receive_piece();
    if (!more) return tl::unexpected{more.error()};
    if (!*more) break;
  }
  return {};
}

std::optional<std::string_view> Upload::first_line() const {
  const auto end = memory_.find('\n');
  if (end != std::string::npos) return std::string_view{memory_}.substr(0, end);
  return ended_ && size_ == memory_.size() ? std::optional{std::string_view{memory_}} : std::nullopt;
}

Asked<void> Upload::receive_all() {
  if (auto fits = check_announced(); !fits) return fits;
  while (true) {
    const auto more = receive_piece();
    if (!more) return tl::unexpected{more.error()};
    if (!*more) return {};
  }
}

/// Refuses a body whose announced size is too large before any of it is read.
Asked<void> Upload::check_announced() const {
  if (announced_size(call_.request).value_or(0) > most_.bytes) return tl::unexpected{most_.answer(most_.bytes)};
  return {};
}

/// False: the body has ended.
Asked<bool> Upload::receive_piece() {
  if (ended_) return false;
  const auto size = call_.request.body->read(piece_);
  if (!size) return tl::unexpected{broken_body(size.error())};
  ended_ = *size == 0;
  if (auto kept = keep({piece_.data(), *size}); !kept) return tl::unexpected{kept.error()};
  return !ended_;
}

Asked<void> Upload::keep(std::string_view piece) {
  if (size_ + piece.size() > most_.bytes) return tl::unexpected{most_.answer(most_.bytes)};
  switch (call_.spool.grow(call_.caller.user, piece.size(), of_user_)) {
    case Spool::Grown::yes: break;
    case Spool::Grown::too_much_of_user:
      return tl::unexpected{no_room("you are sending other submissions now, and more at once than max_submission allows")};
    case Spool::Grown::too_much:
      process::log::warning("no room for a submission",
                            {{"user", call_.caller.user}, {"api_spool_size", process::format_size(call_.spool.bytes())}});
      return tl::unexpected{no_room("the API is receiving too many submissions now")};
  }
  taken_ += piece.size();
  size_ += piece.size();
  const auto head = std::min(piece.size(), kInMemory - std::min(kInMemory, memory_.size()));
  memory_ += piece.substr(0, head);
  return write(piece.substr(head));
}

Asked<void> Upload::write(std::string_view piece) {
  const auto failed = [&]() -> Asked<void> {
    process::log::error("submission cannot be kept", {{"api_spool", call_.spool.folder().string()}, {"why", std::strerror(errno)}});
    return tl::unexpected{no_room("the API has no room for a submission of this size now")};
  };
  if (piece.empty()) return {};
  if (!file_.valid()) file_ = nameless_file(call_.spool.folder());
  if (!file_.valid()) return failed();
  while (!piece.empty()) {
    const auto count = ::write(file_.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed();
    piece.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

tl::expected<std::size_t, http::BodyError> Upload::read(std::span<char> into) {
  if (read_ < memory_.size()) {
    const auto count = std::min<std::uint64_t>(into.size(), memory_.size() - read_);
    memory_.copy(into.data(), count, read_);
    read_ += count;
    return count;
  }
  if (read_ == size_) return 0;
  ssize_t count = 0;
  do count = ::pread(file_.get(), into.data(), into.size(), static_cast<off_t>(read_ - memory_.size()));
  while (count < 0 && errno == EINTR);
  if (count <= 0) return tl::unexpected{http::BodyError::broken};
  read_ += static_cast<std::uint64_t>(count);
  return static_cast<std::size_t>(count);
}

std::optional<std::uint64_t> Upload::digest() {
  text::Digest digest;
  read_ = 0;
  while (true) {
    const auto size = read(piece_);
    if (!size) return std::nullopt;
    if (*size == 0) break;
    for (const auto byte : std::span{piece_}.first(*size)) digest.add(static_cast<unsigned char>(byte));
  }
  read_ = 0;
  return digest.add(size_).value();
}

}  // namespace gleaner::api
