// The read API of a live cluster, and its page, over the questions of Answering: the routes of api/ that
// change nothing. There are no tokens: it answers those on this machine, whom `kubectl port-forward` and ssh
// bring.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kube/answering.hpp"
#include "net/http_server.hpp"

namespace mirab::kube {

/// A refusal of what is no such route or not from here; else the request has a note for answer_read().
net::Admission admit_read(net::Request& head);

/// `version`: of the program, in the description.
void answer_read(Answering& answering, std::string_view version, const net::Request& request,
                 const std::shared_ptr<net::Exchange>& exchange);

}  // namespace mirab::kube
