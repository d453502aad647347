#pragma once
#include <cstdint>
#include <mutex>
#include <string>

#include "api/call.hpp"
#include "api/spool.hpp"
#include "lib/inputs/spool.hpp"
#include "lib/store/inputs.hpp"

namespace gleaner::api {

/// The spool of input files: its contents, what arrives, and what nobody needs any more. Uploads count from their first byte on, for all
/// users together (input_spool_max) and for each (input_spool_share). Thread-safe.
class InputSpool {
 public:
  explicit InputSpool(const process::Config& config);
  InputSpool(const InputSpool&) = delete;
  InputSpool& operator=(const InputSpool&) = delete;

  [[nodiscard]] const inputs::Spool& files() const { return files_; }
  [[nodiscard]] std::uint64_t most_of_user() const { return most_of_user_; }

  /// Room for an upload. Its destructor gives it back; the content has a row of its own then.
  class Part {
   public:
    Part(InputSpool& spool, std::string user) : spool_{spool}, user_{std::move(user)} {}
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() { spool_.arriving_.give_back(user_, bytes_); }

    enum class Length { known, unknown };
    /// Makes it large enough for so many bytes in all; of an upload of unknown length, for more, so that it seldom asks. Error: why it
    /// cannot be.
    [[nodiscard]] tl::expected<void, std::string> hold(const Call& call, std::uint64_t bytes, Length length);

   private:
    InputSpool& spool_;
    std::string user_;
    std::uint64_t bytes_ = 0;
  };

  enum class Content {
    known,  ///< some user has it: it needs no further room on the disk
    another
  };
  /// Why the caller may not have a content that they do not have yet; empty: they may. The lock of the spool is held.
  [[nodiscard]] std::optional<std::string> obstacle(const Call& call, store::Transaction& transaction, std::int64_t bytes,
                                                    Content content) const;

  /// Removes some of what nobody needs, and of what a crash left, unless another request does so now. Cost: bounded, whatever the size of
  /// the spool.
  void tidy(const Call& call);

 private:
  [[nodiscard]] Spool::Grown grow(const Call& call, const std::string& user, std::uint64_t bytes);
  void make_room(const Call& call);
  void tidy_strays(const Call& call);

  inputs::Spool files_;
  const std::uint64_t most_;
  const std::uint64_t most_of_user_;
  Spool arriving_;
  std::mutex tidying_;
  inputs::Walk walk_;
};

}  // namespace gleaner::api
