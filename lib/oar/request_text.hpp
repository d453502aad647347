#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/oar/submit_request.hpp"

/// Texts that are sent to OAR: paths, queries and bodies. Pure functions.
namespace gleaner::oar {

/// Why OAR would use another identity, or none, for this name: it keeps only the first run of word characters.
[[nodiscard]] std::optional<std::string> wrong_user(std::string_view user);

/// Why the request must not be sent as it is; empty: it may.
[[nodiscard]] std::optional<std::string> wrong_request(const SubmitRequest& request);

/// Number of jobs that the request makes.
[[nodiscard]] std::size_t jobs_of(const SubmitRequest& request);

/// The body of POST /jobs, ASCII only.
[[nodiscard]] std::string submission_body(const SubmitRequest& request);

/// The ids in texts `1:2:3` of at most `bytes` bytes (at least one id each), sorted, each id once.
[[nodiscard]] std::vector<std::string> id_chunks(std::span<const grid::RemoteJobId> ids, std::size_t bytes);

/// The kind of jobs that a query is about: OAR's administrators exclude best-effort jobs from some resources.
enum class Effort { best, normal };

/// Why properties are not usable as one condition: an open parenthesis or quote, a `;`, a comment.
[[nodiscard]] std::optional<std::string> wrong_properties(std::string_view properties);

/// The path of the query for the number of resources with these properties, alive or woken for a job at `now`. `total` in the answer is
/// that number plus one, because OAR reports a count of 0 as an error.
[[nodiscard]] std::string matching_path(std::string_view properties, Effort effort, grid::Instant now);

/// The path of the query for the resources that jobs hold, by node: rows of `node` and `held`, and one more, because OAR reports no rows as
/// an error.
[[nodiscard]] std::string held_path();
/// The resources of each usable node that jobs hold, by whether best-effort jobs get them, and one row more.
[[nodiscard]] std::string free_path(grid::Instant now);

/// Why a path is refused for /media. OAR passes it to a shell without quotes, so it may have only plain characters, and must be absolute or
/// start with `~/`.
[[nodiscard]] std::optional<std::string> wrong_path(std::string_view path);

/// `/media/~/a%2Cb`, from `~/a,b` or an absolute path that wrong_path accepts.
[[nodiscard]] std::string media_path(std::string_view path);
/// The path that writes a file, also over one that is there.
[[nodiscard]] std::string replacing_path(std::string_view path);
/// The path that lists the names in the folder.
[[nodiscard]] std::string listing_path(std::string_view path);

}  // namespace gleaner::oar
