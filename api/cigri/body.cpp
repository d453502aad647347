#include "api/cigri/body.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "api/task_intake.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api::cigri {
namespace {

constexpr std::string_view kMethod{"_method"};
constexpr std::string_view kBlanks{" \t\r\n"};

/// The method that a form asks for, instead of POST.
Asked<std::string> method_of(const http::Query& form, const std::string& method) {
  const auto field = std::ranges::find(form, kMethod, &http::Query::value_type::first);
  if (field == form.end()) return method;
  if (method != "POST")
    return tl::unexpected{error(Code::bad_value, fmt::format("_method is for POST, and this is {}", jdl::excerpt(method)))};
  std::string asked = field->second;
  std::ranges::transform(asked, asked.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  if (asked != "PUT" && asked != "DELETE" && asked != "POST")
    return tl::unexpected{error(Code::bad_value, fmt::format("_method={}: it is PUT, DELETE or POST", jdl::excerpt(field->second)))};
  return asked;
}

Asked<void> check_once(const http::Query& form) {
  std::set<std::string_view> names;
  for (const auto& [name, value] : form) {
    if (!names.insert(name).second) return tl::unexpected{error(Code::bad_value, fmt::format("the form has {} twice", jdl::excerpt(name)))};
  }
  return {};
}

std::string json_of(const http::Query& form) {
  text::JsonWriter json;
  json.object([&] {
    for (const auto& [name, value] : form) json.field(name, value);
  });
  return json.text();
}

Asked<Received> read_form(const http::Request& request, std::string text, bool has_more) {
  if (has_more) {
    auto rest = request.body->read_all(kLongestForm);
    if (!rest) return tl::unexpected{broken_body(rest.error())};
    text += *rest;
  }
  if (text.size() > kLongestForm) return tl::unexpected{broken_body(http::BodyError::too_large)};
  auto form = http::parse_query(text);
  if (auto once = check_once(form); !once) return tl::unexpected{std::move(once.error())};
  auto method = method_of(form, request.method);
  if (!method) return tl::unexpected{std::move(method.error())};
  std::erase_if(form, [](const auto& field) { return field.first == kMethod; });
  Received received{.method = std::move(*method), .query = request.query, .body = {}};
  if (received.method == "DELETE") {
    received.query.insert(received.query.end(), form.begin(), form.end());
    received.body = std::make_unique<ContinuedBody>(std::string{}, nullptr);
  } else {
    received.body = std::make_unique<ContinuedBody>(json_of(form), nullptr);
  }
  return received;
}

/// A body of the content type of forms.
Asked<Received> read_form_or_json(const http::Request& request) {
  std::array<char, 4096> piece{};
  std::string text;
  while (text.size() <= kLongestForm) {
    const auto got = request.body->read(piece);
    if (!got) return tl::unexpected{broken_body(got.error())};
    text.append(piece.data(), *got);
    const auto first = text.find_first_not_of(kBlanks);
    if (*got == 0) return read_form(request, std::move(text), false);
    if (first == std::string::npos) continue;
    if (text[first] != '{' && text[first] != '[') return read_form(request, std::move(text), true);
    return Received{request.method, request.query, std::make_unique<ContinuedBody>(std::move(text), request.body)};
  }
  return tl::unexpected{broken_body(http::BodyError::too_large)};
}

}  // namespace

tl::expected<std::size_t, http::BodyError> ContinuedBody::read(std::span<char> into) {
  if (read_ == first_.size()) {
    if (rest_ == nullptr) return std::size_t{0};
    return rest_->read(into);
  }
  const auto size = std::min(into.size(), first_.size() - read_);
  std::copy_n(first_.data() + read_, size, into.data());
  read_ += size;
  return size;
}

Asked<Received> receive(const http::Request& request) {
  const bool has_body = request.method == "POST" || request.method == "PUT";
  const auto header = request.headers.find("Content-Type");
  const auto type = header ? header->substr(0, header->find_first_of("; ")) : std::string_view{"application/json"};
  if (!has_body || type == "application/json") return Received{request.method, request.query, nullptr};
  if (type == "application/x-www-form-urlencoded") return read_form_or_json(request);
  return tl::unexpected{
      error(Code::wrong_media_type,
            fmt::format("'{}' is not taken here: send application/json or application/x-www-form-urlencoded", jdl::excerpt(type)))};
}

}  // namespace gleaner::api::cigri
