#include "api/etag.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lib/jdl/problem.hpp"
#include "lib/text/digest.hpp"

namespace gleaner::api {
namespace {

/// Bytes. A larger answer costs more than its transfer saves, and is hardly asked for twice.
constexpr std::size_t kMostTagged = std::size_t{4} << 20U;

/// The end of the ETag of a text with gzip's coding.
constexpr std::string_view kGzipMark{"-gzip"};

bool only_reads(const http::Request& request) { return request.method == "GET" || request.method == "HEAD"; }

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// Removes the first element of a list. An ETag may have commas between its quotes.
std::string_view take_element(std::string_view& list) {
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < list.size() && (is_quoted || list[end] != ','); ++end) {
    if (list[end] == '"') is_quoted = !is_quoted;
  }
  const auto element = without_blanks(list.substr(0, end));
  list.remove_prefix(std::min(end + 1, list.size()));
  return element;
}

/// Whether an element is this ETag, or that of its text with gzip's coding.
bool is_of_same_text(std::string_view element, std::string_view etag) {
  if (element == etag) return true;
  if (!etag.ends_with('"') || !element.ends_with('"')) return false;
  etag.remove_suffix(1);
  element.remove_suffix(1);
  return element.starts_with(etag) && element.substr(etag.size()) == kGzipMark;
}

}  // namespace

Layout layout_of(const http::Request& request) { return flag(request, "pretty") ? Layout::pretty : Layout::plain; }

std::string etag_of(std::string_view text, Layout layout, Coding coding) {
  return fmt::format("\"{:016x}{}{}\"", text::Digest{}.add(text).value(), layout == Layout::pretty ? "-pretty" : "",
                     coding == Coding::gzip ? kGzipMark : "");
}

bool names_etag(std::string_view list, std::string_view etag, Comparison comparison) {
  if (without_blanks(list) == "*") return true;
  while (!list.empty()) {
    auto one = take_element(list);
    const bool is_weak = one.starts_with("W/");
    if (is_weak) one.remove_prefix(2);
    if (is_of_same_text(one, etag) && (comparison == Comparison::weak || !is_weak)) return true;
  }
  return false;
}

void add_etag(const http::Request& request, http::Response& response, Coding coding) {
  const bool is_whole = !response.stream && !response.pass_on && response.body.size() <= kMostTagged;
  if (!only_reads(request) || response.status != 200 || !is_whole) return;
  // A browser keeps the policy of the page that it has, which would outlive a change of the configuration.
  std::string with_policy;
  if (const auto policy = response.headers.find("Content-Security-Policy")) with_policy = fmt::format("{}\n{}", *policy, response.body);
  const std::string_view text = with_policy.empty() ? response.body : with_policy;
  auto etag = etag_of(text, layout_of(request), coding);
  const auto known = request.headers.list("If-None-Match");
  if (known && names_etag(*known, etag_of(text, layout_of(request)), Comparison::weak)) {
    response = {};
    response.status = 304;
  }
  response.headers.add("ETag", std::move(etag));
  response.headers.add("Cache-Control", "private, no-cache");
}

std::optional<http::Response> refuse_conditions(const http::Request& request, const Route& route) {
  if (only_reads(request)) return std::nullopt;
  const auto refuse = [&](std::string_view header, std::string_view remedy) {
    return error(Code::bad_value, fmt::format("{} is not compared by {} {}, and nothing was done: {}", header, route.method,
                                              jdl::excerpt(request.path), remedy));
  };
  if (route.etag != Etag::compared && request.headers.find("If-Match")) return refuse("If-Match", "only PUT /v1/campaigns/ID takes it");
  if (request.headers.find("If-None-Match")) return refuse("If-None-Match", "only GET takes it");
  return std::nullopt;
}

}  // namespace gleaner::api
