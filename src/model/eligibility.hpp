#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>

namespace mirab {

// On which servers a user may run: `servers` and `select` must allow the server, the user must tolerate its
// taints, and the server must have some of every resource that the user demands there. A user who may fit
// nowhere and is eligible nowhere waits for a server, and gets nothing until then.

/// Do its `servers`, and those that it excludes, allow the server?
bool is_named(const User& user, const Server& server);

/// Does `select` of the user allow the server? Of a server with these labels?
bool is_selected(const User& user, const Server& server);
bool are_selected(const std::map<std::string, LabelCondition>& select,
                  const std::map<std::string, std::string>& labels);

/// Does the user tolerate the taints of the server that keep users off?
bool is_let_in(const User& user, const Server& server);
bool are_tolerated(const std::vector<Taint>& taints, const std::vector<Toleration>& tolerations);

/// The taints of the server that keep the user off: `gpu`, `dedicated=ml, tier=5`. Empty: it tolerates them.
std::string untolerated_taints(const User& user, const Server& server);

/// Is it all three: named, selected, and let in?
bool is_allowed(const User& user, const Server& server);

/// Where a user may run, said by the names of servers and values of labels alone, as the engine takes it.
struct NamesAndValues {
  std::optional<std::vector<std::string>> servers;
  std::map<std::string, std::vector<std::string>> select;
};

/// What the user says, where that is no more; else the names of the servers that are allowed. O(K).
NamesAndValues as_names_and_values(const User& user, const std::vector<Server>& servers);

/// Says where each user may run by the names of servers alone: labels, taints, and what asks for them go.
void name_servers(Cluster& cluster);

/// Lets the user run on every server, with the same tasks on each.
void let_run_everywhere(User& user);

/// What a task of the user takes on the server.
const ResourceVector& demand_on(const User& user, const Server& server);

/// The first resource that is demanded and of which the server has none.
std::optional<std::size_t> lacking(const ResourceVector& demand, const Server& server);

/// Is the user eligible on some server? O(K).
bool is_eligible_somewhere(const Problem& problem, std::size_t user);

/// The same of each user, [n]. O(N + K sets of eligible servers).
std::vector<bool> eligible_somewhere(const Problem& problem);

/// What a user who is eligible nowhere waits for: the resources of which no server that it is allowed has
/// any, or else, where each is on some of them, those that none has together.
struct Lack {
  std::vector<std::size_t> resources = {};  ///< ascending; none: it is allowed no server
  bool is_together = false;
};

/// Requires that the user is eligible nowhere. O(K m).
Lack lack_of(const Problem& problem, std::size_t user);

/// `gpu`, `gpu, disk`, `gpu and disk together`; empty: it is allowed no server.
std::string lack_words(const Problem& problem, const Lack& lack);

/// Adds a server to the cluster of the problem. Who waits for a server, since it fits on none of those that
/// its `servers` name, waits for this one too: it is named as well. O(users who wait and name servers, K).
void add_server(Cluster& cluster, const Problem& problem, Server server);

/// Why user n is eligible nowhere, with the key. `who` is what the message calls it: `user 'a'` when left
/// out.
Error fits_nowhere(const Cluster& cluster, std::size_t n, const std::string& who = {});

}  // namespace mirab
