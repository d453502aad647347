// Files and folders of the users (OAR's /media).
#include <fmt/format.h>

#include <utility>

#include "lib/oar/requests.hpp"

namespace gleaner::oar {
namespace {

/// A missing file has a meaning for the callers, so only OAR itself may report it.
Result<std::string> content_of(const Result<Answer>& answer) {
  if (!answer) {
    return tl::unexpected(answer.error());
  }
  if (answer->status != kOk) {
    constexpr int kServerErrors = 500;
    if (const auto wrong = answer->status < kServerErrors ? wrong_type(*answer) : std::nullopt) return nonsense("/media", *wrong);
    return tl::unexpected(read_failure(answer->status, parse_message(answer->body)));
  }
  return answer->body;
}

/// A missing folder has a meaning for the callers, so only OAR itself may report it.
Result<std::vector<std::string>> names_of(const Result<Answer>& answer) {
  if (answer && answer->status != kOk) {
    if (const auto wrong = wrong_type(*answer)) {
      return nonsense("/media/ls", *wrong);
    }
  }
  return value_of("/media/ls", answer, parse_listing);
}

std::optional<std::string> wrong_file(std::string_view user, std::string_view path) {
  auto wrong = wrong_user(user);
  return wrong ? wrong : wrong_path(path);
}

Result<void> success_of(const Result<Answer>& answer) {
  if (!answer) return tl::unexpected(answer.error());
  if (!is_success(answer->status)) return tl::unexpected(read_failure(answer->status, parse_message(answer->body)));
  return {};
}

/// The requests that write these files, each at the path that `path_of` makes of its own.
std::vector<Result<Request>> posts_of(std::span<const FileOf> files, std::string (*path_of)(std::string_view)) {
  std::vector<Result<Request>> wanted;
  for (const auto& [place, content] : files) {
    if (auto wrong = wrong_file(place.user, place.path)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      wanted.push_back(Request{.method = Method::post,
                               .path = path_of(place.path),
                               .user = place.user,
                               .body = content,
                               .body_type = "application/octet-stream"});
    }
  }
  return wanted;
}

/// In bytes: some 100 000 names. A longer listing is cut there, and is then invalid JSON.
constexpr std::size_t kLongestListing = std::size_t{16} << 20;

}  // namespace

Result<std::string> Client::read_file(std::string_view user, std::string_view path, const FilePart& part) {
  const PathOf file{std::string{user}, std::string{path}};
  return std::move(read_files({&file, 1}, part).front());
}

std::vector<Result<std::string>> Client::read_files(std::span<const PathOf> asked, const FilePart& part) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, path] : asked) {
    if (auto wrong = wrong_file(user, path)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      const auto target = media_path(path) + (part.last_lines ? fmt::format("?tail={}", *part.last_lines) : "");
      wanted.push_back(Request{Method::get, target, user, {}, part.patience, part.most_bytes});
    }
  }
  return implementation_->send_some<std::string>(wanted,
                                                 [](std::size_t /*place*/, const Result<Answer>& answer) { return content_of(answer); });
}

Result<std::vector<std::string>> Client::list_folder(std::string_view user, std::string_view path) {
  const PathOf folder{std::string{user}, std::string{path}};
  return std::move(list_folders({&folder, 1}).front());
}

std::vector<Result<std::vector<std::string>>> Client::list_folders(std::span<const PathOf> asked) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, path] : asked) {
    if (auto wrong = wrong_file(user, path)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      wanted.push_back(Request{Method::get, listing_path(path), user, {}, {}, kLongestListing});
    }
  }
  return implementation_->send_some<std::vector<std::string>>(
      wanted, [](std::size_t /*place*/, const Result<Answer>& answer) { return names_of(answer); });
}

std::vector<Result<void>> Client::write_files(std::span<const FileOf> files) {
  return implementation_->send_some<void>(posts_of(files, replacing_path),
                                          [](std::size_t /*place*/, const Result<Answer>& answer) { return success_of(answer); });
}

std::vector<Result<void>> Client::create_files(std::span<const FileOf> files) {
  constexpr int kForbidden = 403;
  return implementation_->send_some<void>(posts_of(files, media_path), [](std::size_t /*place*/, const Result<Answer>& answer) {
    if (answer && answer->status == kForbidden && parse_message(answer->body) == "The file already exists") return Result<void>{};
    return success_of(answer);
  });
}

Result<void> Client::delete_path(std::string_view user, std::string_view path) {
  const PathOf one{std::string{user}, std::string{path}};
  return std::move(delete_paths({&one, 1}).front());
}

std::vector<Result<void>> Client::delete_paths(std::span<const PathOf> asked) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, path] : asked) {
    if (auto wrong = wrong_file(user, path)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      wanted.push_back(Request{Method::remove, media_path(path), user, {}});
    }
  }
  return implementation_->send_some<void>(wanted, [](std::size_t /*place*/, const Result<Answer>& answer) { return success_of(answer); });
}

}  // namespace gleaner::oar
