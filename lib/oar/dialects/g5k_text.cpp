#include "lib/oar/dialects/g5k_text.hpp"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/grid/evidence.hpp"
#include "lib/grid/exit_status.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/oar/dialects/oar3_text.hpp"
#include "lib/oar/json.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::oar::g5k {
namespace {

using rapidjson::Value;

constexpr std::size_t kLongestName = 255;

class Body {
 public:
  Body() { writer_.StartObject(); }
  void add(const char* name, std::string_view value) {
    if (value.empty()) return;
    writer_.Key(name);
    writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  void add(const char* name, const std::vector<std::string>& values) {
    if (values.empty()) return;
    writer_.Key(name);
    writer_.StartArray();
    for (const auto& value : values) writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
    writer_.EndArray();
  }
  void add(const char* name, std::int64_t value) {
    writer_.Key(name);
    writer_.Int64(value);
  }
  std::string finish() {
    writer_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::ASCII<>> writer_{buffer_};
};

std::string command_of(const SubmitRequest& request, std::string_view line) {
  auto command = oar3::unescaped(request.command);
  if (!line.empty()) command += fmt::format(" {}", line);
  return command;
}

/// The states as the API writes them, in small letters.
RemoteState state_of(std::string_view name) {
  for (int number = 0; number < static_cast<int>(RemoteState::unknown); ++number) {
    const auto state = static_cast<RemoteState>(number);
    std::string small{oar::name_of(state)};
    std::ranges::transform(small, small.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (small == name) return state;
  }
  return RemoteState::unknown;
}

/// The command of ours that a name has the facts of: `gleaner.<campaign>-<token> <task> <attempt> <job> <fence> -`.
std::optional<std::string> command_in(std::string_view name, std::string_view tag) {
  const auto launch = grid::read_tag(tag);
  if (!launch || name.size() <= tag.size()) return std::nullopt;
  std::string facts{name.substr(tag.size() + 1)};
  std::ranges::replace(facts, ':', ' ');
  auto command = fmt::format("{} {} -", grid::command_mark(launch->token, launch->campaign), facts);
  return grid::read_command(command) ? std::optional{std::move(command)} : std::nullopt;
}

std::optional<grid::Instant> instant_of(const Value& item, const char* name) {
  constexpr std::int64_t kLastSecond = 9'000'000'000'000;
  const auto seconds = json::integer(item, {name});
  if (!seconds || *seconds <= 0) return std::nullopt;
  if (*seconds > kLastSecond) throw json::Malformed(fmt::format("'{}' is no time: {}", name, *seconds));
  return grid::from_unix(*seconds);
}

std::optional<int> small_of(const Value& item, const char* name) {
  const auto number = json::integer(item, {name});
  if (!number) return std::nullopt;
  if (*number < -(1 << 30) || *number > (1 << 30)) throw json::Malformed(fmt::format("'{}' is out of range: {}", name, *number));
  return static_cast<int>(*number);
}

std::string clean(const Value& item, const char* name) { return text::clean_text(json::text(item, {name})); }

std::vector<RemoteEvent> events_of(const Value& item) {
  std::vector<RemoteEvent> events;
  const auto* const list = json::array(item, "events");
  if (list == nullptr) return events;
  for (const auto& event : list->GetArray()) {
    if (!event.IsObject()) throw json::Malformed("an event is not an object");
    events.push_back({clean(event, "type"), clean(event, "description"), instant_of(event, "created_at").value_or(grid::Instant{})});
  }
  return events;
}

std::vector<std::string> texts_of(const Value& item, const char* name) {
  std::vector<std::string> texts;
  const auto* const list = json::array(item, name);
  if (list == nullptr) return texts;
  for (const auto& text : list->GetArray()) {
    if (text.IsString()) texts.push_back(text::clean_text({text.GetString(), text.GetStringLength()}));
  }
  return texts;
}

/// `R=4,W=…`.
std::optional<int> resources_in(std::string_view message) {
  constexpr std::size_t kMostDigits = 8;
  if (!message.starts_with("R=")) return std::nullopt;
  message.remove_prefix(2);
  int count = 0;
  std::size_t digits = 0;
  while (digits < message.size() && digits < kMostDigits && message[digits] >= '0' && message[digits] <= '9')
    count = count * 10 + (message[digits++] - '0');
  return count > 0 ? std::optional{count} : std::nullopt;
}

Job job_of(const Value& item) {
  if (!item.IsObject()) throw json::Malformed("an item of the list is not an object");
  Job found;
  auto& job = found.details.job;
  const auto id = json::required_integer(item, {"uid"});
  if (id <= 0) throw json::Malformed(fmt::format("{} is not the id of a job", id));
  job.id = grid::RemoteJobId{id};
  job.name = clean(item, "name");
  job.owner = text::clean_text(json::text(item, {"user", "user_uid"}));
  job.queue = clean(item, "queue");
  job.project = clean(item, "project");
  job.command = json::text(item, {"command"});
  job.message = clean(item, "message");
  job.state = state_of(json::required_text(item, {"state"}));
  job.submitted = instant_of(item, "submitted_at").value_or(grid::Instant{});
  job.started = instant_of(item, "started_at");
  job.stopped = instant_of(item, "stopped_at");
  job.exit_status = found.wait_status = small_of(item, "exit_code");
  job.resources = resources_in(job.message);
  if (const auto walltime = small_of(item, "walltime"); walltime && *walltime > 0) job.walltime = grid::Seconds{*walltime};
  found.details.events = events_of(item);
  found.details.types = texts_of(item, "types");
  found.details.directory = json::text(item, {"directory"});
  found.details.hosts = texts_of(item, "assigned_nodes");
  const std::string tag = job.name.substr(0, job.name.find(':'));
  if (auto command = command_in(job.name, tag)) {
    job.name = tag;
    if (!grid::read_command(job.command)) job.command = std::move(*command);
    if (job.exit_status && shell_status(*job.exit_status) == kDone) job.exit_status = 0;
  }
  return found;
}

template <class Reader>
auto guarded(std::string_view body, Reader reader) -> Parsed<decltype(reader(std::declval<const Value&>()))> {
  try {
    return reader(json::object(body));
  } catch (const json::Malformed& error) {
    return tl::unexpected(std::string{error.what()});
  }
}

int slots_of(const Value& node, const char* name) {
  constexpr std::int64_t kMost = 1'000'000;
  const auto slots = json::integer(node, {name}).value_or(0);
  if (slots < 0 || slots > kMost) throw json::Malformed(fmt::format("'{}' is no number of slots: {}", name, slots));
  return static_cast<int>(slots);
}

}  // namespace

std::string name_of(const SubmitRequest& request, std::string_view line) {
  const auto command = command_of(request, line);
  const auto job = grid::read_command(command);
  if (!job || !grid::read_tag(request.name)) return request.name;
  return fmt::format("{}:{}:{}:{}:{}", request.name, job->task.value(), job->attempt, job->job.value(),
                     grid::read_fence(command).value_or("0"));
}

std::string script_of(std::string_view command) {
  // Status 99 has OAR start an idempotent job again, which needs the file.
  return fmt::format(
      "#!/bin/bash\n{}\nstatus=$?\n[ $status = 99 ] || rm -f -- \"$0\"\n[ $status != {} ] || status=1\n[ $status != 0 ] || status={}\n"
      "exit $status\n",
      command, kDone, kDone);
}

std::optional<std::string> wrong_request(const SubmitRequest& request) {
  if (auto wrong = oar::wrong_request(request)) return wrong;
  if (request.name.find(':') != std::string::npos) return fmt::format("the name '{}' has a ':'", text::clean_text(request.name));
  for (const auto& line : request.lines.empty() ? std::vector<std::string>{{}} : request.lines) {
    if (const auto name = name_of(request, line); name.size() > kLongestName)
      return fmt::format("its name has {} bytes, and OAR keeps {}", name.size(), kLongestName);
  }
  return std::nullopt;
}

std::string submission_body(const SubmitRequest& request, std::string_view line) {
  Body body;
  const std::string separator = request.resources.empty() || request.walltime.empty() ? "" : ",";
  body.add("resources", request.resources + (request.walltime.empty() ? "" : separator + "walltime=" + request.walltime));
  body.add("command", script_of(command_of(request, line)));
  body.add("name", name_of(request, line));
  body.add("types", request.types);
  if (std::ranges::find(request.types, "besteffort") != request.types.end()) body.add("queue", "besteffort");
  body.add("properties", request.properties);
  body.add("project", request.project);
  body.add("stdout", request.stdout_file);
  body.add("stderr", request.stderr_file);
  if (request.checkpoint) {
    body.add("signal", request.checkpoint->signal);
    body.add("checkpoint", request.checkpoint->before_end.count());
  }
  return body.finish();
}

Parsed<Page<Job>> parse_jobs(std::string_view body) {
  return guarded(body, [](const Value& list) {
    const auto* const items = json::array(list, "items");
    if (items == nullptr) throw json::Malformed("'items' is missing");
    Page<Job> page;
    if (const auto total = json::integer(list, {"total"}); total && *total >= 0) page.total = static_cast<std::size_t>(*total);
    for (const auto& item : items->GetArray()) page.items.push_back(job_of(item));
    return page;
  });
}

Parsed<Job> parse_job(std::string_view body) { return guarded(body, job_of); }

std::optional<std::string> evidence_of(const RunOf& run, const Job& job) {
  const auto& listed = job.details.job;
  const auto named = [&](std::string_view end) {
    return fmt::format("{}.{}.{}.{}.{}", run.task.value(), run.attempt, run.job.value(), listed.id.value(), end);
  };
  const auto status = job.wait_status ? shell_status(*job.wait_status) : 0;
  if (listed.state == RemoteState::terminated && job.wait_status) {
    if (status == kDone) return named("e0");
    // It found the attempt claimed, could not claim it, had no program, or never came to it: the status is the same.
    if (status == 0 || status == grid::kRanNothing || status == grid::kProgramDamaged) return std::nullopt;
    return named(fmt::format("e{}", status));
  }
  // Killed while it ran: its walltime, a local job, a deletion.
  return listed.started ? std::optional{named("s")} : std::nullopt;
}

Parsed<std::vector<NodeStatus>> parse_status(std::string_view body) {
  return guarded(body, [](const Value& status) {
    const auto nodes = status.FindMember("nodes");
    if (nodes == status.MemberEnd() || !nodes->value.IsObject()) throw json::Malformed("'nodes' is missing");
    std::vector<NodeStatus> all;
    for (const auto& node : nodes->value.GetObject()) {
      if (!node.value.IsObject()) throw json::Malformed("a node is not an object");
      const int free = slots_of(node.value, "free_slots"), freeable = slots_of(node.value, "freeable_slots"),
                busy = slots_of(node.value, "busy_slots");
      all.push_back({text::clean_text({node.name.GetString(), node.name.GetStringLength()}), json::required_text(node.value, {"hard"}),
                     free + freeable + busy, freeable + busy});
    }
    return all;
  });
}

}  // namespace gleaner::oar::g5k
