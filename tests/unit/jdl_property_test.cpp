#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <utility>

#include "lib/jdl/parameter_reader.hpp"
#include "lib/jdl/parameter_stream.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/text.hpp"
#include "lib/text/json_value.hpp"
#include "lib/text/words.hpp"
#include "sim/combinations/jdl_values.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::string_view kJson = R"({
  "name": "essai", "param_file": "p.txt", "exec_file": "~/run.sh {CAMPAIGN_ID}", "test_mode": "true",
  "clusters": {
    "alpha": {"walltime": "1:30:00", "resources": "/nodes=2/core=4", "max_jobs": 3},
    "beta": {"type": "normal", "cluster_job_type": "devel,night", "priority": 2, "properties": "mem > \"4\""}
  }
})";
constexpr std::string_view kClassic = R"(# one
DEFAULT { name = essai ; nbJobs = 10 ; }
alpha { execFile = "run \"x\"" ; execDir = ~/w ; walltime = 1:0:0 ; resources = {mem > 4}/core=2 ; priority = 3 ; }
beta { execFile = run -x 3 ; }
)";

/// Bytes that mean something to one of the readers, and others.
rc::Gen<char> mischief() {
  return rc::gen::oneOf(rc::gen::elementOf(std::string{"{}[]\",:;=#/\\'\n\r\t 01aefnrtu-.+"}), rc::gen::arbitrary<char>());
}

std::string mutated(std::string text) {
  const auto changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    const auto size = *rc::gen::inRange<std::size_t>(0, 8);
    const auto replacement = *rc::gen::container<std::string>(*rc::gen::inRange<std::size_t>(0, 4), mischief());
    text.replace(at, std::min(size, text.size() - at), replacement);
  }
  return text;
}

/// Every problem stands somewhere in the text, and they are in its order.
void assert_places(const std::vector<Problem>& problems, std::string_view text) {
  RC_ASSERT(!problems.empty());
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  Position last{1, 1};
  for (const auto& problem : problems) {
    RC_ASSERT(!problem.message.empty());
    RC_ASSERT(problem.place >= last);
    RC_ASSERT(problem.place.line <= lines);
    last = problem.place;
  }
}

RC_GTEST_PROP(JdlProperty, MutatedFiles_AreRead_OrTheirProblemsHavePlaces, ()) {
  const auto text = mutated(std::string{*rc::gen::element(kJson, kClassic)});
  const auto campaign = parse(text);
  if (campaign) RC_ASSERT(!campaign->clusters.empty() && !campaign->name.empty());
  else assert_places(campaign.error(), text);
}

RC_GTEST_PROP(JdlProperty, AnyBytes_AreRead_OrTheirProblemsHavePlaces, (const std::string& head)) {
  const auto text = head + *rc::gen::container<std::string>(mischief());
  if (const auto campaign = parse(text); !campaign) assert_places(campaign.error(), text);
}

std::string json_string(std::string_view text) {
  std::string line;
  append_ndjson_line(line, text);
  line.pop_back();
  return line;
}

/// Pieces of text put together: always UTF-8.
rc::Gen<std::string> text_of(std::vector<std::string> pieces) {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::move(pieces))),
                      [](const std::vector<std::string>& chosen) {
                        std::string text;
                        for (const auto& piece : chosen) text += piece;
                        return text;
                      });
}

rc::Gen<std::string> clean_word() {
  const std::vector<std::string> pieces{"a", "Z", "0", "_", "-", "~", "/", " ", "{", "}", "$", "'", "\"", "\\", ";", "#", "é", "😀"};
  return rc::gen::map(text_of(pieces), [](const std::string& text) { return "w" + std::string{trim(text)}; });
}

/// Characters that a shell would read are refused in a folder.
rc::Gen<std::string> clean_folder() {
  const std::vector<std::string> pieces{"a", "Z", "0", "_", "-", "~", "/", " ", "{", "}", "$HOME/", ";", "#", "é", "😀"};
  return rc::gen::map(text_of(pieces), [](const std::string& text) { return "/" + std::string{trim(text)}; });
}

RC_GTEST_PROP(JdlProperty, AWrittenCampaign_IsReadAsWritten_AndComesBackFromItsStoredForm, ()) {
  const auto name = *clean_word();
  const auto command = *clean_word();
  const auto folder = *clean_folder();
  const auto clusters = *rc::gen::nonEmpty(rc::gen::container<std::map<std::string, int>>(clean_word(), rc::gen::inRange(1, 100)));
  std::string text = fmt::format(R"({{"name": {}, "exec_file": {}, "exec_directory": {}, "clusters": {{)", json_string(name),
                                 json_string(command), json_string(folder));
  for (std::string comma; const auto& [cluster, priority] : clusters) {
    text += fmt::format("{}{}: {{\"priority\": {}, \"max_jobs\": \"{}\", \"walltime\": \"0:0:{:02}\"}}", comma, json_string(cluster),
                        priority, priority, priority % 59 + 1);
    comma = ",\n";
  }
  const auto campaign = parse(text + "}}");
  RC_ASSERT(campaign.has_value());
  RC_ASSERT(campaign->name == name);
  RC_ASSERT(campaign->clusters.size() == clusters.size());
  for (const auto& section : campaign->clusters) {
    RC_ASSERT(section.exec_file == command);
    RC_ASSERT(section.exec_directory == folder);
    RC_ASSERT(section.priority == clusters.at(section.name));
    RC_ASSERT(section.walltime == grid::Seconds{section.priority % 59 + 1});
  }
  RC_ASSERT(from_json(to_json(*campaign)) == *campaign);
  RC_ASSERT(parse(to_jdl(*campaign)).value() == *campaign);
}

/// The members of each object in another order, as PostgreSQL stores them.
std::string reordered(const std::string& json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  const auto reverse = [&](auto&& self, rapidjson::Value& value) -> void {
    if (value.IsArray()) {
      for (auto& element : value.GetArray()) self(self, element);
    } else if (value.IsObject()) {
      std::reverse(value.MemberBegin(), value.MemberEnd());
      for (auto& member : value.GetObject()) self(self, member.value);
    }
  };
  reverse(reverse, document);
  return text::json_text(document);
}

RC_GTEST_PROP(JdlProperty, ACampaignThatIsShown_IsTheSameWhenItIsSubmittedAgain_WhateverTheConfiguration, ()) {
  const auto names = *rc::gen::nonEmpty(rc::gen::unique<std::vector<std::string>>(clean_word()));
  std::string clusters;
  for (const auto& name : names)
    clusters += fmt::format("{}{}: {{\"priority\": {}}}", clusters.empty() ? "" : ", ", json_string(name), *rc::gen::inRange(1, 9));
  const std::vector<std::string> keys{R"("test_mode": "true")",
                                      R"("temporal_grouping": "false")",
                                      R"("temporal_grouping": "auto")",
                                      R"("project": "corals")",
                                      R"("max_fails": "10%")",
                                      R"("campaign_priority": "high")",
                                      R"("type": "normal")",
                                      R"("nb_jobs": 12)",
                                      R"("replicas": "allowed")",
                                      R"("params_shell": true)",
                                      R"("retries": 3, "retry_on": [137, 1])",
                                      R"("checkpoint": {"signal": "TERM", "period": 7200, "cost": "0:02:00"})",
                                      R"("placeholders": false)",
                                      R"("min_duration": "0:1:0")"};
  std::string others;
  for (const auto& key : keys) {
    const bool is_second_grouping = key.find("auto") != std::string::npos && others.find("temporal_grouping") != std::string::npos;
    const bool is_contradiction = key.find("checkpoint") != std::string::npos &&
                                  (others.find("replicas") != std::string::npos || others.find("auto") != std::string::npos);
    if (*rc::gen::arbitrary<bool>() && !is_second_grouping && !is_contradiction) others += ", " + key;
  }
  const auto command = *rc::gen::element("e", "e {1} '{2}'", "e \\\\{} x", "find -exec {}");
  const auto defaults = [](grid::Grouping grouping, grid::Seconds walltime) {
    return Defaults{.walltime = walltime, .grouping = grouping, .params_shell = grouping != grid::Grouping::off};
  };
  auto campaign = parse(fmt::format(R"({{"name": "n", "exec_file": "{}"{}, "clusters": {{{}}}}})", command, others, clusters),
                        defaults(grid::Grouping::off, grid::Seconds{60}))
                      .value();
  const auto stored = from_json(reordered(to_json(campaign)));
  RC_ASSERT(stored == campaign);
  auto shown = parse(to_campaign_text(*stored), defaults(grid::Grouping::advise, grid::Seconds{7200}));
  RC_ASSERT(shown.has_value());
  RC_ASSERT(*shown == campaign);
}

using Keys = std::map<std::string_view, std::string>;

std::string file_of(const Keys& of_all, const Keys& of_a) {
  std::string text = R"({"name": "n", "nb_jobs": 3, "exec_file": "e {1}")";
  for (const auto& [key, value] : of_all) text += fmt::format(", \"{}\": {}", key, value);
  text += R"(, "clusters": {"b": {}, "a": {)";
  for (std::string comma; const auto& [key, value] : of_a) text += fmt::format("{}\"{}\": {}", std::exchange(comma, ", "), key, value);
  return text + "}}}";
}

RC_GTEST_PROP(JdlProperty, AnyKeysThatGoTogether_ComeBackFromTheStoredForm_ByteForByte, ()) {
  Keys of_all, of_a;
  for (auto draws = *rc::gen::inRange(0, 20); draws > 0; --draws) {
    const auto& [key, value, companions] = combinations::kValues.at(*rc::gen::inRange(std::size_t{0}, combinations::kValues.size()));
    auto& keys = is_cluster_key(key) && *rc::gen::arbitrary<bool>() ? of_a : of_all;
    const auto before = keys;
    keys[key] = companions.empty() ? std::string{value} : fmt::format("{}, {}", value, companions);
    if (!parse(file_of(of_all, of_a))) keys = before;
  }
  const auto campaign = parse(file_of(of_all, of_a));
  const auto json = to_json(*campaign);
  const auto stored = from_json(reordered(json));
  RC_ASSERT(stored == *campaign);
  RC_ASSERT(to_json(*stored) == json);
  const auto shown = to_campaign_text(*campaign);
  const auto again = parse(shown);
  RC_ASSERT(again.has_value());
  RC_ASSERT(to_json(*again) == json);
  RC_ASSERT(to_campaign_text(*again) == shown);
}

TEST(Jdl, ACampaignWrittenAsAFile_IsReadAsItWas_WithoutItsParameters) {
  constexpr std::string_view kScheduled =
      R"({"name": "n", "exec_file": "x", "campaign_priority": 2, "scheduler": "workqueue", "min_duration": "0:00:10", "max_attempts": "7", "max_fails": "12.5%", "temporal_grouping": "auto", "clusters": {"a": {}}})";
  for (const auto text : {kJson, kClassic, kScheduled}) {
    auto campaign = parse(text).value();
    campaign.parameters = {};
    EXPECT_EQ(parse(to_jdl(campaign)).value(), campaign);
  }
}

RC_GTEST_PROP(JdlProperty, AnUnknownKey_IsToldAtItsPlace_WhereverItStands, ()) {
  const auto lines = *rc::gen::inRange<std::size_t>(0, 20);
  const auto blanks = *rc::gen::inRange<std::size_t>(0, 20);
  const auto text = fmt::format("{{\"name\": \"n\", \"clusters\": {{\"alpha\": {{\"exec_file\": \"é\",{}{}\"zzzz\": [1, {{}}]}}}}}}",
                                std::string(lines, '\n'), std::string(blanks, ' '));
  const auto campaign = parse_with_warnings(text);
  RC_ASSERT(campaign.has_value());
  RC_ASSERT(parse(text, {.doubts = Doubts::refused}).error().at(0).place == campaign->warnings.at(0).place);
  RC_ASSERT(campaign->warnings.size() == 1u);
  const auto before = characters(text.substr(0, text.find("\"zzzz\"")));
  const Position expected = lines == 0 ? Position{1, before + 1} : Position{lines + 1, blanks + 1};
  RC_ASSERT(campaign->warnings[0].place == expected);
  RC_ASSERT(campaign->warnings[0].path == "clusters.alpha.zzzz");
}

/// Any argument that a parameter may hold.
rc::Gen<std::string> argument() {
  return text_of(
      {"a", "1", " ", "\t", "\n", "\r", "\x01", "\x7f", "'", "\"", "\\", "$x", "*", "#", ",", "[", "{", "\\u0041", "é", "€", "😀"});
}

RC_GTEST_PROP(ParameterProperty, Ndjson_BringsEachParameterBack_HoweverItIsCut, ()) {
  std::vector<Parameter> sent;
  for (const auto& arguments : *rc::gen::container<std::vector<Arguments>>(rc::gen::container<Arguments>(argument())))
    sent.emplace_back(arguments);
  for (const auto& text : *rc::gen::container<std::vector<std::string>>(argument()))
    sent.emplace_back(check_line(text) ? text : text::quote(text));
  std::string text;
  for (const auto& parameter : sent) append_ndjson(text, parameter);
  std::vector<Parameter> received;
  ParameterStream stream{[&](Parameter&& parameter) { received.push_back(std::move(parameter)); }};
  const auto piece = *rc::gen::inRange<std::size_t>(1, 50);
  for (std::string_view rest = text; !rest.empty();) {
    const auto size = std::min(piece, rest.size());
    RC_ASSERT(stream.feed(rest.substr(0, size)).has_value());
    rest.remove_prefix(size);
  }
  RC_ASSERT(stream.finish().has_value());
  RC_ASSERT(received == sent);
}

RC_GTEST_PROP(ParameterProperty, AnyBytesAsNdjson_AreReadOrRefused, ()) {
  const auto text = *rc::gen::container<std::string>(mischief());
  if (const auto parameter = parse_ndjson(text)) RC_ASSERT(check(*parameter).has_value());
}

RC_GTEST_PROP(ParameterProperty, AFile_GivesItsLines_OrSaysWhichAreWrong, ()) {
  const auto text = *rc::gen::container<std::string>(mischief());
  std::istringstream input{text};
  ParameterReader reader{input};
  std::size_t last = 0;
  while (true) {
    const auto next = reader.next();
    if (next && !*next) break;
    RC_ASSERT(reader.line() > last);
    last = reader.line();
    if (next) RC_ASSERT(check_line(**next).has_value());
    else RC_ASSERT(next.error().place.line == last);
  }
}

RC_GTEST_PROP(TextProperty, Utf8IsWhatItIs, (const std::vector<char32_t>& points)) {
  std::string text;
  for (const auto point : points) {
    const auto p = static_cast<std::uint32_t>(point) % 0x110000u;
    if (p >= 0xD800 && p <= 0xDFFF) continue;
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (p < 0x80) add(p);
    else if (p < 0x800) add(0xC0 | (p >> 6)), add(0x80 | (p & 0x3F));
    else if (p < 0x10000) add(0xE0 | (p >> 12)), add(0x80 | (p >> 6 & 0x3F)), add(0x80 | (p & 0x3F));
    else add(0xF0 | (p >> 18)), add(0x80 | (p >> 12 & 0x3F)), add(0x80 | (p >> 6 & 0x3F)), add(0x80 | (p & 0x3F));
  }
  RC_ASSERT(first_invalid_utf8(text) == std::string::npos);
  RC_ASSERT(first_invalid_utf8(text + "\xC0\x80") == text.size());
  RC_ASSERT(first_invalid_utf8(text + "\xED\xA0\x80") == text.size());
  RC_ASSERT(first_invalid_utf8(text + "\xE2\x82") == text.size());
}

}  // namespace
}  // namespace gleaner::jdl
