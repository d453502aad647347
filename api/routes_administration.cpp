// Routes by which administrators change what the grid is run by: the same acts as gridctl's, with the same words in the audit.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/document.h>

#include "api/act.hpp"
#include "api/audit.hpp"
#include "api/router.hpp"
#include "api/task_intake.hpp"
#include "lib/administration/clusters.hpp"
#include "lib/administration/limits.hpp"
#include "lib/administration/shares.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/policies.hpp"
#include "lib/text/clean.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::api {
namespace {

using administration::Refusal;

constexpr std::size_t kLongestDeclaration = 10'000;  // bytes
constexpr std::size_t kLongestWord = 256;            // bytes

Code code_of(Refusal::Kind kind) {
  switch (kind) {
    case Refusal::Kind::wrong_value: return Code::bad_value;
    case Refusal::Kind::no_cluster: return Code::no_such_cluster;
    case Refusal::Kind::no_campaign: return Code::no_such_campaign;
    case Refusal::Kind::no_limit: return Code::no_such_limit;
    case Refusal::Kind::no_share: break;
  }
  return Code::no_such_share;
}

http::Response refused(const Refusal& refusal) { return error(code_of(refusal.kind), refusal.message); }

/// A word that somebody wrote: a name, or a number.
Asked<std::string> word_of(std::string_view key, std::string_view value) {
  if (value.empty() || value.size() > kLongestWord || text::clean_text(value) != value || value.find_first_of("\n\t") != value.npos)
    return tl::unexpected{error(Code::bad_value, fmt::format("{}: '{}' is wrong: write a text of 1 to {} bytes, without control characters",
                                                             key, jdl::excerpt(value), kLongestWord))};
  return std::string{value};
}

struct WordField {
  std::string_view name;
  std::optional<std::string>* value;
};

/// Reads the members of the body, texts or numbers, into these fields.
Asked<void> read_words(const Call& call, std::span<const WordField> fields, std::string_view example) {
  const auto body = call.request.body->read_all(kLongestDeclaration);
  if (!body) return tl::unexpected{broken_body(body.error())};
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag>(body->data(), body->size());
  if (document.HasParseError() || !document.IsObject())
    return tl::unexpected{error(Code::bad_input, fmt::format("the body is no JSON object such as {}", example))};
  std::vector<std::string_view> names;
  for (const auto& field : fields) names.push_back(field.name);
  for (const auto& member : document.GetObject()) {
    const std::string_view name{member.name.GetString(), member.name.GetStringLength()};
    const auto field = std::ranges::find(fields, name, &WordField::name);
    if (field == fields.end())
      return tl::unexpected{error(Code::bad_value, fmt::format("there is no member '{}' here, but {}{}", jdl::excerpt(name),
                                                               fmt::join(names, ", "), text::did_you_mean(name, names)))};
    if (field->value->has_value()) return tl::unexpected{error(Code::bad_value, fmt::format("'{}' is given twice: write one", name))};
    if (member.value.IsNull()) continue;
    if (!member.value.IsString())
      return tl::unexpected{error(Code::bad_value, fmt::format("{}: its value is neither a text nor a number", name))};
    auto word = word_of(name, {member.value.GetString(), member.value.GetStringLength()});
    if (!word) return tl::unexpected{word.error()};
    *field->value = *std::move(word);
  }
  return {};
}

/// A cluster by its name, or by its id.
std::optional<store::Cluster> asked_cluster(store::Transaction& transaction, const std::string& asked) {
  if (auto named = store::find_cluster(transaction, asked)) return named;
  const auto id = id_of(asked);
  for (auto& cluster : store::clusters(transaction)) {
    if (id && cluster.id.value() == *id) return std::move(cluster);
  }
  return std::nullopt;
}

http::Response no_cluster(std::string_view asked) {
  return error(Code::no_such_cluster, fmt::format("there is no cluster '{}'", jdl::excerpt(asked)));
}

http::Response change_use(const Call& call, administration::ClusterUse use, const std::string& name) {
  return act(call, [&](store::Transaction& transaction) -> http::Response {
    auto cluster = asked_cluster(transaction, call.parts[0]);
    if (!cluster) return no_cluster(call.parts[0]);
    act_as_caller(call, transaction, name);
    return acted(call,
                 fmt::format("{}", fmt::join(administration::set_use(transaction, *std::move(cluster), use, call.caller.user), "; ")));
  });
}

http::Response disable_cluster(const Call& call) { return change_use(call, administration::ClusterUse::disabled, "cluster disable"); }
http::Response enable_cluster(const Call& call) { return change_use(call, administration::ClusterUse::enabled, "cluster enable"); }

/// The limit of this id. Cost: O(limits + live jobs).
std::optional<grid::Limit> limit_of(const std::vector<grid::Limit>& limits, std::int64_t id) {
  const auto found = std::ranges::find(limits, id, &grid::Limit::id);
  return found == limits.end() ? std::nullopt : std::optional{*found};
}

/// `limit 3 (user ada, cluster alpha): at most 150 running_jobs instead of 200, 180 now; in force from the next cycle`
std::string limit_text(const Call& call, const grid::Limit& limit, const std::optional<grid::Limit>& before) {
  const auto use = administration::greatest_use(limit);
  return fmt::format("{} ({}): at most {} {}{}, {} now{}; in force from the next cycle",
                     before || !is_dry_run(call) ? fmt::format("limit {}", limit.id) : "a new limit", administration::holds(limit),
                     limit.most, grid::name_of(limit.kind), before ? fmt::format(" instead of {}", before->most) : "", use.used,
                     use.by.empty() ? "" : fmt::format(" by {}", use.by));
}

http::Response put_limit(const Call& call) {
  administration::WrittenLimit written;
  std::optional<std::string> kind, most, consumable;
  const std::array fields{WordField{"kind", &kind},
                          WordField{"most", &most},
                          WordField{"consumable", &consumable},
                          WordField{"user", &written.user},
                          WordField{"group", &written.group},
                          WordField{"project", &written.project},
                          WordField{"campaign", &written.campaign},
                          WordField{"cluster", &written.cluster},
                          WordField{"days", &written.days},
                          WordField{"silent", &written.silent}};
  if (const auto read = read_words(call, fields, R"({"kind": "running_jobs", "most": 200, "user": "ada"})"); !read) return read.error();
  written.kind = kind.value_or("");
  written.most = most.value_or("");
  written.consumable = consumable.value_or("");
  const auto asked = administration::asked_limit(written, {});
  if (!asked) return refused(asked.error());
  return act(call, [&](store::Transaction& transaction) -> http::Response {
    act_as_caller(call, transaction, written.consumable.empty() ? "limit set" : "limit set consumable");
    const auto before = store::limits(transaction, call.now);
    const auto id = administration::set_limit(transaction, *asked);
    if (!id) return refused(id.error());
    const auto now = limit_of(store::limits(transaction, call.now), *id);
    return acted(call, limit_text(call, now.value_or(asked->limit), limit_of(before, *id)));
  });
}

http::Response delete_limit(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return error(Code::no_such_limit, fmt::format("there is no limit '{}'", jdl::excerpt(call.parts[0])));
  return act(call, [&](store::Transaction& transaction) -> http::Response {
    const auto before = limit_of(store::limits(transaction, call.now), *id);
    act_as_caller(call, transaction, "limit remove");
    if (const auto removed = administration::remove_limit(transaction, *id); !removed) return refused(removed.error());
    return acted(call, fmt::format("limit {} is removed{}", *id,
                                   before ? fmt::format(" ({}: at most {} {})", administration::holds(*before), before->most,
                                                        grid::name_of(before->kind))
                                          : ""));
  });
}

/// This node of the tree; empty: it is not there.
std::optional<administration::ShareInUse> share_of(const administration::SharesInUse& shares, const administration::WrittenShare& written) {
  const auto end = fmt::format("{}/{}", written.project ? "/" + *written.project : "", written.name);
  for (const auto& one : shares.nodes) {
    const bool is_there = written.project ? one.path.ends_with(end) : one.path == end;
    if (is_there && administration::kind_of(one.node) == written.kind) return one;
  }
  return std::nullopt;
}

/// `user ada has 3 shares instead of 1: 60.0 % of the grid instead of 33.3 %`
std::string share_text(const administration::WrittenShare& written, double shares, const std::optional<administration::ShareInUse>& before,
                       const std::optional<administration::ShareInUse>& now) {
  const auto part = [](const administration::ShareInUse& of) { return fmt::format("{:.1f} %", of.part * 100); };
  return fmt::format("{} {} has {:g} shares{}{}{}", written.kind, written.name, shares,
                     before ? fmt::format(" instead of {:g}", before->node.shares) : "",
                     now ? fmt::format(": {} of the grid", part(*now)) : "", before && now ? " instead of " + part(*before) : "");
}

http::Response put_share(const Call& call) {
  std::optional<std::string> kind, name, shares, project;
  const std::array fields{WordField{"kind", &kind}, WordField{"name", &name}, WordField{"shares", &shares}, WordField{"project", &project}};
  if (const auto read = read_words(call, fields, R"({"kind": "user", "name": "ada", "shares": 3, "project": "physics"})"); !read)
    return read.error();
  if (!name) return error(Code::bad_value, "name: it is missing: whose shares they are");
  const administration::WrittenShare written{.kind = kind.value_or(""), .name = *name, .project = project};
  return act(call, [&](store::Transaction& transaction) -> http::Response {
    const auto before = administration::shares_in_use(transaction, call.config, call.now);
    act_as_caller(call, transaction, "share set");
    const auto set = administration::set_share(transaction, written, shares.value_or(""));
    if (!set) return refused(set.error());
    const auto now = administration::shares_in_use(transaction, call.config, call.now);
    return acted(call, share_text(written, *set, share_of(before, written), share_of(now, written)));
  });
}

/// A key of the query as a word; empty: it is not there.
Asked<std::optional<std::string>> asked_word(const Call& call, std::string_view key) {
  const auto value = call.request.parameter(key);
  if (!value) return std::nullopt;
  auto word = word_of(key, *value);
  if (!word) return tl::unexpected{word.error()};
  return std::optional{*std::move(word)};
}

http::Response delete_share(const Call& call) {
  const auto kind = asked_word(call, "kind"), name = asked_word(call, "name"), project = asked_word(call, "project");
  for (const auto* word : {&kind, &name, &project}) {
    if (!*word) return word->error();
  }
  if (!*kind || !*name)
    return error(Code::bad_value, "kind and name: both are needed: '?kind=user&name=ada', and '&project=physics' of one below it");
  const administration::WrittenShare written{.kind = **kind, .name = **name, .project = *project};
  return act(call, [&](store::Transaction& transaction) -> http::Response {
    act_as_caller(call, transaction, "share remove");
    if (const auto removed = administration::remove_share(transaction, written); !removed) return refused(removed.error());
    return acted(call, fmt::format("{} {} has no shares any more, nor has what was below it", written.kind, written.name));
  });
}

http::Response delete_brake(const Call& call) {
  const auto campaign = call.request.parameter("campaign"), cluster = call.request.parameter("cluster");
  if (!campaign && !cluster)
    return error(Code::bad_value, "a brake is of a campaign, a cluster or both: add '?campaign=ID' or '?cluster=NAME'");
  const auto id = campaign ? id_of(std::string{*campaign}) : std::nullopt;
  if (campaign && !id) return error(Code::no_such_campaign, fmt::format("there is no campaign '{}'", jdl::excerpt(*campaign)));
  return act(call, [&](store::Transaction& transaction) -> http::Response {
    store::Target target;
    if (id) target.campaign = grid::CampaignId{*id};
    if (target.campaign && !store::campaign_owner(transaction, *target.campaign))
      return error(Code::no_such_campaign, fmt::format("there is no {}", campaign_text(*target.campaign)));
    if (cluster) {
      const auto found = asked_cluster(transaction, std::string{*cluster});
      if (!found) return no_cluster(*cluster);
      target.cluster = found->id;
    }
    act_as_caller(call, transaction, "brake clear");
    administration::clear_brakes(transaction, target, call.now);
    return acted(call, administration::kBrakeIsLifted);
  });
}

constexpr Route route(std::string_view method, std::string_view pattern, http::Response (*respond)(const Call&),
                      std::string_view keys = "dry_run") {
  return {method, pattern, Access::administering, respond, keys, Etag::sent, Compression::allowed, InPage::act};
}

}  // namespace

std::span<const Route> administration_routes() {
  static constexpr std::array kRoutes{
      route("POST", "/v1/clusters/:id/disable", disable_cluster),
      route("POST", "/v1/clusters/:id/enable", enable_cluster),
      route("PUT", "/v1/limits", put_limit),
      route("DELETE", "/v1/limits/:id", delete_limit),
      route("PUT", "/v1/shares", put_share),
      route("DELETE", "/v1/shares", delete_share, "dry_run kind name project"),
      route("DELETE", "/v1/brakes", delete_brake, "dry_run campaign cluster"),
  };
  return kRoutes;
}

}  // namespace gleaner::api
