#pragma once
#include "lib/oar/dialects/oar3.hpp"

/// How the answers of OAR 3 are read. For the .cpp files of this dialect.
namespace gleaner::oar {
namespace oar3 {

[[nodiscard]] inline bool is_server_error(const Answer& answer) {
  constexpr int kServerErrors = 500;
  return answer.status >= kServerErrors;
}

[[nodiscard]] inline Failure failure_of(const Answer& answer) { return read_failure(answer.status, message_of(answer.body)); }

}  // namespace oar3

template <class Parse>
auto Oar3::value(std::string_view path, const Result<Answer>& answer, Parse parse)
    -> Result<typename std::invoke_result_t<Parse, std::string_view>::value_type> {
  if (!answer) return tl::unexpected(answer.error());
  if (oar3::is_server_error(*answer)) return tl::unexpected(diagnosed(*answer));
  if (answer->status != kOk) return tl::unexpected(oar3::failure_of(*answer));
  if (const auto wrong = wrong_type(*answer)) return nonsense(path, *wrong);
  auto parsed = parse(answer->body);
  if (!parsed) return nonsense(path, parsed.error());
  return std::move(*parsed);
}

template <class T, class Parse>
Result<std::vector<T>> Oar3::list(const std::string& path, Parse parse) {
  constexpr int kNotFound = 404;
  return requests_.list_by<T>(path, [&](const std::string& page) -> Result<Page<T>> {
    const auto answer = read(page, {});
    // The list became shorter than the page's offset: it is empty there.
    const bool is_past_end = answer && answer->status == kNotFound && page.find("&offset=0") == std::string::npos &&
                             oar3::message_of(answer->body) == "Empty request";
    if (is_past_end) return Page<T>{};
    return value(path, answer, parse);
  });
}

}  // namespace gleaner::oar
