#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/oar/client.hpp"
#include "lib/oar/failure.hpp"
#include "lib/oar/submit_request.hpp"
#include "lib/oar/transport.hpp"

/// The meaning of an HTTP answer, by its status, its type and the result of parse.hpp for its body.
namespace gleaner::oar {

inline constexpr int kOk = 200;
inline constexpr int kCreated = 201;
inline constexpr int kMultiple = 300;

[[nodiscard]] inline bool is_success(int status) { return status >= kOk && status < kMultiple; }

[[nodiscard]] tl::unexpected<Failure> refused_here(std::string why);
[[nodiscard]] tl::unexpected<Failure> nonsense(std::string_view what, const std::string& why);

/// A body of another type than JSON comes from a proxy or the web server, not from OAR.
[[nodiscard]] std::optional<std::string> wrong_type(const Answer& answer);

/// Whether a web server answers so before OAR gets the request: it wants another identity, or the request is too large.
[[nodiscard]] bool is_before_oar(int status);

/// The result of a POST of `expected` jobs. A refusal that is not OAR's own may be that of a web application firewall, which refuses OAR's
/// answer after the jobs were made: what became of these is unknown.
[[nodiscard]] Result<Submitted> submitted_of(const Result<Answer>& answer, std::size_t expected);

/// The result of a deletion. A success must have a JSON body too: a proxy's page with status 200 means that no job was deleted.
[[nodiscard]] Result<Removal> removal_of(const Result<Answer>& answer);

/// The result of a request for a checkpoint. A success must have a JSON body too.
[[nodiscard]] Result<void> signalled_of(const Result<Answer>& answer);

}  // namespace gleaner::oar
