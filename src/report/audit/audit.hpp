#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include <mirab/audit/audit.hpp>

namespace mirab::report {

/// What was audited, and how far was looked.
struct AuditRun {
  std::string title;  ///< what the cluster is called, its file, or `500 random clusters`
  std::vector<Property> properties;
  std::uint64_t budget;
  std::uint64_t seed;
  std::vector<MechanismAudit> mechanisms;
  std::optional<std::uint64_t> seconds = {};  ///< that the searches might take; none: without an end
};

/// What was claimed, and how far was looked.
struct ClaimAuditRun {
  std::uint64_t clusters;
  std::uint64_t budget;
  std::uint64_t seed;
  std::vector<ClaimAudit> claims;
  std::optional<std::uint64_t> seconds = {};  ///< as above
};

/// What a person reads: which property holds of which mechanism, then why not, in words; no wider than
/// `width` where that can be.
std::string audit_table(const AuditRun& audited, std::size_t width);

/// docs/schema/audit.schema.json.
nlohmann::ordered_json audit_json(const AuditRun& audited);

/// One record a mechanism and property.
std::string audit_csv(const AuditRun& audited);

/// What the registry says, and what was found.
std::string claims_table(const ClaimAuditRun& audited, std::size_t width);

/// docs/schema/claims.schema.json.
nlohmann::ordered_json claims_json(const ClaimAuditRun& audited);

/// One record a claim.
std::string claims_csv(const ClaimAuditRun& audited);

/// What the registry says in a word: `holds`, `fails`, `refuted`.
std::string_view printed_word(const Claim& claim);

/// What the auditor found in a word: `holds`, `vacuous`, `searched`, `fails`, `undecided`, `not applicable`.
std::string_view found_word(const Verdict& verdict);

/// The smallest witness of a verdict that has one.
const Witness& shown_witness(const Verdict& verdict);

/// A cluster in one line: `s1: cpu 9, memory 18; A: cpu 1, memory 4; B: cpu 3, memory 1`; of a large one only
/// how many servers and users it has.
std::string cluster_words(const Cluster& cluster);

/// The text in lines that stand so far in, all but the first two columns further.
std::string indented(std::string_view text, std::size_t indent, std::size_t width);

/// A witness with the cluster that shows it; `changed`, if any, too.
nlohmann::ordered_json witness_json(const Witness& witness);

/// A file name such as `drf-resource-monotonicity` for a witness.
std::string witness_name(const std::string& mechanism, Property property);

}  // namespace mirab::report
