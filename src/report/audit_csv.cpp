#include "report/audit.hpp"
#include "report/csv.hpp"

namespace mirab::report {
namespace {

void add_witness(std::vector<std::string>& record, const std::optional<Witness>& witness) {
  record.push_back(witness ? witness->user : "");
  record.push_back(witness ? witness->other : "");
  record.push_back(witness ? csv_number(witness->size) : "");
  record.push_back(witness ? witness->words : "");
}

}  // namespace

std::string audit_csv(const Audited& audited) {
  std::string csv = csv_record({"mechanism", "property", "found", "tried", "user", "other", "size", "words"});
  for (const MechanismAudit& audit : audited.mechanisms) {
    for (std::size_t p = 0; p < audited.properties.size(); ++p) {
      std::vector<std::string> record{audit.mechanism, std::string(property_name(audited.properties[p]))};
      if (audit.refused) {
        record.insert(record.end(), {"n/a", "", "", "", "", audit.refused->message});
      } else {
        const Verdict& verdict = audit.verdicts[p];
        record.emplace_back(found_word(verdict));
        record.push_back(std::to_string(verdict.tried));
        add_witness(record, verdict.witness);
      }
      csv += csv_record(record);
    }
  }
  return csv;
}

std::string claims_csv(const AuditedClaims& audited) {
  std::string csv = csv_record(
      {"mechanism", "property", "printed", "found", "tried", "user", "other", "size", "words", "source"});
  for (const ClaimAudit& each : audited.claims) {
    std::vector<std::string> record{each.mechanism, std::string(property_name(each.claim.property)),
                                    std::string(printed_word(each.claim)),
                                    std::string(found_word(each.verdict)),
                                    std::to_string(each.verdict.tried)};
    add_witness(record, each.verdict.smallest);
    record.emplace_back(each.claim.source);
    csv += csv_record(record);
  }
  return csv;
}

}  // namespace mirab::report
