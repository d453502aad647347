#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/oar/client.hpp"
#include "lib/oar/parse.hpp"

/// Texts that are sent to OAR 3 and that it answers. Pure functions.
namespace gleaner::oar::oar3 {

/// The greatest id of a job that its database has. A query for a greater one breaks the API's session.
inline constexpr std::int64_t kLastJob = 2'147'483'647;

/// Why the request must not be sent; empty: it may, if its properties may (wrong_properties).
[[nodiscard]] std::optional<std::string> wrong_request(const SubmitRequest& request);

/// The body of POST /jobs, ASCII only. `resource` is a list, the parameter file has no newline at its end (its last line would be one more
/// job), and the command is as a shell at submission would have left it, because there is none.
[[nodiscard]] std::string submission_body(const SubmitRequest& request);

/// The request with `type = 'default'` for each part that names no type, as OAR 2's admission rule adds it: OAR 3 counts licences as nodes
/// without a name otherwise, and gives them to `/nodes=1`.
[[nodiscard]] std::string of_default_type(std::string_view resources);

/// The command without the one layer of escapes that a shell removes inside of double quotes: of `$`, the back-quote and `\\`.
[[nodiscard]] std::string unescaped(std::string_view command);

/// `job_ids=1&job_ids=2`, texts of at most `bytes` bytes, sorted, each id once; ids that its database cannot have are left out.
struct IdChunk {
  std::string query;
  std::size_t count = 0;
};
[[nodiscard]] std::vector<IdChunk> id_chunks(std::span<const grid::RemoteJobId> ids, std::size_t bytes);

/// The properties of the resources, and which of them are numbers.
enum class Column { number, text };
using Columns = std::map<std::string, Column, std::less<>>;
/// From a page of GET /resources?detailed=true. A property that no resource has a value of is not there.
[[nodiscard]] Parsed<Columns> parse_columns(std::string_view body);

/// Why properties must not be sent: they are anything but comparisons of these columns with values of their kind, joined by AND, OR and
/// NOT. The API never recovers from an error of its database, so one user's wrong condition would stop the work of all on the cluster.
[[nodiscard]] std::optional<std::string> wrong_properties(std::string_view properties, const Columns& columns);

/// The text in `{"detail": ...}`; of a list, the place and the message of the first fault.
[[nodiscard]] std::string message_of(std::string_view body);

/// `{"id": FIRST}`.
[[nodiscard]] Parsed<grid::RemoteJobId> parse_first(std::string_view body);
/// The ids of a list of jobs, sorted; an error if there are not `expected`.
[[nodiscard]] Parsed<std::vector<grid::RemoteJobId>> parse_ids(std::string_view body, std::size_t expected);

/// The user of `{"user": ..., "auth": "Token valid"}`; an error if it says otherwise.
[[nodiscard]] Parsed<std::string> parse_checked(std::string_view body);
/// `{"OAR_API_TOKEN": ...}`. The error has nothing of it.
[[nodiscard]] Parsed<Token> parse_new_token(std::string_view body);

/// The outcome of a deletion or another action: the command's status and what it printed.
struct Action {
  std::int64_t status = 0;
  std::string output;
};
[[nodiscard]] Parsed<Action> parse_action(std::string_view body);

/// The path of /media for a user's file: `~/` is their home, by the pattern. Why it is refused: relative, or with characters that the API
/// or a shell would read otherwise.
[[nodiscard]] Parsed<std::string> absolute_path(std::string_view path, std::string_view user, std::string_view homes);

/// The names of evidence that a claim shows: `<task>.<attempt>.<job>.<OAR job>.<end>`, and `.s` where it has no line of an end. Empty: it
/// is no claim's text.
[[nodiscard]] std::optional<std::string> evidence_in_claim(const RunOf& run, std::string_view claim);

}  // namespace gleaner::oar::oar3
