#include "lib/oar/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "lib/grid/walltime.hpp"
#include "lib/oar/json.hpp"
#include "lib/text/clean.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::oar {
namespace {

using rapidjson::Value;

/// Runs a reader and returns its exception as a value.
template <class Reader>
auto guarded(std::string_view body, Reader reader) -> Parsed<decltype(reader(std::declval<const Value&>()))> {
  try {
    return reader(json::object(body));
  } catch (const json::Malformed& error) {
    return tl::unexpected(std::string{error.what()});
  }
}

constexpr std::int64_t kLastSecond = 9'000'000'000'000;  // greatest value of an Instant

grid::Instant instant(std::int64_t seconds) {
  if (seconds < 0 || seconds > kLastSecond) {
    throw json::Malformed(fmt::format("{} is not a date", seconds));
  }
  return grid::from_unix(seconds);
}

/// 0 is OAR's value for "not yet".
std::optional<grid::Instant> optional_instant(const Value& object, std::initializer_list<const char*> names) {
  const auto seconds = json::integer(object, names);
  return !seconds || *seconds == 0 ? std::nullopt : std::optional{instant(*seconds)};
}

grid::RemoteJobId job_id(std::int64_t id) {
  if (id <= 0) {
    throw json::Malformed(fmt::format("{} is not the id of a job", id));
  }
  return grid::RemoteJobId{id};
}

std::optional<int> small(std::optional<std::int64_t> value, const char* name) {
  if (!value) {
    return std::nullopt;
  }
  if (*value < std::numeric_limits<int>::min() || *value > std::numeric_limits<int>::max()) {
    throw json::Malformed(fmt::format("'{}' is out of its range", name));
  }
  return static_cast<int>(*value);
}

/// `R=4,W=0:5:0,...`: OAR reports the resources of a scheduled job in this form.
std::optional<int> resources_of(std::string_view message) {
  if (!message.starts_with("R=")) {
    return std::nullopt;
  }
  message.remove_prefix(2);
  const auto count = text::take_whole_number<int>(message);
  return count && *count > 0 ? std::optional{*count} : std::nullopt;
}

/// `R=4,W=0:5:0,...`, or `R=4,W=300,...` of OAR 3, in seconds.
std::optional<grid::Seconds> walltime_of(std::string_view message) {
  constexpr std::string_view kMark{",W="};
  const auto at = message.find(',');
  if (!message.starts_with("R=") || at == message.npos || !message.substr(at).starts_with(kMark)) return std::nullopt;
  message.remove_prefix(at + kMark.size());
  message = message.substr(0, message.find(','));
  if (message.find(':') != message.npos) return grid::parse_walltime(message);
  const auto seconds = text::whole_number<std::int64_t>(message, 1, grid::kLongestWalltime.count());
  return seconds ? std::optional{grid::Seconds{*seconds}} : std::nullopt;
}

/// Replaces the mark, which only some answers of OAR do.
std::string expanded(std::string file, grid::RemoteJobId id) {
  constexpr std::string_view kMark{"%jobid%"};
  for (auto at = file.find(kMark); at != std::string::npos; at = file.find(kMark, at)) {
    file.replace(at, kMark.size(), std::to_string(id.value()));
  }
  return file;
}

std::string path_in(const std::string& directory, const std::string& file) {
  return file.empty() || file.starts_with('/') || directory.empty() ? file : directory + '/' + file;
}

/// Text that users, administrators or OAR may have written.
std::string clean(const Value& item, std::initializer_list<const char*> names) { return text::clean_text(json::text(item, names)); }

RemoteJob job_of(const Value& item) {
  if (!item.IsObject()) {
    throw json::Malformed("an item of the list is not an object");
  }
  RemoteJob job;
  job.id = job_id(json::required_integer(item, {"id", "job_id", "Job_Id"}));
  if (const auto array = json::integer(item, {"array_id"}); array && *array > 0) {
    job.array = grid::RemoteJobId{*array};
  }
  job.name = clean(item, {"name", "job_name"});
  job.owner = clean(item, {"owner", "job_user", "user"});
  job.queue = clean(item, {"queue", "queue_name"});
  job.project = clean(item, {"project"});
  job.command = json::text(item, {"command"});
  job.message = clean(item, {"message"});
  job.state = remote_state(json::required_text(item, {"state"}));
  job.submitted = optional_instant(item, {"submission_time", "submission"}).value_or(grid::Instant{});
  job.started = optional_instant(item, {"start_time"});
  job.stopped = optional_instant(item, {"stop_time"});
  job.exit_status = small(json::integer(item, {"exit_code"}), "exit_code");
  job.resources = resources_of(job.message);
  if (const auto walltime = small(json::integer(item, {"walltime"}), "walltime"); walltime && *walltime > 0) {
    job.walltime = grid::Seconds{*walltime};
  }
  const auto reservation = item.FindMember("reservation");
  job.reserved = reservation != item.MemberEnd() && reservation->value == "Scheduled";
  if (job.reserved && !job.walltime) job.walltime = walltime_of(job.message);
  job.stderr_path = path_in(json::text(item, {"launching_directory"}), expanded(json::text(item, {"stderr_file"}), job.id));
  return job;
}

std::optional<std::size_t> total_of(const Value& list) {
  const auto total = json::integer(list, {"total"});
  if (total && *total < 0) {
    throw json::Malformed("'total' is negative");
  }
  return total ? std::optional{static_cast<std::size_t>(*total)} : std::nullopt;
}

template <class T, class Reader>
Page<T> page_of(const Value& list, Reader reader) {
  const auto* const items = json::array(list, "items");
  if (items == nullptr) {
    throw json::Malformed("'items' is missing");
  }
  Page<T> page;
  page.total = total_of(list);
  page.items.reserve(items->Size());
  for (const auto& item : items->GetArray()) {
    page.items.push_back(reader(item));
  }
  return page;
}

std::vector<RemoteEvent> events_of(const Value& object) {
  std::vector<RemoteEvent> events;
  const auto* const items = json::array(object, "events");
  if (items == nullptr) {
    return events;
  }
  for (const auto& item : items->GetArray()) {
    if (!item.IsObject()) {
      throw json::Malformed("an event is not an object");
    }
    events.push_back({text::clean_text(json::required_text(item, {"type"})), clean(item, {"description"}),
                      optional_instant(item, {"date"}).value_or(grid::Instant{})});
  }
  return events;
}

/// The number that follows the mark, after spaces.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view mark) {
  const auto at = text.rfind(mark);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  text.remove_prefix(at + mark.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto value = text::take_whole_number(text);
  return value && *value > 0 ? std::optional{*value} : std::nullopt;
}

/// OAR 3 prints what its function returned: `4 => ((0, ''), 5)`.
std::optional<std::int64_t> number_after_pair(std::string_view text) {
  constexpr std::string_view kMark{"=> (("};
  const auto at = text.rfind(kMark);
  return at == std::string_view::npos ? std::nullopt : number_after(text.substr(at + kMark.size()), "),");
}

/// OAR reports it in words: `Resubmiting job 1182 => 1183)` or `(new id = 1173)`.
std::optional<grid::RemoteJobId> resubmission_of(const std::vector<RemoteEvent>& events) {
  std::optional<grid::RemoteJobId> found;
  for (const auto& event : events) {
    if (event.type == "RESUBMIT_JOB_AUTOMATICALLY") {
      auto id = number_after(event.description, "=>");
      id = id ? id : number_after(event.description, "new id =");
      id = id ? id : number_after_pair(event.description);
      if (id && (!found || *id > found->value())) {
        found = grid::RemoteJobId{*id};
      }
    }
  }
  return found;
}

std::vector<std::string> texts_of(const Value& object, const char* name) {
  std::vector<std::string> texts;
  const auto* const items = json::array(object, name);
  if (items == nullptr) {
    return texts;
  }
  for (const auto& item : items->GetArray()) {
    if (!item.IsString()) {
      throw json::Malformed(fmt::format("'{}' holds something else than texts", name));
    }
    texts.emplace_back(item.GetString(), item.GetStringLength());
  }
  return texts;
}

/// A list of texts; of OAR 3 an object, whose members are true, or the text after the type's `=`.
std::vector<std::string> types_of(const Value& object) {
  const auto member = object.FindMember("types");
  if (member == object.MemberEnd() || !member->value.IsObject()) return texts_of(object, "types");
  std::vector<std::string> types;
  for (const auto& type : member->value.GetObject()) {
    std::string text{type.name.GetString(), type.name.GetStringLength()};
    if (type.value.IsString()) text += '=' + std::string{type.value.GetString(), type.value.GetStringLength()};
    types.push_back(std::move(text));
  }
  return types;
}

std::vector<std::string> hosts_of(const Value& object) {
  std::vector<std::string> hosts;
  const auto* const nodes = json::array(object, "nodes");
  if (nodes == nullptr) {
    return hosts;
  }
  for (const auto& node : nodes->GetArray()) {
    if (!node.IsObject()) {
      throw json::Malformed("a node is not an object");
    }
    auto host = clean(node, {"network_address"});
    if (!host.empty() && std::ranges::find(hosts, host) == hosts.end()) {
      hosts.push_back(std::move(host));
    }
  }
  return hosts;
}

JobDetails details_of(const Value& object) {
  JobDetails details;
  details.job = job_of(object);
  details.events = events_of(object);
  details.resubmitted_as = resubmission_of(details.events);
  if (const auto first = json::integer(object, {"resubmit_job_id"}); first && *first > 0) {
    details.resubmit_of = grid::RemoteJobId{*first};
  }
  details.types = types_of(object);
  details.directory = json::text(object, {"launching_directory"});
  details.stdout_file = expanded(json::text(object, {"stdout_file"}), details.job.id);
  details.stderr_file = expanded(json::text(object, {"stderr_file"}), details.job.id);
  details.hosts = hosts_of(object);
  return details;
}

/// The number that a resource states, from 0; text that is no number states none.
std::optional<double> number_of_property(const Value& item, const std::string& property) {
  const auto member = property.empty() ? item.MemberEnd() : item.FindMember(property.c_str());
  if (member == item.MemberEnd()) return std::nullopt;
  std::optional<double> load;
  if (member->value.IsNumber()) load = member->value.GetDouble();
  if (member->value.IsString()) {
    if (const auto read = text::real_number({member->value.GetString(), member->value.GetStringLength()})) load = *read;
  }
  return load && std::isfinite(*load) && *load >= 0 ? load : std::nullopt;
}

/// Members that OAR itself gives to each resource, and the levels that are cores or nodes.
constexpr std::array<std::string_view, 36> kNoLevels{"api_timestamp",
                                                     "available_upto",
                                                     "besteffort",
                                                     "core",
                                                     "cpuset",
                                                     "deploy",
                                                     "desktop_computing",
                                                     "drain",
                                                     "expiry_date",
                                                     "finaud_decision",
                                                     "host",
                                                     "id",
                                                     "jobs_uri",
                                                     "jobs_url",
                                                     "last_available_upto",
                                                     "last_job_date",
                                                     "links",
                                                     "network_address",
                                                     "next_finaud_decision",
                                                     "next_state",
                                                     "node",
                                                     "node_uri",
                                                     "node_url",
                                                     "nodes",
                                                     "resource_id",
                                                     "resources",
                                                     "scheduler_priority",
                                                     "state",
                                                     "state_num",
                                                     "suspended_jobs",
                                                     "thread",
                                                     "type",
                                                     "uri",
                                                     "comment",
                                                     "maintenance",
                                                     "api_timezone"};

std::vector<std::pair<std::string, std::size_t>> levels_of(const Value& item) {
  constexpr std::size_t kMost = 100, kLongestName = 64, kLongestValue = 200;
  std::vector<std::pair<std::string, std::size_t>> levels;
  for (const auto& member : item.GetObject()) {
    const std::string_view name{member.name.GetString(), member.name.GetStringLength()};
    if (name.size() > kLongestName || std::ranges::find(kNoLevels, name) != kNoLevels.end()) continue;
    if (!std::ranges::all_of(name, [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; })) continue;
    std::string value;
    if (member.value.IsInt64()) value = std::to_string(member.value.GetInt64());
    else if (member.value.IsString()) value.assign(member.value.GetString(), member.value.GetStringLength());
    if (value.empty() || value.size() > kLongestValue) continue;
    // Zero stays zero: it may mean that the resource has none.
    levels.emplace_back(name, value == "0" ? 0 : std::max<std::size_t>(std::hash<std::string>{}(value), 1));
    if (levels.size() == kMost) break;
  }
  return levels;
}

ResourceLine resource_of(const Value& item, const std::string& load_property, const std::string& memory_property) {
  if (!item.IsObject()) {
    throw json::Malformed("an item of the list is not an object");
  }
  return {json::required_integer(item, {"id", "resource_id"}),
          clean(item, {"network_address"}),
          json::required_text(item, {"state"}),
          optional_instant(item, {"available_upto"}),
          number_of_property(item, load_property),
          number_of_property(item, memory_property),
          json::text(item, {"type"}),
          json::text(item, {"besteffort"}) != "NO",
          json::text(item, {"drain"}) == "YES",
          levels_of(item)};
}

}  // namespace

Parsed<Page<RemoteJob>> parse_jobs(std::string_view body) {
  return guarded(body, [](const Value& list) { return page_of<RemoteJob>(list, job_of); });
}

Parsed<JobDetails> parse_job(std::string_view body) {
  return guarded(body, [](const Value& object) { return details_of(object); });
}

Parsed<Page<JobDetails>> parse_job_list(std::string_view body) {
  return guarded(body, [](const Value& list) {
    return page_of<JobDetails>(list, [](const Value& item) {
      if (!item.IsObject()) throw json::Malformed("an item of the list is not an object");
      return details_of(item);
    });
  });
}

Parsed<Page<ResourceLine>> parse_resources(std::string_view body, const std::string& load_property, const std::string& memory_property) {
  return guarded(body, [&](const Value& list) {
    return page_of<ResourceLine>(list, [&](const Value& item) { return resource_of(item, load_property, memory_property); });
  });
}

namespace {

int count_of(const Value& item, const char* name) {
  if (!item.IsObject()) throw json::Malformed("an item of the list is not an object");
  const auto resources = json::required_integer(item, {name});
  if (resources < 0 || resources > std::numeric_limits<int>::max())
    throw json::Malformed(fmt::format("{} is no number of resources", resources));
  return static_cast<int>(resources);
}

template <class Item>
void require_all_nodes(const Page<Item>& page) {
  if (page.total.value_or(0) != page.items.size())
    throw json::Malformed(fmt::format("{} nodes of {}", page.items.size(), page.total.value_or(0)));
}

}  // namespace

Parsed<std::map<std::string, int>> parse_held(std::string_view body) {
  return guarded(body, [](const Value& list) {
    std::map<std::string, int> held;
    require_all_nodes(page_of<char>(list, [&](const Value& item) {
      if (const int resources = count_of(item, "held"); resources > 0) held[clean(item, {"node"})] = resources;
      return 'i';
    }));
    return held;
  });
}

Parsed<std::vector<NodeHold>> parse_free(std::string_view body) {
  return guarded(body, [](const Value& list) {
    auto page = page_of<NodeHold>(list, [](const Value& item) {
      return NodeHold{.usable = count_of(item, "usable"),
                      .held = count_of(item, "held"),
                      .best_effort = json::text(item, {"besteffort"}) != "NO",
                      .node = json::text(item, {"node"}),
                      .asleep = item.HasMember("asleep") ? count_of(item, "asleep") : 0};
    });
    require_all_nodes(page);
    return std::move(page.items);
  });
}

Parsed<std::vector<std::string>> parse_listing(std::string_view body) {
  return guarded(body, [](const Value& list) {
    auto page = page_of<std::string>(list, [](const Value& item) {
      if (!item.IsObject()) {
        throw json::Malformed("an item of the list is not an object");
      }
      return json::text(item, {"name"});
    });
    if (page.total.value_or(0) != page.items.size()) {
      throw json::Malformed(fmt::format("{} names of {}", page.items.size(), page.total.value_or(0)));
    }
    return std::move(page.items);
  });
}

Parsed<std::vector<ListedFile>> parse_file_listing(std::string_view body) {
  return guarded(body, [](const Value& list) {
    std::vector<ListedFile> files;
    const auto page = page_of<char>(list, [&](const Value& item) {
      if (!item.IsObject()) {
        throw json::Malformed("an item of the list is not an object");
      }
      const auto type = json::text(item, {"type"});
      const bool is_link = type.starts_with("l ");
      if (type == "f" || is_link) {
        files.push_back({json::text(item, {"name"}), is_link ? std::nullopt : std::optional{json::required_integer(item, {"size"})}});
      }
      return 'i';
    });
    if (page.total.value_or(0) != page.items.size()) {
      throw json::Malformed(fmt::format("{} names of {}", page.items.size(), page.total.value_or(0)));
    }
    return files;
  });
}

Parsed<std::int64_t> parse_total(std::string_view body) {
  return guarded(body, [](const Value& list) {
    const auto total = json::required_integer(list, {"total"});
    if (total < 0) {
      throw json::Malformed(fmt::format("{} is no number of items", total));
    }
    return total;
  });
}

Parsed<std::string> parse_version(std::string_view body) {
  return guarded(body, [](const Value& object) { return text::clean_text(json::required_text(object, {"oar_version", "oar"})); });
}

Parsed<double> parse_stress(std::string_view body) {
  return guarded(body, [](const Value& object) {
    const auto stress = json::number(object, {"GLOBAL_STRESS"});
    if (!stress) {
      throw json::Malformed("'GLOBAL_STRESS' is missing");
    }
    return *stress;
  });
}

Parsed<std::string> parse_identity(std::string_view body) {
  return guarded(body, [](const Value& object) { return json::text(object, {"authenticated_user"}); });
}

}  // namespace gleaner::oar
