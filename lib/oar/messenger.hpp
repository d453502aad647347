#pragma once
#include "lib/oar/transport.hpp"

/// Requests that reach a cluster within this process, instead of over libcurl.
namespace gleaner::oar {

/// Takes single requests to clusters, and brings their answers back.
class Messenger {
 public:
  virtual ~Messenger() = default;
  [[nodiscard]] virtual Result<Answer> deliver(const Access& access, const Request& request) = 0;
};

/// For every Transport and Download that is made from now on, in this whole process; null: libcurl again. The messenger outlives them. It
/// is called from the threads that send.
void send_by(Messenger* messenger);
[[nodiscard]] Messenger* current_messenger();

/// One request, under the limits of its answer's body, which libcurl observes while it arrives.
[[nodiscard]] Result<Answer> delivered(Messenger& messenger, const Access& access, const Limits& limits, const Request& request);
[[nodiscard]] Failure too_long(std::size_t limit);

}  // namespace gleaner::oar
