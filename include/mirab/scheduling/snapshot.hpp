#pragma once

#include <string>
#include <string_view>

#include <mirab/model/result.hpp>
#include <mirab/scheduling/engine.hpp>

namespace mirab::scheduling {

/// The number of the form of a snapshot. Forms 4 and 5 are read. In form 3, tournaments under `ps-dsf` are
/// numbered by alternative and server class, and the snapshot names its kDecisionVersion. Form 4 has held
/// amounts, sets of servers, ranks of jobs, tasks that were adopted, groups, and users with their group,
/// quota and tier. Form 5 has jobs with roles, and the roles of their tasks.
inline constexpr int kSnapshotVersion = 5;

/// All of an engine on which its decisions depend, as CBOR (docs/reference/engine.md describes it). The
/// engine restored from it gives the same bytes, then and after the same events. O(everything).
std::string snapshot(const Engine& engine);

/// The engine of a snapshot: the same later events, times and random numbers bring the same decisions with
/// the same identifiers. The random generator is the caller's, and so is its state. Errors: bytes that are no
/// snapshot, or of another version of the form or of the decisions; a state that no engine can be in, by the
/// key. O(everything log everything), and the servers times the shapes that fit nowhere.
///
/// `earlier`: a snapshot of an earlier kDecisionVersion is read too. What it remembers of searches that found
/// nothing is forgotten, and from then on the engine decides as this version does.
Result<Engine> restore(std::string_view bytes, EarlierDecisions earlier = EarlierDecisions::refused);

}  // namespace mirab::scheduling
