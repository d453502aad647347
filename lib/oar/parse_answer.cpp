#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lib/oar/client.hpp"
#include "lib/oar/json.hpp"
#include "lib/oar/oarsub_refusal.hpp"
#include "lib/oar/parse.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::oar {
namespace {

constexpr std::string_view kJobMark{"OAR_JOB_ID="};
constexpr std::string_view kArrayMark{"OAR_ARRAY_ID="};

Submitted submitted_of(const rapidjson::Value& answer, std::size_t expected) {
  const auto first = json::required_integer(answer, {"id"});
  const auto output = json::text(answer, {"cmd_output"});
  const auto numbers = marked_numbers(output, kJobMark);
  if (numbers.size() != expected) {
    throw json::Malformed(fmt::format("{} jobs were asked for, and the answer names {}", expected, numbers.size()));
  }
  if (std::ranges::find(numbers, first) == numbers.end()) {
    throw json::Malformed(fmt::format("the answer's id, {}, is not among its jobs", first));
  }
  auto sorted = numbers;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) {
    throw json::Malformed("the answer names a job twice");
  }
  const auto arrays = marked_numbers(output, kArrayMark);
  Submitted submitted;
  submitted.array = grid::RemoteJobId{arrays.empty() ? numbers.front() : arrays.front()};
  submitted.ids.reserve(numbers.size());
  std::ranges::transform(numbers, std::back_inserter(submitted.ids), [](std::int64_t id) { return grid::RemoteJobId{id}; });
  return submitted;
}

/// The text without what was encoded in it: OAR repeats the whole command in some refusals, before it says why.
std::string without_encoded(const std::string& text) {
  constexpr std::size_t kLongestWord = 80;
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto end =
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(),
                         [](unsigned char letter) {
                           return (letter < 0x80 && std::isalnum(letter) != 0) || letter == '+' || letter == '/' || letter == '=';
                         }) -
        text.begin();
    const auto length = static_cast<std::size_t>(end) - i;
    if (length > kLongestWord) result += "...";
    else result.append(text, i, std::max<std::size_t>(length, 1));
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

/// One line of limited length for a log.
std::string one_line(std::string text) {
  text = without_encoded(text);
  constexpr std::size_t kLongest = 600;
  std::ranges::replace_if(
      text, [](char letter) { return static_cast<unsigned char>(letter) < ' '; }, ' ');
  auto line = text::clean_text(text, {.most_bytes = kLongest});
  const auto last = line.find_last_not_of(' ');
  line.resize(last == std::string::npos ? 0 : last + 1);
  return text.size() > kLongest ? line + "..." : line;
}

/// The title of a web server's page, or the page's text.
std::string html_message(std::string_view body) {
  constexpr std::string_view kOpen{"<title>"};
  const auto open = body.find(kOpen);
  const auto close = body.find("</title>");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + kOpen.size()) {
    return std::string{body};
  }
  return std::string{body.substr(open + kOpen.size(), close - open - kOpen.size())};
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

Parsed<Submitted> parse_submission(std::string_view body, std::size_t expected) {
  try {
    return submitted_of(json::object(body), expected);
  } catch (const json::Malformed& error) {
    return tl::unexpected(std::string{error.what()});
  }
}

std::string parse_message(std::string_view body) {
  try {
    const auto object = json::object(body);
    const auto message = json::text(object, {"message", "title"});
    return message.empty() ? "no message" : message;
  } catch (const json::Malformed&) {
    constexpr std::size_t kEnough = 4096;
    auto text = one_line(html_message(json::to_utf8(body.substr(0, kEnough))));
    return text.empty() ? "no message" : text;
  }
}

Failure read_failure(int status, std::string message) {
  constexpr int kRequestTimeout = 408;
  constexpr int kTooManyRequests = 429;
  if (status >= 500 || status == kRequestTimeout || status == kTooManyRequests) {
    return ServerError{status, one_line(std::move(message))};
  }
  if (status >= 400) {
    return Refused{status, one_line(std::move(message))};
  }
  return NoAnswer{fmt::format("an answer {} where none belongs: {}", status, one_line(std::move(message)))};
}

Failure submission_failure(int status, std::string message) {
  if (!marked_numbers(message, kJobMark).empty()) {
    return ServerError{status, one_line(std::move(message))};
  }
  if (status >= 500 && proves_no_job(message)) {
    return Refused{status, one_line(std::move(message))};
  }
  return read_failure(status, std::move(message));
}

Result<Removal> removal_outcome(int status, std::string message) {
  if (status >= 200 && status < 300) {
    return Removal::accepted;
  }
  if (status != 400) {
    return tl::unexpected(read_failure(status, std::move(message)));
  }
  if (has(message, "Could not connect")) {
    return tl::unexpected(ServerError{status, one_line(std::move(message))});
  }
  if (has(message, "REGISTERED")) {
    return Removal::accepted;
  }
  if (has(message, "already killed") && !has(message, "not the right user")) {
    return Removal::already_over_or_asked;
  }
  return tl::unexpected(Refused{status, one_line(std::move(message))});
}

}  // namespace gleaner::oar
