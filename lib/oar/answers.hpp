#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/oar/client.hpp"
#include "lib/oar/failure.hpp"
#include "lib/oar/submit_request.hpp"
#include "lib/oar/transport.hpp"

/// What an answer of HTTP means, by its status, its type and what parse.hpp makes of its body.
namespace gleaner::oar {

inline constexpr int kOk = 200;
inline constexpr int kCreated = 201;
inline constexpr int kMultiple = 300;

[[nodiscard]] inline bool is_success(int status) { return status >= kOk && status < kMultiple; }

[[nodiscard]] tl::unexpected<Failure> refused_here(std::string why);
[[nodiscard]] tl::unexpected<Failure> nonsense(std::string_view what, const std::string& why);

/// A body of another type than JSON is somebody else's: a proxy's, or the web server's.
[[nodiscard]] std::optional<std::string> wrong_type(const Answer& answer);

/// Of a POST of `expected` jobs.
[[nodiscard]] Result<Submitted> submitted_of(const Result<Answer>& answer, std::size_t expected);

/// Of a deletion. A success must be said in JSON too: a page of a proxy that says 200 has deleted
/// nothing.
[[nodiscard]] Result<Removal> removal_of(const Result<Answer>& answer);

}  // namespace gleaner::oar
