// Files and folders of the users on OAR 2 (its /media).
#include <fmt/format.h>

#include <utility>

#include "lib/oar/dialects/oar2.hpp"

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

std::vector<Result<std::string>> Oar2::read_files(std::span<const PathOf> asked, const FilePart& part) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, path] : asked) {
    if (auto wrong = wrong_file(user, path)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      const auto target = media_path(path) + (part.last_lines ? fmt::format("?tail={}", *part.last_lines) : "");
      wanted.push_back(Request{Method::get, target, user, {}, part.patience, part.most_bytes});
    }
  }
  return requests_.send_some<std::string>(wanted, [](std::size_t /*place*/, const Result<Answer>& answer) { return content_of(answer); });
}

std::vector<Result<std::vector<std::string>>> Oar2::list_folders(std::span<const PathOf> asked) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, path] : asked) {
    if (auto wrong = wrong_file(user, path)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      wanted.push_back(Request{Method::get, listing_path(path), user, {}, {}, kLongestListing});
    }
  }
  return requests_.send_some<std::vector<std::string>>(
      wanted, [](std::size_t /*place*/, const Result<Answer>& answer) { return names_of(answer); });
}

std::vector<Result<void>> Oar2::write_files(std::span<const FileOf> files) {
  return requests_.send_some<void>(posts_of(files, replacing_path),
                                   [](std::size_t /*place*/, const Result<Answer>& answer) { return success_of(answer); });
}

std::vector<Result<void>> Oar2::create_files(std::span<const FileOf> files) {
  constexpr int kForbidden = 403;
  return requests_.send_some<void>(posts_of(files, media_path), [](std::size_t /*place*/, const Result<Answer>& answer) {
    if (answer && answer->status == kForbidden && parse_message(answer->body) == "The file already exists") return Result<void>{};
    return success_of(answer);
  });
}

std::vector<Result<void>> Oar2::delete_paths(std::span<const PathOf> asked) {
  std::vector<Result<Request>> wanted;
  for (const auto& [user, path] : asked) {
    if (auto wrong = wrong_file(user, path)) {
      wanted.push_back(refused_here(std::move(*wrong)));
    } else {
      wanted.push_back(Request{Method::remove, media_path(path), user, {}});
    }
  }
  return requests_.send_some<void>(wanted, [](std::size_t /*place*/, const Result<Answer>& answer) { return success_of(answer); });
}

Result<void> Oar2::find_folder(std::string_view user, std::string_view path) {
  const PathOf folder{std::string{user}, std::string{path}};
  const auto names = std::move(list_folders({&folder, 1}).front());
  return names ? Result<void>{} : Result<void>{tl::unexpected(names.error())};
}

/// One listing has the evidence of all runs; how long it takes is bounded by the limits of a request.
std::vector<Result<Traces>> Oar2::evidence(std::span<const FenceOf> asked, std::chrono::milliseconds /*patience*/) {
  std::vector<PathOf> folders;
  for (const auto& fence : asked) folders.push_back(fence.folder);
  std::vector<Result<Traces>> found;
  for (auto& names : list_folders(folders)) {
    if (names) found.emplace_back(Traces{std::move(*names)});
    else found.emplace_back(tl::unexpected(names.error()));
  }
  return found;
}

}  // namespace gleaner::oar
