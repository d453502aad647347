#include "api/secret.hpp"

#include <sys/random.h>

#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <rapidjson/document.h>

#include "api/task_intake.hpp"

namespace gleaner::api {

std::string new_secret() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error{"there are no random numbers"};
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

Asked<std::string> secret_of_body(const Call& call, std::string_view name, std::size_t most) {
  const auto body = call.request.body->read_all(most);
  if (!body) return tl::unexpected{broken_body(body.error())};
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(body->data(), body->size());
  if (document.HasParseError() || !document.IsObject())
    return tl::unexpected{error(Code::bad_input, fmt::format(R"(the body is no JSON object such as {{"{}": "..."}})", name))};
  std::optional<std::string> secret;
  for (const auto& member : document.GetObject()) {
    if (std::string_view{member.name.GetString(), member.name.GetStringLength()} != name)
      return tl::unexpected{error(Code::unknown_key, fmt::format("the body has another key than '{}'", name))};
    if (!member.value.IsString()) return tl::unexpected{error(Code::bad_value, fmt::format("{}: its value is no string", name))};
    secret.emplace(member.value.GetString(), member.value.GetStringLength());
  }
  if (!secret) return tl::unexpected{error(Code::bad_value, fmt::format("{}: it is missing", name))};
  return std::move(*secret);
}

}  // namespace gleaner::api
