#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "api/call.hpp"

namespace gleaner::api {

/// Parameter files on this machine that submissions to CiGri's routes name (`param_file`). The program `param-file` reads them, as the user
/// of the unix socket's peer, so that nobody gets a file that they may not read, and no file system holds more of gridapi than one thread
/// of each user, for a short time. Thread-safe.
class ParamFiles {
 public:
  struct Options {
    std::vector<std::string> folders;  ///< empty: the site allows none
    std::filesystem::path reader;      ///< the socket of the program
    std::chrono::milliseconds patience{std::chrono::seconds{10}};
    int at_once = 4;  ///< of all users; of one user it is one
  };
  explicit ParamFiles(Options options) : options_{std::move(options)} {}
  ParamFiles(const ParamFiles&) = delete;
  ParamFiles& operator=(const ParamFiles&) = delete;

  /// The bytes of the file. Errors are answers: 400 where the site, the way or the file does not allow it, 503 where it takes too long, or
  /// others are being read.
  [[nodiscard]] Asked<std::string> read(const http::Peer& peer, const std::string& path);

 private:
  class Turn;
  const Options options_;
  std::mutex mutex_;
  std::map<uid_t, int> of_user_;
  int in_all_ = 0;
};

}  // namespace gleaner::api
