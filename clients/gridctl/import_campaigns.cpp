// Campaigns that are not over, out of CiGri's database. Each is one transaction here, which records for good where it is from: however
// often an import is repeated, or killed, a campaign of CiGri's comes once. They are paused, as their tasks would run twice while CiGri
// runs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <array>

#include "clients/gridctl/import.hpp"
#include "lib/intake/groups.hpp"
#include "lib/intake/rows.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/rules/admission.hpp"
#include "lib/store/cigri.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/imports.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/json_value.hpp"

namespace gleaner::gridctl {
namespace {

namespace cigri = store::cigri;

std::string_view member_text(const rapidjson::Value& object, const char* key) {
  const auto found = object.FindMember(key);
  if (found == object.MemberEnd() || !found->value.IsString()) return {};
  return {found->value.GetString(), found->value.GetStringLength()};
}

/// Keys that CiGri keeps with each cluster and never reads.
constexpr std::array kIdleKeys{"dimensional_grouping", "output_gathering_method", "output_file", "output_destination"};

bool is_neutral(std::string_view value) { return value.empty() || value == "false" || value == "None"; }

/// Takes those keys from the cluster; remarks on the values that would have an effect here.
void drop_idle_keys(rapidjson::Value& cluster, const std::string& name, Imported& line) {
  for (const auto* key : kIdleKeys) {
    if (!cluster.HasMember(key)) continue;
    if (const auto value = member_text(cluster, key); !is_neutral(value))
      line.remarks.push_back(fmt::format("clusters.{}.{}: '{}' had no effect in CiGri, and is left out", name, key, jdl::excerpt(value)));
    cluster.RemoveMember(key);
  }
}

/// CiGri's key of each cluster is one of the whole campaign here. `false`, which CiGri adds, goes before a site's own default.
void move_grouping(rapidjson::Document& jdl, Imported& line) {
  std::size_t grouped = 0;
  bool is_stated = false;
  auto& clusters = jdl["clusters"];
  for (auto& cluster : clusters.GetObject()) {
    if (!cluster.value.IsObject()) continue;
    const auto value = member_text(cluster.value, "temporal_grouping");
    is_stated = is_stated || !value.empty();
    grouped += value == "true" ? 1U : 0U;
    cluster.value.RemoveMember("temporal_grouping");
  }
  if (!is_stated) return;
  jdl.RemoveMember("temporal_grouping");
  jdl.AddMember("temporal_grouping", rapidjson::StringRef(grouped > 0 ? "true" : "false"), jdl.GetAllocator());
  if (grouped > 0 && grouped < clusters.MemberCount())
    line.remarks.push_back(
        fmt::format("temporal_grouping of {} of its {} clusters is that of the whole campaign here", grouped, clusters.MemberCount()));
}

/// The JDL as a user would write it. CiGri takes all values for texts: a number is a walltime in hours, as OAR reads it. It keeps with each
/// cluster the keys that are of the whole campaign here. A JDL that is none stays as it is.
std::string as_written(std::string jdl, Imported& line) {
  constexpr auto kNumbersAreTexts = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::Document document;
  document.Parse<kNumbersAreTexts>(jdl.data(), jdl.size());
  if (document.HasParseError()) return jdl;
  const bool has_clusters = document.IsObject() && document.HasMember("clusters") && document["clusters"].IsObject();
  if (!has_clusters) return text::json_text(document);
  for (auto& cluster : document["clusters"].GetObject()) {
    if (cluster.value.IsObject()) drop_idle_keys(cluster.value, cluster.name.GetString(), line);
  }
  move_grouping(document, line);
  return text::json_text(document);
}

/// Checks the parameters of a campaign's tasks, one after the other, and writes them. A task that cannot be carried out is left out.
class Tasks {
 public:
  /// The file must outlive this object. @param requests  null: all tasks request the same
  Tasks(const jdl::CampaignFile& file, jdl::Requests* requests) : requests_{requests}, placement_{file} {}

  /// @param writer  null: they are only checked
  void take(cigri::OpenTasks& from, store::TaskWriter* writer) {
    from.for_each_waiting([&](std::int64_t id, std::string_view parameter) { take_one(id, parameter, writer); });
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Tasks that were left out, and why the first few of them were.
  [[nodiscard]] std::int64_t wrong() const { return wrong_; }
  [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }
  /// As that of PlacementCheck, of the parameters taken.
  [[nodiscard]] const std::optional<std::string>& note() const { return placement_.note(); }

 private:
  void take_one(std::int64_t id, std::string_view text, store::TaskWriter* writer) {
    if (const auto right = jdl::check_line(text); !right)
      return leave_out(fmt::format("parameter {} ({}): {}", id, jdl::excerpt(text), right.error().message));
    const jdl::Parameter parameter{std::string{text}};
    if (const auto wrong = placement_.wrong(count_, parameter)) return leave_out(fmt::format("parameter {}: {}", id, *wrong));
    std::optional<int> request;
    if (requests_ != nullptr) {
      const auto worked_out = requests_->request_of(count_, parameter);
      if (!worked_out) return leave_out(fmt::format("parameter {}: {}", id, worked_out.error()));
      request = *worked_out;
    }
    ++count_;
    if (writer == nullptr) return;
    if (request) writer->add(store::ParameterForm::line, text, *request);
    else writer->add(store::ParameterForm::line, text);
  }

  void leave_out(std::string why) {
    constexpr std::size_t kNamed = 3;
    if (reasons_.size() < kNamed) reasons_.push_back(std::move(why));
    ++wrong_;
  }

  jdl::Requests* requests_;
  jdl::PlacementCheck placement_;
  std::int64_t count_ = 0;
  std::int64_t wrong_ = 0;
  std::vector<std::string> reasons_;
};

class CampaignImport {
 public:
  explicit CampaignImport(Import& import) : import_{import}, defaults_{defaults_of(import.call.context.config)} {
    defaults_.params_shell = true;  // as CiGri
    auto transaction = import_.here.begin();
    setting_ = rules::load_setting(transaction, std::nullopt);
    limits_ = intake::load_limits(transaction);
    // A campaign may name disabled clusters, as in CiGri.
    for (const auto& cluster : import_.clusters) {
      auto& enabled = setting_.known.enabled;
      if (std::ranges::find(enabled, cluster.first) == enabled.end()) enabled.push_back(cluster.first);
    }
  }

  /// False: it is another user's.
  bool take(std::int64_t id, Imported& line) {
    auto from = import_.from.begin();
    if (!import_.is_trial()) check_cigri_is_stopped(import_.call, from);
    const auto found = cigri::campaign(from, id, import_.drained);
    if (!found) refuse("CiGri has no campaign of this number that is in treatment or paused");
    if (!import_.wants_user(found->user)) return false;
    line.source = fmt::format("{} {}", id, found->name);
    line.user = found->user;
    const store::Origin origin{"cigri", id, grid::from_unix(found->submitted_at)};
    if (is_present(origin, *found, line)) return true;
    check_login(found->user);
    cigri::OpenTasks tasks{from, id, jdl::kMostParameterBytes + 1,
                           import_.live_tasks == LiveTasks::import ? cigri::LiveTasks::waiting : cigri::LiveTasks::apart};
    note_tasks(id, tasks, line);
    const bool holds_live = import_.live_tasks == LiveTasks::refuse && tasks.live() > 0;
    if (tasks.waiting() == 0) {
      if (holds_live) refuse_live(tasks);
      line.fate = Fate::empty;
      return true;
    }
    const auto file = read(as_written(cigri::jdl(from, id), line), line);
    note_differences(*found, line);
    const auto admission = admitted(file, found->user, tasks.waiting());
    auto requests = requests_of(admission.file);
    Tasks checked{admission.file, requests ? &*requests : nullptr};
    // Live tasks pass by themselves: any other obstacle is named before them.
    if (import_.is_trial() || holds_live) checked.take(tasks, nullptr);
    if (import_.is_trial()) note_wrong(checked, line);
    if (holds_live) refuse_live(tasks);
    if (!import_.is_trial())
      write({.origin = origin, .found = *found, .submitted = file, .admission = admission, .requests = requests ? &*requests : nullptr},
            tasks, checked, line);
    if (checked.note()) line.remarks.push_back(*checked.note());
    return true;
  }

 private:
  /// A campaign of CiGri's, as it is stored here.
  struct Checked {
    const store::Origin& origin;
    const cigri::Campaign& found;
    const jdl::CampaignFile& submitted;
    const rules::Admission& admission;
    jdl::Requests* requests;  ///< null: all tasks request the same
  };

  /// `2 tasks are in jobs of CiGri (12, 15, …) that may be on clusters`.
  static std::string live_text(const cigri::OpenTasks& tasks) {
    const auto& jobs = tasks.live_jobs();
    const auto named =
        jobs.empty() ? std::string{} : fmt::format(" ({}{})", fmt::join(jobs, ", "), std::ssize(jobs) < tasks.live() ? ", …" : "");
    return fmt::format("{} {} in jobs of CiGri{} that may be on clusters", terminal::counted(tasks.live(), "task"),
                       tasks.live() == 1 ? "is" : "are", named);
  }
  [[noreturn]] static void refuse_live(const cigri::OpenTasks& tasks) {
    refuse(
        fmt::format("{}. Let CiGri follow its jobs to their end, with its campaigns paused; or import it without these tasks "
                    "(--live-tasks leave-out), or with them, if none of these jobs runs any more (--live-tasks import)",
                    live_text(tasks)));
  }

  /// How many tasks come, and which do not.
  void note_tasks(std::int64_t id, const cigri::OpenTasks& tasks, Imported& line) const {
    line.tasks = tasks.waiting();
    line.left_out = tasks.failed();
    if (tasks.failed() > 0)
      line.remarks.push_back(fmt::format("{} failed in CiGri: left out. Before an import, CiGri's 'gridevents -f -r -c {}' gives {} back",
                                         terminal::counted(tasks.failed(), "task"), id, tasks.failed() == 1 ? "it" : "them"));
    if (tasks.live() == 0 || import_.live_tasks == LiveTasks::refuse) return;
    if (import_.live_tasks == LiveTasks::leave_out) line.left_out += tasks.live();
    line.remarks.push_back(live_text(tasks) + (import_.live_tasks == LiveTasks::leave_out ? ": left out" : ": imported"));
  }

  /// The tasks that were left out because of their parameters. Refuses a campaign of which nothing is left.
  static void note_wrong(const Tasks& tasks, Imported& line) {
    if (tasks.wrong() == 0) return;
    const auto reasons = fmt::format("{}{}", fmt::join(tasks.reasons(), "; "), std::ssize(tasks.reasons()) < tasks.wrong() ? "; …" : "");
    if (tasks.count() == 0) refuse(reasons);
    line.tasks = tasks.count();
    line.left_out += tasks.wrong();
    line.remarks.push_back(fmt::format("{} cannot be carried out: left out: {}", terminal::counted(tasks.wrong(), "task"), reasons));
  }

  static void note_differences(const cigri::Campaign& found, Imported& line) {
    if (::getpwnam(found.user.c_str()) == nullptr) line.remarks.push_back(fmt::format("this machine has no user '{}'", found.user));
    if (found.is_paused_by_user) line.remarks.emplace_back("its user paused it in CiGri");
  }

  jdl::CampaignFile read(const std::string& text, Imported& line) const {
    if (text.find("{CAMPAIGN_ID}") != std::string::npos)
      line.remarks.emplace_back("it uses {CAMPAIGN_ID}, which is another number here: folders of that name are others");
    auto parsed = jdl::parse_with_warnings(text, defaults_, &setting_.known);
    if (!parsed) {
      const auto& problems = parsed.error();
      refuse(fmt::format("its JDL: {}{}", problems.front().message,
                         problems.size() == 1 ? "" : fmt::format(" (and {} more)", problems.size() - 1)));
    }
    for (const auto& warning : parsed->warnings) line.remarks.push_back(fmt::format("{}: {}", warning.path, warning.message));
    if (parsed->file.type == grid::CampaignType::test)
      refuse("it is a test (test_mode), which runs one task on each cluster here: its user submits it again");
    if (auto escaped = jdl::escaped_dollar(parsed->file)) line.remarks.push_back(std::move(*escaped));
    parsed->file.placeholders = false;  // braces are nothing to CiGri, which appends the parameter
    return std::move(parsed->file);
  }

  /// Whether an import before this one brought it.
  bool is_present(const store::Origin& origin, const cigri::Campaign& found, Imported& line) {
    auto transaction = import_.here.begin();
    const auto known = store::find_imported(transaction, origin);
    if (known) note_present(*known, found, line);
    return known.has_value();
  }
  void note_present(const store::ImportedCampaign& known, const cigri::Campaign& found, Imported& line) {
    line.fate = Fate::present;
    line.here = fmt::format("{}", known.id.value());
    line.tasks = known.tasks;
    line.left_out = known.is_here ? known.left_out : 0;
    if (!known.is_here) line.remarks.emplace_back("it was deleted here since");
    if (known.is_paused) (found.is_paused_by_user ? import_.paused.by_users : import_.paused.before).push_back(known.id.value());
  }

  rules::Admission admitted(const jdl::CampaignFile& file, const std::string& user, std::int64_t tasks) {
    auto admission = rules::admit(sandbox_, setting_, {file, user, tasks, defaults_});
    if (!admission) refuse(fmt::format("the admission rules cannot be run: {}", admission.error()));
    if (const auto* step = admission->obstacle())
      refuse(step->effect == rules::Effect::refused
                 ? fmt::format("the admission rule '{}' refuses it{}{}", step->rule, step->message.empty() ? "" : ": ", step->message)
                 : fmt::format("the admission rule '{}' fails: {}", step->rule, rules::failure_text(*step)));
    return std::move(*admission);
  }

  std::optional<jdl::Requests> requests_of(const jdl::CampaignFile& file) const {
    auto requests = jdl::Requests::of(file, intake::limits_of(file, limits_));
    if (!requests) refuse(fmt::format("its JDL: {}", requests.error().message));
    return std::move(*requests);
  }

  void write(const Checked& campaign, cigri::OpenTasks& waiting, Tasks& tasks, Imported& line) {
    const auto& file = campaign.admission.file;
    auto groups = intake::groups_of(campaign.found.user);
    if (!groups) refuse(fmt::format("this machine cannot look up its user's unix groups: {}", groups.error()));
    auto transaction = import_.here.begin();
    const auto now = store::now(transaction);
    const auto outcome = store::create_campaign(transaction,
                                                {.user = campaign.found.user,
                                                 .name = campaign.submitted.name,
                                                 .type = campaign.submitted.type,
                                                 .jdl = jdl::to_json(campaign.submitted),
                                                 .idempotency_key = std::nullopt,
                                                 .groups = std::move(*groups)},
                                                now);
    const auto made = std::get<grid::CampaignId>(outcome);
    {
      store::TaskWriter writer{transaction, made, campaign.requests == nullptr ? store::Requests::all_the_same : store::Requests::by_task};
      tasks.take(waiting, &writer);
      writer.finish();
    }
    note_wrong(tasks, line);
    if (!store::record_imported(transaction, campaign.origin, {.id = made, .tasks = tasks.count(), .left_out = line.left_out}))
      return note_present(store::find_imported(transaction, campaign.origin).value(), campaign.found, line);
    if (campaign.admission.is_changed()) store::record_admitted(transaction, made, file.name, jdl::to_json(file));
    for (const auto& section : file.clusters) {
      if (!store::add_campaign_cluster(transaction, made, intake::stored_section(file, section, made, limits_)))
        refuse(fmt::format("cluster '{}' was removed just now", section.name));
    }
    intake::write_requests(transaction, made, file, campaign.requests);
    store::complete_campaign(transaction, made, tasks.count());
    if (!store::hold_campaign(transaction, made)) throw std::logic_error{"a new campaign cannot be paused"};
    store::note_act(transaction, our_actor(),
                    {.name = std::string{import_.call.words},
                     .subject = fmt::format("campaign {}", made.value()),
                     .campaign = made,
                     .after = fmt::format(R"({{"cigri_campaign": {}, "tasks": {}}})", campaign.origin.id, tasks.count())},
                    now);
    transaction.commit();
    line.here = fmt::format("{}", made.value());
    (campaign.found.is_paused_by_user ? import_.paused.by_users : import_.paused.made).push_back(made.value());
  }

  Import& import_;
  jdl::Defaults defaults_;
  rules::Setting setting_;
  std::vector<jdl::ClusterLimits> limits_;
  rules::Sandbox sandbox_{rules::interpreter_program()};
};

}  // namespace

void import_campaigns(Import& import, std::vector<std::int64_t> chosen) {
  if (chosen.empty()) {
    auto transaction = import.from.begin();
    chosen = cigri::campaign_ids(transaction);
  }
  CampaignImport campaigns{import};
  for (const auto id : chosen)
    import_one(import, {.kind = "campaign", .source = fmt::format("{}", id)}, [&](Imported& line) { return campaigns.take(id, line); });
}

}  // namespace gleaner::gridctl
