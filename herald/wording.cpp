#include "herald/wording.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "lib/text/clean.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::herald {
namespace {

/// The words for a code. `{c}` stands for the campaign's number, `{k}` for the cluster's name, `{e}` for the event's id, `{x}` for the
/// rest of a code that only begins so.
struct Saying {
  std::string_view code;  ///< with a `_` at its end: all codes that begin so
  std::string_view happened;
  std::string_view advice;
  std::string_view over = {};  ///< when it ended
};

constexpr auto kSayings = std::to_array<Saying>({
    {"CAMPAIGN_TERMINATED", "campaign {c} is over", "gridstat {c}; its failed tasks: gridstat {c} --state failed"},
    {"CAMPAIGN_CANCELLED", "campaign {c} was deleted", "gridstat {c}"},
    {"FIRST_FAILURE", "campaign {c}: its first task failed", "see why: gridevents {c}; pause it: gridsub --hold {c}"},
    {"BRAKE", "nothing is sent to {k} for a time", "see why: gridevents {c}; lift the brake: gridevents {c} --fix"},
    {"MAX_FAILS", "campaign {c} is paused: more tasks failed than it allows", "see why: gridevents {c}; go on: gridsub --resume {c}"},
    {"PROLOGUE_FAILED", "campaign {c}: its prologue failed on {k}",
     "see why: gridevents {c}; try it again: gridevents {c} --fix --resubmit"},
    {"EPILOGUE_FAILED", "campaign {c}: its epilogue failed on {k}",
     "see why: gridevents {c}; try it again: gridevents {c} --fix --resubmit"},
    {"TASK_ERROR", "campaign {c}: tasks fail on {k}", "see why: gridevents {c}; run them again: gridevents {c} --fix --resubmit"},
    {"SINK", "campaign {c}: tasks end on {k} without having worked",
     "see which: gridevents {c}; run them again: gridsub --retry {c} --sink {k}"},
    {"CANNOT_PLAN", "campaign {c} cannot be planned", "see why: gridevents {c}"},
    {"AWAITS_IN_VAIN", "campaign {c} waits for tasks that are never done", "see which: gridevents {c}"},
    {"GIVEN_WRONG", "campaign {c}: tasks wait, as what was given to them is wrong",
     "see what: gridevents {c}; run them with the JDL's own numbers: gridevents {c} --fix"},
    {"LAUNCH_REFUSED", "campaign {c}: {k} refuses its jobs", "see why: gridevents {c}"},
    {"BLACKLISTED", "somebody keeps jobs from {k}", "see who and why: gridevents -e {e}"},
    {"TOKEN_ENDS_IN_A_WEEK", "your token for {k} ends within a week", "get one there by oarsub -T, and give it: gridtoken add {k}"},
    {"TOKEN_ENDS_IN_A_DAY", "your token for {k} ends within a day", "get one there by oarsub -T, and give it: gridtoken add {k}"},
    {"TOKEN_ENDED", "your token for {k} has ended, and your jobs wait there", "get one there by oarsub -T, and give it: gridtoken add {k}"},
    {"TOKEN_REFUSED", "{k} refuses your token, and your jobs wait there", "get one there by oarsub -T, and give it: gridtoken add {k}"},
    {"TOKENS_UNREADABLE", "users' tokens for {k} cannot be read, and their jobs wait", "see why: gridevents -e {e}; gridctl token list",
     "users' tokens for {k} can be read again"},
    {"SIGNING_KEY_REFUSED", "{k} refuses what the site's key signs, and gets no jobs", "see what to do: gridevents -e {e}; gridctl check",
     "{k} takes what the site's key signs again"},
    {"CLUSTER_UNREACHABLE", "cluster {k} is unreachable",
     "ask it now, and see what to do: gridctl check; leave it out: gridctl cluster disable {k}", "cluster {k} answers again"},
    {"CLUSTER_TURN_FAILED_", "the turn of the {x} fails on cluster {k}",
     "see its message: gridevents -e {e}; the log: journalctl -u gleaner-almighty", "the turns of the {x} on cluster {k} succeed again"},
    {"NOT_CONDUCTED", "nobody conducts the grid: nothing is sent and nothing is noticed",
     "start it: systemctl start gleaner-almighty; see why it ended: journalctl -u gleaner-almighty", "the grid is conducted again"},
    {"LAW_BROKEN_", "a law of the database is broken: {x}", "see the rows, and whether they can be repaired: gridctl db check",
     "the law of the database holds again: {x}"},
    {"MODULE_FAILED_", "the module {x} fails", "see its message: gridevents -e {e}; the log: journalctl -u gleaner-almighty",
     "the module {x} works again"},
    {"DATABASE_UNAVAILABLE", "the grid stood still, as its database could not be used", "see how long and why: gridevents -e {e}"},
    {"DATABASE_AWAY", "the grid's database cannot be used",
     "see why: systemctl status postgresql; the grid waits for it, and loses nothing"},
    {"DATABASE_NEARLY_FULL", "the database is nearly as large as it may get",
     "remove what is old: gridctl prune; allow more: database_size_max in the configuration", "the database has room again"},
    {"DATABASE_RESTORED", "the database was restored from a backup", "see what that means: gridevents -e {e}"},
});

/// An event that states how a campaign is. Its message may be sent a quarter of an hour later, when its user has gone on.
struct StateSaying {
  std::string_view code;
  std::string_view state;
  std::string_view was;  ///< when the state is another one by now
  std::string_view advice;
};

constexpr auto kStateSayings = std::to_array<StateSaying>({
    {"CAMPAIGN_TERMINATED", "terminated", "campaign {c} was over, and has tasks again", "gridstat {c}"},
    {"MAX_FAILS", "paused", "campaign {c} was paused: more tasks failed than it allowed", "see why: gridevents {c}"},
});

/// Null: it is as the event says, or not known.
const StateSaying* changed_since(const Content& content, const Line& line) {
  if (!content.campaign || content.campaign->state.empty()) return nullptr;
  const auto found = std::ranges::find(kStateSayings, line.code, &StateSaying::code);
  return found == kStateSayings.end() || found->state == content.campaign->state ? nullptr : &*found;
}

const Saying* saying_of(std::string_view code) {
  const auto found = std::ranges::find_if(
      kSayings, [&](const Saying& saying) { return saying.code.ends_with('_') ? code.starts_with(saying.code) : code == saying.code; });
  return found == kSayings.end() ? nullptr : &*found;
}

std::string filled(std::string_view form, const Content& content, const Line& line) {
  const auto campaign = content.campaign ? content.campaign->id : line.campaign.value_or(0);
  const auto* const saying = saying_of(line.code);
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '{' || i + 2 >= form.size() || form[i + 2] != '}') {
      text += form[i];
      continue;
    }
    const auto what = form[i + 1];
    if (what == 'c') text += campaign > 0 ? fmt::format("{}", campaign) : "ID";
    if (what == 'k') text += line.cluster.empty() ? "all clusters" : safe_name(line.cluster);
    if (what == 'e') text += line.event ? fmt::format("{}", *line.event) : "ID";
    if (what == 'x' && saying != nullptr) text += safe_name(std::string_view{line.code}.substr(saying->code.size()));
    i += 2;
  }
  return text;
}

std::string headline(const Content& content, const Line& line) {
  const auto* const saying = saying_of(line.code);
  std::string text;
  if (line.change == Line::Change::closed) {
    text = saying != nullptr && !saying->over.empty()
               ? filled(saying->over, content, line)
               : fmt::format("{} is over{}", safe_name(line.code), line.cluster.empty() ? "" : " on " + safe_name(line.cluster));
  } else if (const auto* const changed = changed_since(content, line); changed != nullptr) {
    text = filled(changed->was, content, line);
  } else if (saying != nullptr) {
    text = filled(saying->happened, content, line);
  } else {
    text = fmt::format("{}{}{}", line.campaign ? fmt::format("campaign {}: ", *line.campaign) : std::string{}, safe_name(line.code),
                       line.cluster.empty() ? "" : " on " + safe_name(line.cluster));
  }
  if (line.campaigns > 1) text += fmt::format(", and of {} campaigns more the same", line.campaigns - 1);
  else if (line.times > 1) text += fmt::format(" ({} times)", line.times);
  return text;
}

std::string advice(const Content& content, const Line& line) {
  if (line.change == Line::Change::closed) return {};
  const auto* const saying = saying_of(line.code);
  if (line.code == "BRAKE" && !line.campaign) return "see why: gridevents --global; ask the cluster now: gridctl check";
  if (const auto* const changed = changed_since(content, line); changed != nullptr) return filled(changed->advice, content, line);
  if (saying != nullptr) return filled(saying->advice, content, line);
  if (line.event) return fmt::format("see its message: gridevents -e {}", *line.event);
  return line.campaign ? fmt::format("gridevents {}", *line.campaign) : std::string{"gridevents --global"};
}

std::string counts(const CampaignFacts& campaign) {
  auto text = fmt::format("{} of {} tasks done", campaign.done, campaign.total);
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(campaign.failed, "failed");
  add(campaign.running, "with a job");
  add(campaign.waiting, "waiting");
  add(campaign.cancelled, "cancelled");
  return text;
}

constexpr std::string_view kTest{"this is a test message of gridnotify: messages arrive here"};

std::string summary(const Content& content) {
  if (content.is_test || content.lines.empty()) return std::string{kTest};
  const auto& first = content.lines.front();
  auto text = headline(content, first);
  if (content.campaign && first.code == "CAMPAIGN_TERMINATED") text += ": " + counts(*content.campaign);
  const auto others = static_cast<std::int64_t>(content.lines.size()) - 1 + content.more;
  if (others > 0) text += fmt::format(" (and {} more)", others);
  return text;
}

/// Text of others without control characters and line ends, so that no line of it is taken for one of ours.
std::string shown_text(std::string_view text) { return text::clean_text(text, {.most_bytes = 300}); }

std::string day_and_time(std::string_view at) {
  constexpr std::size_t kMinute = 16;
  auto text = safe_name(at.substr(0, 10)) + (at.size() > kMinute ? " " : "");
  if (at.size() > kMinute) text += fmt::format("{}:{}", safe_name(at.substr(11, 2)), safe_name(at.substr(14, 2)));
  return text;
}

/// RFC 2045: the text with lines of at most 76 letters of ASCII.
std::string quoted_printable(std::string_view text) {
  constexpr std::size_t kMostColumns = 72;
  std::string result;
  std::size_t column = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      result += "\r\n";
      column = 0;
      continue;
    }
    const bool ends_line = i + 1 == text.size() || text[i + 1] == '\n';
    // A dot or "From " at the beginning of a line means something to old programs.
    const bool is_special = (column == 0 && (c == '.' || c == 'F')) || (c == ' ' && ends_line);
    const bool is_plain = c >= ' ' && c <= '~' && c != '=' && !is_special;
    const auto written = is_plain ? std::string{c} : fmt::format("={:02X}", static_cast<unsigned char>(c));
    if (column + written.size() > kMostColumns) {
      result += "=\r\n";
      column = 0;
    }
    result += written;
    column += written.size();
  }
  return result;
}

}  // namespace

std::string safe_name(std::string_view name) {
  constexpr std::size_t kMost = 64;
  std::string safe{name.substr(0, kMost)};
  std::ranges::replace_if(
      safe,
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_');
      },
      '_');
  return safe;
}

std::string subject(const Content& content) {
  constexpr std::size_t kMost = 200;
  auto text = fmt::format("[{}] {}", content.grid, summary(content));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '_');
  return text.substr(0, kMost);
}

std::string plain_text(const Content& content) {
  if (content.is_test) return fmt::format("{}.\n\nWho is told what: gridnotify --list\n", kTest);
  std::string text;
  if (const auto& campaign = content.campaign)
    text += fmt::format("Campaign {} ({}) of {}, {}: {}.\n\n", campaign->id, shown_text(campaign->name), shown_text(campaign->user),
                        safe_name(campaign->state), counts(*campaign));
  for (const auto& line : content.lines) {
    text += fmt::format("- {}, {} UTC [{}]\n", headline(content, line), day_and_time(line.last_at), safe_name(line.code));
    if (!line.message.empty()) text += fmt::format("    {}\n", shown_text(line.message));
    if (const auto what = advice(content, line); !what.empty()) text += fmt::format("    {}\n", what);
  }
  if (content.more > 0) text += fmt::format("- and {} more: gridevents\n", content.more);
  text += "\nWho is told what: gridnotify --list\n";
  return text;
}

std::string chat_text(const Content& content) {
  constexpr std::size_t kMostLines = 10;
  auto text = fmt::format("{}: {}", content.grid, summary(content));
  for (std::size_t i = 0; i < std::min(content.lines.size(), kMostLines); ++i) {
    const auto& line = content.lines[i];
    if (i > 0) text += fmt::format("\n- {}", headline(content, line));
    if (const auto what = advice(content, line); !what.empty()) text += fmt::format("\n  {}", what);
  }
  return text;
}

std::string chat_body(const Content& content) {
  text::JsonWriter json;
  json.object([&] { json.field("text", chat_text(content)); });
  return json.text();
}

std::string mail(const Content& content, std::string_view from, std::string_view to, grid::Instant date) {
  const auto domain = from.substr(from.find('@') + 1);
  return fmt::format(
      "Date: {:%a, %d %b %Y %H:%M:%S} +0000\r\n"
      "From: {}\r\n"
      "To: {}\r\n"
      "Subject: {}\r\n"
      "Message-ID: <{}@{}>\r\n"
      "Auto-Submitted: auto-generated\r\n"
      "MIME-Version: 1.0\r\n"
      "Content-Type: text/plain; charset=utf-8\r\n"
      "Content-Transfer-Encoding: quoted-printable\r\n"
      "\r\n"
      "{}",
      std::chrono::floor<std::chrono::seconds>(date), from, to, subject(content), safe_name(content.uid), domain,
      quoted_printable(plain_text(content)));
}

}  // namespace gleaner::herald
