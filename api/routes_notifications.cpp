// Routes of subscriptions: which events are sent to the caller, and where. The herald sends them.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/document.h>

#include "api/audit.hpp"
#include "api/limits.hpp"
#include "api/router.hpp"
#include "api/secret.hpp"
#include "api/task_intake.hpp"
#include "lib/store/subscriptions.hpp"
#include "lib/text/destination.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::api {
namespace {

using store::Subscription;

constexpr std::size_t kLongestBody = 10'000;
constexpr std::size_t kLongestZone = 60;

std::string clock_text(int minute) { return fmt::format("{:02}:{:02}", minute / 60, minute % 60); }

void write_subscription(text::JsonWriter& json, const Subscription& one) {
  json.object([&] {
    json.field("id", one.id);
    json.field("user", one.user.empty() ? std::nullopt : std::optional{one.user});
    json.field("audience", one.audience);
    json.field("channel", one.channel);
    json.field("address", one.address);
    json.field("severity", one.severity);
    json.field("form", one.channel == "webhook" ? std::optional{one.form} : std::nullopt);
    json.field("quiet", one.quiet ? std::optional{clock_text(one.quiet->from) + "-" + clock_text(one.quiet->to)} : std::nullopt);
    json.field("zone", one.quiet ? std::optional{one.zone} : std::nullopt);
    json.field("created", one.created_at);
    json.field("last_sent", one.sent_at);
    json.field("pending", one.pending);
    json.field("last_state", one.last_state.empty() ? std::nullopt : std::optional{one.last_state});
    json.field("last_error", one.last_error.empty() ? std::nullopt : std::optional{one.last_error});
    write_links(json, {{"self", fmt::format("/v1/notifications/{}", one.id)}, {"parent", "/v1/notifications"}});
  });
}

store::Reader reader_of(const Call& call) {
  return call.caller.role == Role::administrator ? store::Reader::administrator : store::Reader::user;
}

http::Response list_subscriptions(const Call& call) {
  const auto all = call.connections.read(
      [&](store::Transaction& transaction) { return store::subscriptions_of(transaction, call.caller.user, reader_of(call)); });
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(all, [&](const Subscription& one) { write_subscription(json, one); });
    json.field("total", static_cast<std::int64_t>(all.size()));
    write_links(json, {{"self", "/v1/notifications"}, {"parent", "/"}});
  });
  return answer(json);
}

http::Response wrong(std::string_view key, std::string_view value, std::string_view right) {
  return error(Code::bad_value, fmt::format("{}: '{}' is wrong: write {}", key, jdl::excerpt(std::string{value}), right));
}

template <std::size_t N>
Asked<std::string> one_of(std::string_view key, const std::string& value, const std::array<std::string_view, N>& words) {
  if (std::ranges::find(words, value) != words.end()) return value;
  std::string list;
  for (std::size_t i = 0; i < N; ++i) list += fmt::format("{}{}", i == 0 ? "" : i + 1 == N ? " or " : ", ", words.at(i));
  return tl::unexpected{wrong(key, value, list + text::did_you_mean(value, words))};
}

std::optional<int> minute_of(std::string_view clock) {
  const auto colon = clock.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto hour = text::whole_number<int>(clock.substr(0, colon), 0, 23);
  const auto minute = text::whole_number<int>(clock.substr(colon + 1), 0, 59);
  return hour && minute ? std::optional{*hour * 60 + *minute} : std::nullopt;
}

std::optional<store::QuietHours> quiet_of(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto from = minute_of(text.substr(0, dash));
  const auto to = minute_of(text.substr(dash + 1));
  if (!from || !to || *from == *to) return std::nullopt;
  return store::QuietHours{.from = *from, .to = *to};
}

/// The members of the body, which are strings; empty ones are not given.
struct Fields {
  std::string channel, address, severity, audience{"user"}, form{"json"}, quiet, zone{"UTC"};
};
Asked<Fields> fields_of(const Call& call) {
  const auto body = call.request.body->read_all(kLongestBody);
  if (!body) return tl::unexpected{broken_body(body.error())};
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(body->data(), body->size());
  if (document.HasParseError() || !document.IsObject())
    return tl::unexpected{error(
        Code::bad_input, R"(the body is no JSON object such as {"channel": "mail", "address": "ada@example.org", "severity": "high"})")};
  Fields fields;
  struct Known {
    std::string_view name;
    std::string* value;
  };
  const std::array known{Known{"channel", &fields.channel},   Known{"address", &fields.address}, Known{"severity", &fields.severity},
                         Known{"audience", &fields.audience}, Known{"form", &fields.form},       Known{"quiet", &fields.quiet},
                         Known{"zone", &fields.zone}};
  std::vector<std::string_view> names;
  for (const auto& key : known) names.push_back(key.name);
  for (const auto& member : document.GetObject()) {
    const std::string_view name{member.name.GetString(), member.name.GetStringLength()};
    const auto key = std::ranges::find(known, name, &Known::name);
    if (key == known.end())
      return tl::unexpected{
          error(Code::unknown_key, fmt::format("there is no key '{}'{}", jdl::excerpt(name), text::did_you_mean(name, names)))};
    if (member.value.IsNull()) continue;
    if (!member.value.IsString()) return tl::unexpected{error(Code::bad_value, fmt::format("{}: its value is no string", name))};
    *key->value = std::string{member.value.GetString(), member.value.GetStringLength()};
  }
  return fields;
}

std::optional<http::Response> wrong_mail(const Call& call, const std::string& address) {
  if (!text::is_mail_address(address)) return wrong("address", address, "a mail address such as ada@example.org");
  const auto& domains = call.config.mail_domains;
  if (domains.empty() || std::ranges::find(domains, text::mail_domain(address)) != domains.end()) return std::nullopt;
  return error(Code::bad_value, fmt::format("address: this grid sends no mail to '{}' (mail_domains of its configuration: {})",
                                            text::mail_domain(address), fmt::join(domains, ", ")));
}

std::optional<http::Response> wrong_webhook(const Call& call, const std::string& address) {
  const auto url = text::web_address(address);
  if (!url) return wrong("address", address, url.error());
  const auto& hosts = call.config.webhook_hosts;
  if (text::is_listed(*url, hosts)) return std::nullopt;
  if (hosts.empty()) return error(Code::bad_value, "address: this grid has no webhooks (webhook_hosts of its configuration is empty)");
  return error(Code::bad_value, fmt::format("address: this grid posts nothing to {}:{} (webhook_hosts of its configuration: {})", url->host,
                                            url->port, fmt::join(hosts, ", ")));
}

Asked<Subscription> asked_subscription(const Call& call) {
  const auto fields = fields_of(call);
  if (!fields) return tl::unexpected{fields.error()};
  Subscription one;
  one.user = call.caller.user;
  one.address = fields->address;
  one.zone = fields->zone;
  struct Word {
    std::string* into;
    Asked<std::string> read;
  };
  const std::array<Word, 4> words{
      Word{&one.channel, one_of("channel", fields->channel, std::array<std::string_view, 2>{"mail", "webhook"})},
      Word{&one.severity, one_of("severity", fields->severity, std::array<std::string_view, 3>{"low", "medium", "high"})},
      Word{&one.audience, one_of("audience", fields->audience, std::array<std::string_view, 2>{"user", "administrators"})},
      Word{&one.form, one_of("form", fields->form, std::array<std::string_view, 2>{"json", "text"})}};
  for (const auto& [into, read] : words) {
    if (!read) return tl::unexpected{read.error()};
    *into = *read;
  }
  if (one.audience == "administrators" && call.caller.role != Role::administrator)
    return tl::unexpected{error(Code::administrators_only, "what concerns the whole grid is told to administrators only")};
  if (auto bad = one.channel == "mail" ? wrong_mail(call, one.address) : wrong_webhook(call, one.address))
    return tl::unexpected{std::move(*bad)};
  if (!fields->quiet.empty()) {
    one.quiet = quiet_of(fields->quiet);
    if (!one.quiet) return tl::unexpected{wrong("quiet", fields->quiet, "two different times of the day, such as 22:00-07:00")};
  }
  if (one.zone.size() > kLongestZone) return tl::unexpected{wrong("zone", one.zone, "a time zone such as Europe/Paris")};
  if (one.channel == "webhook") one.secret = new_secret();
  return one;
}

http::Response add_subscription(const Call& call) {
  auto asked = asked_subscription(call);
  if (!asked) return asked.error();
  auto& one = *asked;
  return call.connections.write([&](store::Transaction& transaction) -> http::Response {
    switch (store::subscribe(transaction, one, call.now)) {
      case store::Subscribed::exists:
        return error(Code::wrong_state, fmt::format("there is a subscription of yours to '{}' already: remove it first", one.address));
      case store::Subscribed::too_many:
        return error(Code::wrong_state, fmt::format("a user has {} subscriptions at most: remove one first", store::kMostSubscriptions));
      case store::Subscribed::no_such_zone: return wrong("zone", one.zone, "a time zone such as Europe/Paris");
      case store::Subscribed::done: break;
    }
    note(call, transaction,
         {.name = "subscription added",
          .subject = fmt::format("subscription {}", one.id),
          .campaign = {},
          .after = text_json(one.channel, one.address)});
    text::JsonWriter json;
    json.object([&] {
      json.field("status", std::int64_t{201});
      json.field("title", "Created");
      json.field("message", fmt::format("subscription {} is made", one.id));
      json.field("id", one.id);
      json.field("secret", one.secret.empty() ? std::nullopt : std::optional{one.secret});
    });
    return answer(201, json.text());
  });
}

http::Response no_subscription(const Call& call) {
  return error(Code::no_such_subscription, fmt::format("you have no subscription '{}'", jdl::excerpt(call.parts[0])));
}

http::Response remove_subscription(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_subscription(call);
  return call.connections.write([&](store::Transaction& transaction) -> http::Response {
    if (!store::unsubscribe(transaction, call.caller.user, *id)) return no_subscription(call);
    note(call, transaction, {.name = "subscription removed", .subject = fmt::format("subscription {}", *id), .campaign = {}});
    return accepted(fmt::format("subscription {} is removed", *id), 1);
  });
}

http::Response remove_address(const Call& call) {
  const auto channel = std::string{call.request.parameter("channel").value_or("")};
  const auto address = std::string{call.request.parameter("address").value_or("")};
  if (channel.empty() || address.empty())
    return error(Code::bad_value, "say which: DELETE /v1/notifications/ID, or ?channel=mail&address=ada@example.org");
  return call.connections.write([&](store::Transaction& transaction) -> http::Response {
    const auto removed = store::unsubscribe(transaction, call.caller.user, channel, address);
    if (removed > 0)
      note(call, transaction,
           {.name = "subscription removed", .subject = "subscription", .campaign = {}, .before = text_json(channel, address)});
    return accepted(fmt::format("{} subscription{} removed", removed, removed == 1 ? "" : "s"), removed);
  });
}

http::Response test_subscription(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_subscription(call);
  return call.connections.write([&](store::Transaction& transaction) -> http::Response {
    const auto all = store::subscriptions_of(transaction, call.caller.user, reader_of(call));
    if (std::ranges::find(all, *id, &Subscription::id) == all.end()) return no_subscription(call);
    if (!store::test_subscription(transaction, call.caller.user, reader_of(call), *id, call.config.grid_name, call.now))
      return error(Code::wrong_state, fmt::format("subscription {} was tested less than a minute ago", *id));
    return accepted(fmt::format("a test message for subscription {} is in the outbox", *id), 1);
  });
}

}  // namespace

std::span<const Route> notification_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/notifications", Access::identified, list_subscriptions, {}, Etag::sent, Compression::never},
      Route{"POST", "/v1/notifications", Access::identified, add_subscription},
      Route{"DELETE", "/v1/notifications", Access::identified, remove_address, "channel address"},
      Route{"DELETE", "/v1/notifications/:id", Access::identified, remove_subscription},
      Route{"POST", "/v1/notifications/:id/test", Access::identified, test_subscription},
  };
  return kRoutes;
}

}  // namespace gleaner::api
