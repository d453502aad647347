#include "api/param_files.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "api/param_file/read_file.hpp"
#include "lib/grid/clock.hpp"
#include "lib/http/file_descriptor.hpp"
#include "lib/jdl/problem.hpp"
#include "lib/process/log.hpp"

namespace gleaner::api {
namespace {

using Clock = grid::SteadyClock;

constexpr std::string_view kInstead{"send its lines in 'params', or submit with Gleaner's gridsub"};

http::Response refused(std::string_view why) {
  return error(Code::bad_input, fmt::format("param_file is read by gridsub, not by the server: {}: {}", why, kInstead));
}

http::Response later(std::string_view why) {
  auto response = error(Code::unavailable, fmt::format("param_file: {}; nothing was submitted", why));
  response.headers.add("Retry-After", "10");
  return response;
}

/// A connection to the reader, and the time until which it is used.
class Conversation {
 public:
  Conversation(const std::filesystem::path& socket, Clock::time_point ends) : ends_{ends} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = socket.string();
    if (path.size() >= sizeof address.sun_path) return;
    path.copy(address.sun_path, path.size());
    descriptor_ = http::FileDescriptor{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    // A unix socket connects at once, or not at all.
    is_connected_ = ::connect(descriptor_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  [[nodiscard]] bool is_connected() const { return is_connected_; }

  /// False: the reader does not take it in time.
  [[nodiscard]] bool send(std::string_view text) {
    while (!text.empty()) {
      if (!wait(POLLOUT)) return false;
      const auto count = ::send(descriptor_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (count < 0 && errno != EINTR && errno != EAGAIN) return false;
      text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    return ::shutdown(descriptor_.get(), SHUT_WR) == 0;
  }

  /// All that it answers. Empty: not in time.
  [[nodiscard]] std::optional<std::string> receive(std::size_t most) {
    std::string text;
    std::array<char, 65536> buffer{};
    while (text.size() <= most) {
      if (!wait(POLLIN)) return std::nullopt;
      const auto count = ::recv(descriptor_.get(), buffer.data(), buffer.size(), 0);
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  [[nodiscard]] bool wait(short what) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(ends_ - Clock::now()).count();
    pollfd waiting{.fd = descriptor_.get(), .events = what, .revents = 0};
    return left > 0 && ::poll(&waiting, 1, static_cast<int>(left)) > 0;
  }

  http::FileDescriptor descriptor_;
  Clock::time_point ends_;
  bool is_connected_ = false;
};

}  // namespace

/// The right to have a file read; its destructor gives it back.
class ParamFiles::Turn {
 public:
  /// Null: the user has one, or there are too many.
  static std::unique_ptr<Turn> take(ParamFiles& files, uid_t user) {
    const std::lock_guard lock{files.mutex_};
    if (files.in_all_ >= files.options_.at_once || files.of_user_.contains(user)) return nullptr;
    ++files.in_all_;
    files.of_user_.emplace(user, 1);
    return std::unique_ptr<Turn>{new Turn{files, user}};
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    const std::lock_guard lock{files_.mutex_};
    --files_.in_all_;
    files_.of_user_.erase(user_);
  }

 private:
  Turn(ParamFiles& files, uid_t user) : files_{files}, user_{user} {}
  ParamFiles& files_;
  uid_t user_;
};

Asked<std::string> ParamFiles::read(const http::Peer& peer, const std::string& path) {
  if (options_.folders.empty()) return tl::unexpected{refused("this site allows no such files (api_cigri_param_files)")};
  if (!peer.process) return tl::unexpected{refused("over TCP nobody is known to this machine, so that no file can be read as you")};
  const auto turn = Turn::take(*this, peer.process->uid);
  if (turn == nullptr) return tl::unexpected{later("other parameter files are being read")};
  Conversation reader{options_.reader, Clock::now() + options_.patience};
  if (!reader.is_connected()) {
    process::log::error("param-file is not there", {{"socket", options_.reader.string()}, {"why", std::strerror(errno)}});
    return tl::unexpected{later("the program that reads it does not answer: tell the grid's administrators")};
  }
  const auto question = param_file::text_of({.user = peer.process->uid, .path = path});
  std::optional<std::string> answer;
  if (reader.send(question)) answer = reader.receive(param_file::kLongestHead + param_file::kMostBytes);
  if (!answer)
    return tl::unexpected{later(fmt::format("{} could not be read within {} s: its file system may hang", jdl::excerpt(path),
                                            std::chrono::ceil<std::chrono::seconds>(options_.patience).count()))};
  auto bytes = param_file::bytes_of(std::move(*answer));
  if (bytes) return std::move(*bytes);
  if (bytes.error().empty()) return tl::unexpected{later("the program that reads it failed: its log says why")};
  return tl::unexpected{error(Code::bad_input, fmt::format("param_file: {}", bytes.error()))};
}

}  // namespace gleaner::api
