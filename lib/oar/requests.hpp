#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "lib/oar/answers.hpp"
#include "lib/oar/client.hpp"
#include "lib/oar/dialect.hpp"
#include "lib/oar/pages.hpp"
#include "lib/oar/parse.hpp"
#include "lib/oar/request_text.hpp"
#include "lib/oar/transport.hpp"

/// The requests of a dialect, and how their answers are read. For lib/oar/client.cpp and lib/oar/dialects only.
namespace gleaner::oar {

/// Parses a GET's JSON.
template <class Parse>
auto value_of(std::string_view path, const Result<Answer>& answer, Parse parse)
    -> Result<typename std::invoke_result_t<Parse, std::string_view>::value_type> {
  if (!answer) {
    return tl::unexpected(answer.error());
  }
  if (answer->status != kOk) {
    return tl::unexpected(read_failure(answer->status, parse_message(answer->body)));
  }
  if (const auto wrong = wrong_type(*answer)) {
    return nonsense(path, *wrong);
  }
  auto parsed = parse(answer->body);
  if (!parsed) {
    return nonsense(path, parsed.error());
  }
  return std::move(*parsed);
}

/// Whether the web server failed, not OAR, whose errors are JSON. Apache does so when the process that it passed the request to was just
/// ending, which OAR's processes do after an error of their own.
inline bool worth_another_try(const Request& request, const Result<Answer>& answer) {
  constexpr int kServerErrors = 500;
  return request.method == Method::get && answer && answer->status >= kServerErrors && wrong_type(*answer);
}

inline std::string query_with(const std::string& path, std::size_t limit, std::size_t offset) {
  const char* const separator = path.find('?') == std::string::npos ? "?" : "&";
  return fmt::format("{}{}limit={}&offset={}", path, separator, limit, offset);
}

inline std::int64_t number_of(const RemoteJob& job) { return job.id.value(); }
inline std::int64_t number_of(const ResourceLine& line) { return line.id; }

class Requests {
 public:
  Requests(Access access, Limits limits)
      : access_{std::move(access)}, limits_{limits_for(access_.api, limits)}, transport_{access_, limits_} {}

  /// A whole list, page by page.
  template <class T, class Parse>
  Result<std::vector<T>> list(const std::string& path, Parse parse) {
    return list_by<T>(path, [&](const std::string& page) { return value_of(path, get(page, access_.reader), parse); });
  }

  /// The same with pages that `read` asks for.
  template <class T, class Read>
  Result<std::vector<T>> list_by(const std::string& path, Read read) {
    std::map<std::int64_t, T> known;
    Paging paging{static_cast<std::size_t>(std::max(limits_.page, 1))};
    for (auto next = Paging::Next::more; next != Paging::Next::finished;) {
      Result<Page<T>> page = read(query_with(path, paging.limit(), paging.offset()));
      if (!page && is_too_long(page.error()) && paging.ask_for_less()) {
        continue;
      }
      if (!page) {
        return tl::unexpected(page.error());
      }
      next = take(paging, std::move(*page), known);
      if (next == Paging::Next::lost) {
        return nonsense(path, "the pages of this list make no sense together");
      }
    }
    return values(std::move(known));
  }

  Result<Answer> get(std::string path, std::string user, std::optional<std::chrono::milliseconds> patience = {}) {
    const Request request{Method::get, std::move(path), std::move(user), {}, patience};
    return std::move(send({&request, 1}).front());
  }

  std::vector<Result<Answer>> send(std::span<const Request> requests) {
    auto answers = transport_.send(requests);
    for (std::size_t place = 0; place < answers.size(); ++place) {
      if (worth_another_try(requests[place], answers[place])) {
        answers[place] = std::move(transport_.send(requests.subspan(place, 1)).front());
      }
    }
    for (const auto& answer : answers) {
      if (answer && answer->clock_ahead) {
        clock_ahead_ = *answer->clock_ahead;
      }
    }
    return answers;
  }

  /// Sends the requests that are valid, and returns the answers in the order of all requests: one that was refused here has its failure at
  /// once.
  template <class T, class Read>
  std::vector<Result<T>> send_some(const std::vector<Result<Request>>& wanted, Read read) {
    std::vector<Request> requests;
    for (const auto& request : wanted) {
      if (request) {
        requests.push_back(*request);
      }
    }
    const auto answers = send(requests);
    std::vector<Result<T>> results;
    for (std::size_t place = 0, sent = 0; place < wanted.size(); ++place) {
      if (wanted[place]) {
        results.push_back(read(place, answers[sent++]));
      } else {
        results.push_back(tl::unexpected(wanted[place].error()));
      }
    }
    return results;
  }

  [[nodiscard]] const Access& access() const { return access_; }
  [[nodiscard]] const Transport& transport() const { return transport_; }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] std::chrono::seconds clock_ahead() const { return clock_ahead_; }

  template <class T>
  static std::vector<T> values(std::map<std::int64_t, T> known) {
    std::vector<T> all;
    all.reserve(known.size());
    for (auto& [id, item] : known) {
      all.push_back(std::move(item));
    }
    return all;
  }

 private:
  template <class T>
  static Paging::Next take(Paging& paging, Page<T> page, std::map<std::int64_t, T>& known) {
    std::vector<std::int64_t> ids;
    for (auto& item : page.items) {
      ids.push_back(number_of(item));
      known.insert_or_assign(ids.back(), std::move(item));
    }
    return paging.take(ids, page.total);
  }

  Access access_;
  Limits limits_;
  Transport transport_;
  std::chrono::seconds clock_ahead_{0};
};

}  // namespace gleaner::oar
