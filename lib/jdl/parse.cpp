#include "lib/jdl/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/cluster_names.hpp"
#include "lib/jdl/combinations.hpp"
#include "lib/jdl/dependencies.hpp"
#include "lib/jdl/described_keys.hpp"
#include "lib/jdl/input_from.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/keys.hpp"
#include "lib/jdl/named_words.hpp"
#include "lib/jdl/outputs.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/jdl/resource_template.hpp"
#include "lib/jdl/sections.hpp"
#include "lib/jdl/sources.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/unbuilt_keys.hpp"
#include "lib/jdl/validate.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/line_ends.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::size_t kMostExpressions = 2'000;

/// Converts the tree to the campaign.
class Validator {
 public:
  Validator(Document& document, const Defaults& defaults, const KnownClusters* known, Findings& findings)
      : document_{document}, defaults_{defaults}, names_{known, document.form, findings}, findings_{findings} {
    common_.section.exec_directory = "$HOME";
    common_.section.resources = default_resources();
    common_.section.walltime = defaults.walltime;
  }

  CampaignFile campaign() {
    CampaignFile campaign;
    campaign.parameters = read_source(document_, findings_);
    read_campaign_keys(campaign);
    campaign.project = common_.section.project;
    if (clusters_ == nullptr) missing("clusters", "every campaign names its clusters");
    else read_clusters();
    check_dependencies(document_, campaign, findings_);
    campaign.type = campaign_type();
    for (const auto& cluster : sections_) campaign.clusters.push_back(finished(cluster, campaign.type));
    campaign.placeholders = campaign.placeholders && may_have_placeholders(campaign);
    check_some_cluster_used(campaign.clusters);
    if (are_too_many(campaign.clusters)) return campaign;
    check_expressions(campaign);
    check_outputs(campaign);
    number_inputs(document_, campaign, findings_);
    check_input_from(document_, campaign, findings_);
    check_combinations(document_, campaign, findings_);
    return campaign;
  }

 private:
  struct Section {
    const Member* member;
    SectionLevel level;
  };

  void missing(std::string_view key, std::string_view why) {
    const auto classic = document_.form == Form::classic;
    const auto path = classic && key == "clusters" ? std::string{} : campaign_path(document_.form, key);
    const auto right = key == "name" ? (classic ? "DEFAULT { name = … ; }" : "\"name\": \"…\"")
                                     : (classic ? "CLUSTER { execFile = … ; }" : "\"clusters\": { \"CLUSTER\": { } }");
    findings_.add(
        document_.root.offset, path, "",
        fmt::format("{}: {}; write {}", classic && key == "clusters" ? "there is no cluster's section" : "it is missing", why, right));
  }

  void read_campaign_keys(CampaignFile& campaign) {
    campaign.scheduling.grouping = defaults_.grouping;
    campaign.params_shell = defaults_.params_shell;
    campaign.placeholders = true;
    CampaignLevel level{campaign, common_, defaults_, names_.consumables()};
    for (const auto& member : document_.root.members) {
      const auto path = campaign_path(document_.form, member.spelling);
      if (member.key == "clusters") clusters_ = &member;
      if (!read_key(member, path, level, findings_) && !read_key(member, path, common_, findings_) &&
          !report_unbuilt_key(member, path, findings_))
        unknown_campaign_key(member, path);
    }
    if (std::ranges::find(document_.root.members, "name", &Member::key) == document_.root.members.end())
      missing("name", "every campaign has a name");
  }

  void unknown_campaign_key(const Member& member, const std::string& path) {
    auto names = names_of_keys(DescribedKey::Level::cluster);
    const auto of_campaigns = names_of_keys(DescribedKey::Level::campaign);
    names.insert(names.end(), of_campaigns.begin(), of_campaigns.end());
    unknown_key(member, path, text::did_you_mean(member.key, names));
  }

  void read_clusters() {
    const auto& node = clusters_->value;
    if (node.kind != NodeKind::object) {
      findings_.add(node.offset, clusters_->spelling, shown(node),
                    fmt::format("it is {}; write an object: {{ \"CLUSTER\": {{ }} }}", kind_name(node.kind)));
      return;
    }
    if (node.members.empty() && document_.form == Form::classic) missing("clusters", "a campaign has at least one");
    else if (node.members.empty())
      findings_.add(node.offset, clusters_->spelling, "{}", "it is empty: a campaign has at least one cluster");
    for (const auto& member : node.members) read_cluster(member);
    names_.report_unknown(std::ssize(sections_));
  }

  void read_cluster(const Member& member) {
    if (!names_.is_known(member)) return;
    const auto path = cluster_path(document_.form, member.key, "");
    if (member.value.kind != NodeKind::object) {
      findings_.add(member.value.offset, path, shown(member.value),
                    fmt::format("it is {}; write an object, {{ }} when there is nothing to say", kind_name(member.value.kind)));
      return;
    }
    Section section{&member, common_};
    section.level.expressions.clear();
    section.level.outputs = {.gathering = common_.outputs.gathering};
    section.level.resources_key.clear();
    section.level.stated_walltime.reset();
    for (const auto& key : member.value.members) {
      const auto key_path = cluster_path(document_.form, member.key, key.spelling);
      if (!read_key(key, key_path, section.level, findings_) && !report_unbuilt_key(key, key_path, findings_))
        unknown_cluster_key(key, key_path);
    }
    if (!section.level.has_exec_file) missing_exec_file(member);
    sections_.push_back(std::move(section));
  }

  void missing_exec_file(const Member& cluster) {
    const std::string_view key = document_.form == Form::classic ? "execFile" : "exec_file";
    findings_.add(cluster.offset, cluster_path(document_.form, cluster.key, key), "",
                  fmt::format("it is missing: write the command that each task runs, here or {}",
                              document_.form == Form::classic ? "in DEFAULT" : "on the top level"));
  }

  void unknown_cluster_key(const Member& key, const std::string& path) {
    const auto of_campaigns = names_of_keys(DescribedKey::Level::campaign);
    const bool misplaced = std::ranges::find(of_campaigns, key.key) != of_campaigns.end();
    const auto why = misplaced ? std::string{" of a cluster: it belongs on the top level"}
                               : text::did_you_mean(key.key, names_of_keys(DescribedKey::Level::cluster));
    unknown_key(key, path, why);
  }

  /// @param why  what is known of it; empty: it is near to no key
  void unknown_key(const Member& key, const std::string& path, std::string_view why) {
    const auto message = fmt::format("there is no key '{}'{}", excerpt(key.spelling), why);
    if (why.empty()) findings_.doubt(key.offset, path, key.spelling, message, ": it has no effect");
    else findings_.add(key.offset, path, key.spelling, message);
  }

  /// A campaign is a test on all of its clusters or on none.
  CampaignType campaign_type() {
    if (defaults_.type) return *defaults_.type;
    const auto type_of = [](const SectionLevel& level) { return level.test_mode.value_or(CampaignType::default_); };
    const auto type = type_of(sections_.empty() ? common_ : sections_.front().level);
    for (const auto& section : sections_) {
      if (type_of(section.level) == type) continue;
      findings_.add(section.member->offset, cluster_path(document_.form, section.member->key, "test_mode"), "",
                    "a campaign is a test on all its clusters or on none: write test_mode once, on the top level");
      break;
    }
    return type;
  }

  void check_some_cluster_used(const std::vector<ClusterSection>& clusters) {
    if (clusters.empty() || !std::ranges::all_of(clusters, [](const auto& section) { return section.max_jobs == 0; })) return;
    findings_.add(clusters_->offset, clusters_->spelling, "",
                  "max_jobs is 0 on every cluster, so that no task would ever run: use one, or pause the campaign (gridsub --hold)");
  }

  /// The number is limited because each expression of each cluster is kept compiled for all tasks.
  bool are_too_many(const std::vector<ClusterSection>& clusters) {
    std::size_t expressions = 0;
    for (const auto& section : clusters)
      expressions += ResourceTemplate::formulas(section.resources_expression) + (section.walltime_expression.empty() ? 0 : 1) +
                     (section.memory_mb.empty() ? 0 : 1);
    if (expressions <= kMostExpressions) return false;
    findings_.add(
        clusters_->offset, clusters_->spelling, "",
        fmt::format("its clusters have {} expressions together, and may have {}: write numbers for some, or make several campaigns of it",
                    expressions, kMostExpressions));
    return true;
  }

  void check_expressions(const CampaignFile& campaign) {
    const auto check = [&](const SectionLevel& level) {
      for (const auto& written : level.expressions) {
        if (auto wrong = wrong_expression(written, campaign, has_input(campaign)))
          findings_.add(written.offset, written.path, written.text, std::move(*wrong));
      }
    };
    check(common_);
    for (const auto& section : sections_) check(section.level);
  }

  /// A problem of the top level is reported once.
  void check_outputs(CampaignFile& campaign) {
    bool reported = false;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const auto& section = sections_[i];
      const auto& keys = section.level.outputs;
      const bool is_own = !keys.files.empty() || !keys.directory.empty();
      const auto vain = vain_outputs(section.level.section, keys.gathering, keys.files.empty() ? common_.outputs.files : keys.files);
      if (vain) campaign.clusters[i].output_files.clear();
      auto wrong = vain ? std::optional<std::string>{*vain} : wrong_outputs(section.level.section, campaign.parameter_names);
      if (!wrong || (!is_own && reported)) continue;
      reported = true;
      const auto path = is_own || common_.outputs.files.empty() ? cluster_path(document_.form, section.member->key, "output_files")
                                                                : campaign_path(document_.form, common_.outputs.files);
      const auto offset = !keys.files.empty() ? keys.files_offset : is_own ? section.member->offset : common_.outputs.files_offset;
      if (vain) findings_.doubt(offset, path, "", std::move(*wrong), ": it has no effect");
      else findings_.add(offset, path, "", std::move(*wrong));
    }
  }

  void check_max_walltime(const ClusterSection& section, std::size_t offset) const {
    if (!section.max_walltime || !section.walltime_expression.empty() || section.walltime <= *section.max_walltime) return;
    findings_.add(offset, cluster_path(document_.form, section.name, "max_walltime"), grid::format_walltime(*section.max_walltime),
                  fmt::format("max_walltime {} is shorter than the walltime {}", grid::format_walltime(*section.max_walltime),
                              grid::format_walltime(section.walltime)));
  }

  ClusterSection finished(const Section& section, CampaignType type) const {
    auto result = section.level.section;
    result.name = section.member->key;
    result.kind = section.level.kind.value_or(type == CampaignType::test ? JobKind::normal : JobKind::best_effort);
    result.place = Position{section.member->offset, 0};  // still an offset: parse() computes all places together
    check_max_walltime(result, section.member->offset);
    return result;
  }

  [[nodiscard]] grid::ResourceRequest default_resources() const {
    auto request = grid::ResourceRequest::parse(defaults_.resources);
    if (!request) throw std::invalid_argument{fmt::format("the default resources '{}': {}", defaults_.resources, request.error())};
    return std::move(*request);
  }

  Document& document_;
  const Defaults& defaults_;
  ClusterNames names_;
  Findings& findings_;
  SectionLevel common_;  ///< the top level
  const Member* clusters_ = nullptr;
  std::vector<Section> sections_;
};

/// Reports bytes that no form may contain.
void check_bytes(std::string_view text, Findings& findings) {
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    findings.add(nul, "", "", "there is a NUL byte here: this is not a text file");
  else if (const auto wrong = first_invalid_utf8(text); wrong != std::string_view::npos)
    findings.add(wrong, "", text.substr(wrong, 1),
                 fmt::format("the byte {} is not UTF-8: save the file as UTF-8", excerpt(text.substr(wrong, 1))));
  else if (const auto lone = text::lone_return(text); lone != std::string_view::npos)
    findings.add(lone, "", "", std::string{text::kLoneReturn});
  else if (trim(text).empty()) findings.add(0, "", "", "it is empty; write a campaign: { \"name\": …, \"clusters\": { … } }");
}

}  // namespace

bool is_cluster_key(std::string_view key) {
  return std::ranges::any_of(described_keys(),
                             [&](const auto& known) { return known.name == key && known.level == DescribedKey::Level::cluster; });
}

tl::expected<CampaignFile, std::vector<Problem>> parse(std::string_view text, const Defaults& defaults, const KnownClusters* clusters) {
  auto parsed = parse_with_warnings(text, defaults, clusters);
  if (!parsed) return tl::unexpected{std::move(parsed.error())};
  return std::move(parsed->file);
}

tl::expected<Parsed, std::vector<Problem>> parse_with_warnings(std::string_view text, const Defaults& defaults,
                                                               const KnownClusters* clusters) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Findings findings{defaults.doubts};
  check_bytes(text, findings);
  if (!findings.empty()) return tl::unexpected{findings.problems(text)};
  auto document = form_of(text) == Form::json ? read_json(text, findings) : read_classic(text, findings);
  if (document.root.kind != NodeKind::object) return tl::unexpected{findings.problems(text)};
  auto file = validate(document, text, findings, defaults, clusters);
  if (!file) return tl::unexpected{std::move(file.error())};
  return Parsed{std::move(*file), findings.warnings(text)};
}

std::vector<Problem> warnings_beyond(const CampaignFile& before, std::vector<Problem> warnings) {
  if (warnings.empty()) return warnings;
  const auto known = parse_with_warnings(to_jdl(before));
  if (!known) return warnings;
  std::erase_if(warnings, [&](const Problem& warning) {
    return std::ranges::any_of(known->warnings,
                               [&](const Problem& old) { return old.path == warning.path && old.message == warning.message; });
  });
  return warnings;
}

tl::expected<CampaignFile, std::vector<Problem>> validate(Document& document, std::string_view text, Findings& findings,
                                                          const Defaults& defaults, const KnownClusters* clusters) {
  auto campaign = Validator{document, defaults, clusters, findings}.campaign();
  if (!findings.empty()) return tl::unexpected{findings.problems(text)};
  Places places{text};
  for (auto& section : campaign.clusters) section.place = places.at(section.place.line);
  return campaign;
}

}  // namespace gleaner::jdl
