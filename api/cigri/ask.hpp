#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <rapidjson/document.h>

#include "api/limits.hpp"

/// Questions to our routes, and their answers in CiGri's form.
namespace gleaner::api::cigri {

/// A question to one of our routes.
struct Question {
  std::string_view method;
  std::string path;  ///< encoded, below the version of our API: `/campaigns/3`
  http::Query query{};
  std::string_view doing{};  ///< the beginning of the message of a refusal
  std::string body{};        ///< JSON
};

/// An answer of our routes.
struct Ours {
  rapidjson::Document json;
  Memory memory;  ///< null: of a change, which takes none
};

/// Asks as the same caller. Error: what our route refuses, in CiGri's form.
[[nodiscard]] Asked<Ours> ask(const Call& call, const Question& question);
/// The same with the body of the request, which is JSON.
[[nodiscard]] Asked<Ours> forward(const Call& call, const Question& question);

/// All clusters.
[[nodiscard]] Asked<Ours> ask_clusters(const Call& call);

/// `{"status","title","message"}`; the title is CiGri's.
[[nodiscard]] http::Response refusal(unsigned status, std::string_view message);
/// A refusal of ours with CiGri's status, title and message.
[[nodiscard]] http::Response translated_refusal(const Caller& caller, const http::Response& ours, std::string_view doing = {});
/// 202 or 201, `{"status","title","message"}`.
[[nodiscard]] http::Response acknowledgement(unsigned status, std::string_view title, std::string_view message);

/// `write` adds the members of CiGri's answer, from ours.
template <class Write>
[[nodiscard]] http::Response translated(Asked<Ours> ours, Write&& write, unsigned status = 200) {
  if (!ours) return std::move(ours.error());
  text::JsonWriter json;
  json.object([&] { write(json, std::as_const(ours->json)); });
  auto response = answer(status, json.text());
  return ours->memory ? with_memory(std::move(response), std::move(ours->memory)) : response;
}

// Members of our answers.

/// Null, if there is no such member.
[[nodiscard]] const rapidjson::Value& member(const rapidjson::Value& object, std::string_view name);
/// Empty, if the member is no string.
[[nodiscard]] std::string_view text_of(const rapidjson::Value& object, std::string_view name);
/// Empty, if the member is no whole number.
[[nodiscard]] std::optional<std::int64_t> number_of(const rapidjson::Value& object, std::string_view name);

/// Writes members as they are; those that are absent are null.
void copy(text::JsonWriter& json, const rapidjson::Value& from, std::initializer_list<std::string_view> names);
/// The same for one, under another name.
void copy_as(text::JsonWriter& json, std::string_view name, const rapidjson::Value& from, std::string_view ours);
/// Writes a member that is a time as CiGri's date, or null.
void copy_date(text::JsonWriter& json, const rapidjson::Value& from, std::string_view name);

/// Writes a member that is a time in seconds since 1970, or null.
void copy_seconds(text::JsonWriter& json, const rapidjson::Value& from, std::string_view name);

/// Whether our answer has a link `next`.
[[nodiscard]] bool has_next(const rapidjson::Value& ours);
/// The href of a path for this caller.
[[nodiscard]] std::string link(const Call& call, std::string_view path);
/// A part of a path that a caller sent, for a path of ours.
[[nodiscard]] std::string part(const Call& call, std::size_t index);
/// The path of the campaign that the request names, and what follows it.
[[nodiscard]] std::string campaign_path(const Call& call, std::string_view rest = {});

/// The campaign in CiGri's form.
void write_campaign(text::JsonWriter& json, const Call& call, const rapidjson::Value& ours);

}  // namespace gleaner::api::cigri
