#include "lib/oar/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/oar/answers.hpp"
#include "lib/oar/dialects/g5k_text.hpp"
#include "lib/oar/dialects/oar3_text.hpp"
#include "lib/oar/request_text.hpp"
#include "lib/oar/transport.hpp"
#include "lib/text/percent.hpp"

namespace gleaner::oar {
namespace {

constexpr std::size_t kLongestFileListing = std::size_t{8} << 20;
constexpr int kTries = 2;  // OAR's processes end after an error of their own, and the web server then fails for a moment
/// OAR reads a file whole before it sends the first byte of it.
constexpr std::chrono::milliseconds kSilence{60'000};

std::optional<std::string> wrong_place(std::string_view user, std::string_view path) {
  auto wrong = wrong_user(user);
  return wrong ? wrong : wrong_path(path);
}

Parsed<std::string> media_target(const Access& access, std::string_view user, std::string_view path) {
  if (access.api == Api::oar2) return media_path(path);
  return oar3::absolute_path(path, user, access.homes).map([](const std::string& full) {
    return "/media?path_filename=" + text::percent_encoded(full, "/-_.");
  });
}

bool is_failure_of_server(int status) {
  constexpr int kServerErrors = 500;
  return status >= kServerErrors;
}

/// The failure that an answer with another status than 200 means. A missing file has a meaning for the callers, so only OAR itself may
/// report it.
Failure refusal_of(const Access& access, const Answer& answer) {
  if (access.api == Api::oar3 && !wrong_type(answer)) return read_failure(answer.status, oar3::message_of(answer.body));
  if (const auto wrong = wrong_type(answer)) return NoAnswer{fmt::format("/media: {}", *wrong)};
  return read_failure(answer.status, parse_message(answer.body));
}

}  // namespace

Result<std::vector<ListedFile>> list_files(const Access& access, const Limits& limits, std::string_view user, std::string_view path) {
  if (auto wrong = wrong_place(user, path)) return refused_here(std::move(*wrong));
  if (access.api == Api::g5k) return refused_here(std::string{g5k::kNoFiles});
  if (access.api == Api::oar3) return refused_here("the API of OAR 3 lists no folder, so the files that tasks left there are not known");
  Transport transport{access, limits};
  const Request request{Method::get, listing_path(path), std::string{user}, {}, {}, kLongestFileListing};
  Result<Answer> answer = tl::unexpected(Failure{NotSent{"not tried"}});
  for (int attempt = 0; attempt < kTries; ++attempt) {
    answer = std::move(transport.send({&request, 1}).front());
    if (!answer || !is_failure_of_server(answer->status)) break;
  }
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != kOk) return tl::unexpected(refusal_of(access, *answer));
  if (const auto wrong = wrong_type(*answer)) return nonsense("/media/ls", *wrong);
  if (answer->body.size() >= kLongestFileListing) return nonsense("/media/ls", "the folder has too many files to be listed");
  auto files = parse_file_listing(answer->body);
  if (!files) return nonsense("/media/ls", files.error());
  return std::move(*files);
}

struct FileStream::Parts {
  Parts(const Access& access, const Limits& limits, Request request) : download{access, limits, std::move(request), kSilence} {}
  Transport::Download download;
  std::string first;
};

FileStream::FileStream(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}
FileStream::~FileStream() = default;
FileStream::FileStream(FileStream&&) noexcept = default;

Result<FileStream> FileStream::open(const Access& access, const Limits& limits, std::string_view user, std::string_view path) {
  if (auto wrong = wrong_place(user, path)) return refused_here(std::move(*wrong));
  constexpr std::size_t kMostMessage = std::size_t{64} << 10;
  const auto target = media_target(access, user, path);
  if (!target) return refused_here(target.error());
  Failure failure = NotSent{"not tried"};
  for (int attempt = 0; attempt < kTries; ++attempt) {
    auto parts = std::make_unique<Parts>(access, limits, Request{Method::get, *target, std::string{user}, {}});
    auto bytes = parts->download.next();
    if (!bytes) return tl::unexpected(bytes.error());
    if (parts->download.status() == kOk) {
      parts->first = std::move(*bytes);
      return FileStream{std::move(parts)};
    }
    Answer answer{.status = parts->download.status(), .content_type = parts->download.content_type(), .body = {}, .clock_ahead = {}};
    while (bytes && !bytes->empty() && answer.body.size() < kMostMessage) {
      answer.body += *bytes;
      bytes = parts->download.next();
    }
    failure = refusal_of(access, answer);
    if (!is_failure_of_server(answer.status)) break;
  }
  return tl::unexpected(std::move(failure));
}

Result<std::string> FileStream::next() {
  if (!parts_->first.empty()) return std::exchange(parts_->first, {});
  return parts_->download.next();
}

}  // namespace gleaner::oar
