// What systemd asks of a service of type `notify`: sd_notify(3), without its library.
#pragma once

#include <string_view>

namespace mirab::service {

/// Sends `READY=1`, `WATCHDOG=1`, `STOPPING=1` or `EXTEND_TIMEOUT_USEC=…` to the socket named by
/// $NOTIFY_SOCKET: a path, or @ and an abstract name. Without one, and when nobody listens, nothing happens.
void notify(std::string_view state);

}  // namespace mirab::service
