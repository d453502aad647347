#include "lib/oar/answers.hpp"

#include <fmt/format.h>

#include "lib/oar/parse.hpp"

namespace gleaner::oar {
bool is_before_oar(int status) {
  constexpr int kUnauthorized = 401, kBodyTooLarge = 413, kAddressTooLong = 414, kHeadersTooLarge = 431;
  return status == kUnauthorized || status == kBodyTooLarge || status == kAddressTooLong || status == kHeadersTooLarge;
}

tl::unexpected<Failure> refused_here(std::string why) { return tl::unexpected(Failure{Refused{0, std::move(why)}}); }

tl::unexpected<Failure> nonsense(std::string_view what, const std::string& why) {
  return tl::unexpected(Failure{NoAnswer{.what = fmt::format("{}: {}", what, why), .invalid = true}});
}

std::optional<std::string> wrong_type(const Answer& answer) {
  constexpr std::string_view kJson{"application/json"};
  if (answer.content_type.starts_with(kJson)) {
    return std::nullopt;
  }
  return fmt::format("the answer is '{}', not JSON: {}", answer.content_type, parse_message(answer.body));
}

Result<Submitted> submitted_of(const Result<Answer>& answer, std::size_t expected) {
  if (!answer) {
    return tl::unexpected(answer.error());
  }
  if (!is_success(answer->status)) {
    constexpr int kRefusals = 400, kServerErrors = 500;
    const bool is_refusal = answer->status >= kRefusals && answer->status < kServerErrors && !is_before_oar(answer->status);
    if (const auto wrong = is_refusal ? wrong_type(*answer) : std::nullopt)
      return tl::unexpected(Failure{NoAnswer{.what = fmt::format("POST /jobs: {}: {}", answer->status, *wrong)}});
    return tl::unexpected(submission_failure(answer->status, parse_message(answer->body)));
  }
  if (answer->status != kCreated && answer->status != kOk) {
    return nonsense("POST /jobs", fmt::format("an answer {} where none belongs", answer->status));
  }
  if (const auto wrong = wrong_type(*answer)) {
    return nonsense("POST /jobs", *wrong);
  }
  auto submitted = parse_submission(answer->body, expected);
  if (!submitted) {
    return nonsense("POST /jobs", submitted.error());
  }
  return std::move(*submitted);
}

Result<Removal> removal_of(const Result<Answer>& answer) {
  if (!answer) {
    return tl::unexpected(answer.error());
  }
  if (is_success(answer->status)) {
    if (const auto wrong = wrong_type(*answer)) {
      return nonsense("deletion", *wrong);
    }
  }
  return removal_outcome(answer->status, parse_message(answer->body));
}

Result<void> signalled_of(const Result<Answer>& answer) {
  if (!answer) {
    return tl::unexpected(answer.error());
  }
  if (!is_success(answer->status)) {
    return tl::unexpected(read_failure(answer->status, parse_message(answer->body)));
  }
  if (const auto wrong = wrong_type(*answer)) {
    return nonsense("signal", *wrong);
  }
  return {};
}

}  // namespace gleaner::oar
