// The bodies of PUT: read strictly, and written in the normal form that is hashed and logged.
#include "live/content.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <set>

#include <mirab/model/assert.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/scheduling/fill.hpp>

#include "live/body.hpp"
#include "model/clear_names.hpp"
#include "model/names.hpp"

namespace mirab::live {
namespace {

constexpr int kDeepest = 16;
constexpr std::size_t kMostName = 253;
constexpr std::int64_t kMostAttempts = 1'000;
constexpr std::int64_t kMostTasks = 1'000'000'000;
constexpr std::size_t kMostRoles = 100;

constexpr std::array<std::string_view, 17> kDoWords{
    "server-put", "server-delete", "tenant-put",    "tenant-delete", "group-put",   "group-delete",
    "queue-put",  "queue-delete",  "job-put",       "job-cancel",    "outcome-put", "policy-put",
    "token-put",  "token-delete",  "server-silent", "server-back",   "server-lost"};

constexpr std::array<std::string_view, 5> kEndedWords{"succeeded", "failed", "lost", "cancelled",
                                                      "preempted"};
constexpr std::array<std::string_view, 6> kLimitNames{"burst",         "queued_jobs",   "requests_per_s",
                                                      "submits_per_s", "waiting_tasks", "watches"};

constexpr std::array<std::string_view, 6> kOutcomeWords{"succeeded", "failed",    "lost",
                                                        "cancelled", "preempted", "running"};

std::optional<Ended> ended_of(std::size_t word) {
  if (word == kEndedWords.size()) return {};
  return static_cast<Ended>(word);
}

ServerContent server_of(const Body& body) {
  body.allow_only({"capacity", "labels", "state"});
  ServerContent server;
  if (const auto found = body.required("capacity")) server.capacity = found->amounts();
  if (const auto found = body.find("labels")) server.labels = found->labels();
  constexpr std::array<std::string_view, 2> kStates{"open", "drained"};
  if (const auto found = body.find("state")) server.drained = found->word(kStates) == 1;
  return server;
}

TenantContent tenant_of(const Body& body) {
  body.allow_only({"limits"});
  TenantContent tenant;
  if (const auto found = body.find("limits")) {
    found->allow_only(kLimitNames);
    found->for_each([&](const std::string& name, const Body& value) {
      tenant.limits[name] = value.whole(0, std::int64_t{1} << 53);
    });
  }
  return tenant;
}

QuotaContent quota_of(const Body& body) {
  QuotaContent quota;
  if (const auto found = body.find("weight")) quota.weight = found->weight();
  if (const auto found = body.find("guarantee")) quota.guarantee = found->amounts();
  if (const auto found = body.find("limit")) quota.limit = found->amounts(scheduling::kNoLimit);
  if (const auto found = body.find("reserved")) quota.reserved = found->amounts();
  return quota;
}

GroupContent group_of(const Body& body) {
  body.allow_only({"parent", "weight", "guarantee", "limit", "reserved"});
  GroupContent group;
  if (const auto found = body.find("parent")) group.parent = found->name("group");
  group.quota = quota_of(body);
  return group;
}

QueueContent queue_of(const Body& body) {
  body.allow_only({"tenant", "group", "weight", "guarantee", "limit", "reserved"});
  QueueContent queue;
  if (const auto found = body.required("tenant")) queue.tenant = found->name("tenant");
  if (const auto found = body.find("group")) queue.group = found->name("group");
  queue.quota = quota_of(body);
  return queue;
}

Json spec_of(const Body& body) {
  body.allow_only({"argv", "env", "time_limit", "when_lost"});
  Json spec = Json::object();
  if (const auto found = body.find("argv")) spec["argv"] = found->texts();
  if (const auto found = body.find("env")) {
    spec["env"] = Json::object();
    found->for_each([&](const std::string& name, const Body& value) { spec["env"][name] = value.text(); });
  }
  if (const auto found = body.find("time_limit")) spec["time_limit"] = duration_text(found->duration());
  constexpr std::array<std::string_view, 2> kWhenLost{"rerun", "stop"};
  const auto when_lost = body.find("when_lost");
  spec["when_lost"] = kWhenLost[when_lost ? when_lost->word(kWhenLost) : 0];
  if (!body.failed() && spec.dump().size() > kMostSpecBytes)
    body.refuse(too_large(body.key(), fmt::format("at most {} bytes are expected here", kMostSpecBytes)));
  return spec;
}

Amounts demand_of_task(const Body& body) {
  const auto found = body.required("demand");
  if (!found) return {};
  Amounts demand = found->amounts();
  if (!body.failed() && std::all_of(demand.begin(), demand.end(), [](auto a) { return a == 0; }))
    body.refuse(unprocessable("bad-amount", found->key(), "a task takes something of at least one resource"));
  return demand;
}

void read_roles(const Body& body, const Body& list, JobContent& job) {
  for (const char* const key : {"tasks", "demand", "gang", "demand_on"}) {
    if (const auto found = body.find(key))
      found->refuse(bad_request(found->key(), "a job with roles has none of its own: each role says it"));
  }
  list.for_each_item("roles", [&](const Body& item) {
    item.allow_only({"name", "tasks", "demand"});
    std::string name;
    if (const auto found = item.required("name")) {
      name = found->new_name("role");
      if (std::find(job.role_names.begin(), job.role_names.end(), name) != job.role_names.end())
        found->refuse(bad_request(found->key(), "another role has this name"));
    }
    scheduling::Role role{.demand = demand_of_task(item)};
    if (const auto found = item.find("tasks")) role.tasks = found->whole(1, kMostTasks);
    job.role_names.push_back(std::move(name));
    job.terms.roles.push_back(std::move(role));
  });
  if (body.failed()) return;
  if (job.terms.roles.empty()) list.refuse(bad_request(list.key(), "at least one role is expected here"));
  if (job.terms.roles.size() > kMostRoles)
    list.refuse(too_large(list.key(), fmt::format("a job has at most {} roles", kMostRoles)));
}

void read_tasks(const Body& body, scheduling::JobSubmitted& terms) {
  terms.demand = demand_of_task(body);
  if (const auto found = body.find("tasks")) terms.tasks = found->whole(1, kMostTasks);
  if (const auto found = body.find("gang")) {
    terms.gang = found->whole(1, kMostTasks);
    if (!body.failed() && terms.gang > terms.tasks)
      body.refuse(
          unprocessable("never-fits", found->key(),
                        fmt::format("{} tasks cannot start together of {}", terms.gang, terms.tasks)));
  }
  if (const auto found = body.find("demand_on"))
    found->for_each(
        [&](const std::string& server, const Body& value) { terms.demand_on[server] = value.amounts(); });
}

void read_terms(const Body& body, scheduling::JobSubmitted& terms) {
  if (const auto found = body.find("per_server")) terms.per_server = found->whole(1, kMostTasks);
  if (const auto found = body.find("servers")) terms.servers = found->texts();
  if (const auto found = body.find("select")) {
    found->for_each([&](const std::string& label, const Body& value) {
      terms.select[label] = value.json().is_string() ? std::vector<std::string>{value.text()} : value.texts();
      if (!value.failed() && terms.select[label].empty())
        value.refuse(bad_request(value.key(), "at least one value is expected here"));
    });
  }
  if (const auto found = body.find("spread")) {
    found->allow_only({"label", "most_apart"});
    scheduling::Spread spread;
    if (const auto label = found->required("label")) spread.label = label->text(kMostLabelKey);
    if (const auto most = found->find("most_apart")) spread.most_apart = most->whole(1, kMostTasks);
    terms.spread = spread;
  }
  if (const auto found = body.find("pack")) terms.pack = found->text(kMostLabelKey);
  if (const auto found = body.find("priority")) {
    // Critical pods of Kubernetes have more than people may give.
    const std::int64_t priority =
        body.is_normal() ? found->whole(INT32_MIN, INT32_MAX) : found->whole(-1'000'000'000, 1'000'000'000);
    if (priority != 0) terms.rank = scheduling::Rank{.priority = priority};
  }
  if (const auto found = body.find("preemptible")) terms.may_be_preempted = found->truth();
}

JobContent job_of(const Body& body) {
  JobContent job;
  body.allow_only({"tasks", "demand", "gang", "per_server", "servers", "select", "spread", "pack",
                   "demand_on", "priority", "preemptible", "attempts", "labels", "spec", "roles"});
  if (const auto roles = body.find("roles")) {
    read_roles(body, *roles, job);
  } else {
    read_tasks(body, job.terms);
  }
  read_terms(body, job.terms);
  if (const auto found = body.find("attempts")) job.attempts = found->whole(1, kMostAttempts);
  if (const auto found = body.find("labels")) job.labels = found->labels();
  if (const auto found = body.find("spec")) {
    job.spec = spec_of(*found);
  } else {
    job.spec["when_lost"] = "rerun";
  }
  return job;
}

OutcomeContent outcome_of(const Body& body) {
  body.allow_only({"outcome", "exit_code", "attempt", "usage", "reason"});
  OutcomeContent outcome;
  if (const auto found = body.required("outcome")) outcome.outcome = ended_of(found->word(kOutcomeWords));
  if (const auto found = body.find("exit_code")) outcome.exit_code = found->whole(INT32_MIN, INT32_MAX);
  if (const auto found = body.find("attempt")) outcome.attempt = found->whole(1, INT32_MAX);
  if (const auto found = body.find("usage")) {
    if (found->expect_object() && found->json().size() > kMostLabels)
      found->refuse(too_large(found->key(), "too many kinds of usage"));
    found->for_each(
        [&](const std::string& name, const Body& value) { outcome.usage[name] = value.whole(0, INT64_MAX); });
  }
  if (const auto found = body.find("reason")) outcome.reason = found->text(kMostLabelValue);
  return outcome;
}

Choice chosen(const Body& body, Result<Choice> (*choose)(std::string_view)) {
  const std::string text = body.text();
  if (body.failed()) return {};
  Result<Choice> choice = choose(text);
  if (!choice) body.refuse(unprocessable("bad-policy", body.key(), choice.error().message));
  return choice ? *std::move(choice) : Choice();
}

Duration positive_duration(const Body& body) {
  const Duration duration = body.duration();
  if (!body.failed() && duration <= Duration(0))
    body.refuse(bad_request(body.key(), "more than 0 is expected here"));
  return duration;
}

PolicyContent policy_of(const Body& body, const Units& units) {
  body.allow_only(
      {"discipline", "placement", "tie", "share_scale", "half_life", "reservations", "preemption"});
  PolicyContent policy;
  scheduling::EngineOptions& options = policy.options;
  if (const auto found = body.required("discipline")) options.discipline = chosen(*found, choose_discipline);
  if (const auto found = body.required("placement")) options.placement = chosen(*found, choose_placement);
  if (const auto found = body.find("tie"))
    options.tie = static_cast<Tie>(found->word(scheduling::kWords<Tie>));
  if (const auto found = body.find("share_scale")) {
    options.share_scale.assign(units.size(), Quantity(1));
    found->allow_only([&] {
      std::vector<std::string_view> names;
      for (const Resource& resource : units.resources()) names.emplace_back(resource.name);
      return names;
    }());
    for (std::size_t r = 0; r < units.size(); ++r) {
      if (const auto scale = found->find(units.resources()[r].name)) options.share_scale[r] = scale->weight();
    }
  }
  if (const auto found = body.find("half_life")) options.half_life = positive_duration(*found);
  if (const auto found = body.find("reservations")) {
    found->allow_only({"after", "servers", "at_most"});
    scheduling::Reserving reserving{};
    if (const auto after = found->required("after")) reserving.after = positive_duration(*after);
    if (const auto servers = found->find("servers"))
      reserving.servers = static_cast<std::size_t>(servers->whole(1, 1'000'000));
    if (const auto most = found->find("at_most")) reserving.at_most = positive_duration(*most);
    options.reservations = reserving;
  }
  if (const auto found = body.find("preemption")) {
    found->allow_only({"tasks", "per"});
    scheduling::Preempting preempting{};
    if (const auto tasks = found->required("tasks")) preempting.tasks = tasks->whole(1, 1'000'000'000);
    if (const auto per = found->required("per")) preempting.per = positive_duration(*per);
    options.preemption = preempting;
  }
  return policy;
}

TokenContent token_of(const Body& body) {
  if (body.is_normal()) {
    body.allow_only({"scopes", "tenant", "server", "expires", "secret_sha256"});
  } else {
    body.allow_only({"scopes", "tenant", "server", "expires"});
  }
  TokenContent token;
  if (const auto found = body.required("scopes")) {
    for (const std::string& word : found->texts()) {
      bool* const scope = word == "admin"      ? &token.scopes.admin
                          : word == "operator" ? &token.scopes.operates
                          : word == "submit"   ? &token.scopes.submit
                          : word == "read"     ? &token.scopes.read
                          : word == "executor" ? &token.scopes.executor
                          : word == "metrics"  ? &token.scopes.metrics
                                               : nullptr;
      if (scope == nullptr) {
        found->refuse(
            bad_request(found->key(), "scopes are admin, operator, submit, read, executor and metrics"));
        break;
      }
      *scope = true;
    }
    if (!body.failed() && token.scopes == Scopes())
      found->refuse(bad_request(found->key(), "at least one scope is expected here"));
  }
  if (const auto found = body.find("tenant")) token.tenant = found->name("tenant");
  if (const auto found = body.find("server")) token.server = found->name("server");
  if (const auto found = body.find("expires")) {
    token.expires = wall_of(found->text());
    if (!token.expires)
      found->refuse(bad_request(found->key(), "a time is expected here, such as 2027-03-01T08:00:00Z"));
  }
  if (const auto found = body.find("secret_sha256")) token.secret_sha256 = found->text();
  const bool of_tenant = token.scopes.submit || token.scopes.read || token.scopes.executor;
  if (of_tenant && token.tenant.empty()) body.required("tenant");
  if (token.scopes.executor && token.server.empty()) body.required("server");
  return token;
}

Json quota_json(const QuotaContent& quota, const Units& units) {
  Json json = {{"weight", quota.weight.text()}};
  if (quota.guarantee) json["guarantee"] = units.base(*quota.guarantee);
  if (quota.limit) json["limit"] = units.base(*quota.limit, scheduling::kNoLimit);
  if (quota.reserved) json["reserved"] = units.base(*quota.reserved);
  return json;
}

Json form_of(const Nothing& /*content*/, const Units& /*units*/) { return {}; }

Json form_of(const ServerContent& server, const Units& units) {
  Json json = {{"capacity", units.base(server.capacity)}, {"labels", server.labels}};
  if (server.drained) json["state"] = *server.drained ? "drained" : "open";
  return json;
}

Json form_of(const TenantContent& tenant, const Units& /*units*/) { return {{"limits", tenant.limits}}; }

Json form_of(const GroupContent& group, const Units& units) {
  Json json = quota_json(group.quota, units);
  if (!group.parent.empty()) json["parent"] = group.parent;
  return json;
}

Json form_of(const QueueContent& queue, const Units& units) {
  Json json = quota_json(queue.quota, units);
  json["tenant"] = queue.tenant;
  if (!queue.group.empty()) json["group"] = queue.group;
  return json;
}

Json form_of(const JobContent& job, const Units& units) {
  const scheduling::JobSubmitted& terms = job.terms;
  Json json = {
      {"select", terms.select},   {"priority", priority_of(terms)}, {"preemptible", terms.may_be_preempted},
      {"attempts", job.attempts}, {"labels", job.labels},           {"spec", job.spec}};
  if (terms.roles.empty()) {
    json["tasks"] = terms.tasks;
    json["demand"] = units.base(terms.demand);
    json["gang"] = terms.gang;
  }
  for (std::size_t k = 0; k < terms.roles.size(); ++k)
    json["roles"].push_back({{"name", job.role_names[k]},
                             {"tasks", terms.roles[k].tasks},
                             {"demand", units.base(terms.roles[k].demand)}});
  if (terms.per_server) json["per_server"] = *terms.per_server;
  if (terms.servers) json["servers"] = *terms.servers;
  if (terms.spread)
    json["spread"] = {{"label", terms.spread->label}, {"most_apart", terms.spread->most_apart}};
  if (terms.pack) json["pack"] = *terms.pack;
  for (const auto& [server, demand] : terms.demand_on) json["demand_on"][server] = units.base(demand);
  return json;
}

Json form_of(const OutcomeContent& outcome, const Units& /*units*/) {
  Json json = {{"outcome", outcome.outcome ? word_of(*outcome.outcome) : kOutcomeWords.back()}};
  if (outcome.exit_code) json["exit_code"] = *outcome.exit_code;
  if (outcome.attempt) json["attempt"] = *outcome.attempt;
  if (!outcome.usage.empty()) json["usage"] = outcome.usage;
  if (!outcome.reason.empty()) json["reason"] = outcome.reason;
  return json;
}

Json form_of(const PolicyContent& policy, const Units& units) {
  const scheduling::EngineOptions& options = policy.options;
  Json json = {{"discipline", options.discipline.text},
               {"placement", options.placement.text},
               {"tie", scheduling::kWords<Tie>[static_cast<std::size_t>(options.tie)]}};
  for (std::size_t r = 0; r < options.share_scale.size(); ++r)
    json["share_scale"][units.resources()[r].name] = options.share_scale[r].text();
  if (options.half_life) json["half_life"] = duration_text(*options.half_life);
  if (options.reservations) {
    json["reservations"] = {{"after", duration_text(options.reservations->after)},
                            {"servers", options.reservations->servers}};
    if (options.reservations->at_most)
      json["reservations"]["at_most"] = duration_text(*options.reservations->at_most);
  }
  if (options.preemption)
    json["preemption"] = {{"tasks", options.preemption->tasks},
                          {"per", duration_text(options.preemption->per)}};
  return json;
}

Json form_of(const TokenContent& token, const Units& /*units*/) {
  Json json = {{"scopes", words_of(token.scopes)}};
  if (!token.tenant.empty()) json["tenant"] = token.tenant;
  if (!token.server.empty()) json["server"] = token.server;
  if (token.expires) json["expires"] = text_of(*token.expires);
  if (!token.secret_sha256.empty()) json["secret_sha256"] = token.secret_sha256;
  return json;
}

}  // namespace

std::vector<scheduling::JobSubmitted> terms_by_role(const scheduling::JobSubmitted& terms) {
  if (terms.roles.empty()) return {terms};
  std::vector<scheduling::JobSubmitted> each(terms.roles.size(), terms);
  for (std::size_t k = 0; k < each.size(); ++k) {
    each[k].roles.clear();
    each[k].tasks = each[k].gang = terms.roles[k].tasks;
    each[k].demand = terms.roles[k].demand;
  }
  return each;
}

std::int64_t tasks_of(const scheduling::JobSubmitted& terms) {
  if (terms.roles.empty()) return terms.tasks;
  return std::accumulate(terms.roles.begin(), terms.roles.end(), std::int64_t{0},
                         [](std::int64_t sum, const scheduling::Role& role) { return sum + role.tasks; });
}

std::int64_t priority_of(const scheduling::JobSubmitted& terms) {
  return terms.rank ? terms.rank->priority : 0;
}

std::string_view word_of(Ended ended) { return kEndedWords[static_cast<std::size_t>(ended)]; }

std::string_view word_of(Do what) { return kDoWords[static_cast<std::size_t>(what)]; }

std::optional<Do> do_of(std::string_view word) {
  const auto* const found = std::find(kDoWords.begin(), kDoWords.end(), word);
  if (found == kDoWords.end()) return {};
  return static_cast<Do>(found - kDoWords.begin());
}

void for_each_bracket(std::string_view text, const std::function<bool(int, char)>& visit) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (in_text) {
      if (letter == '\\') ++i;
      if (letter == '"') in_text = false;
    } else if (letter == '"') {
      in_text = true;
    } else if (letter == '{' || letter == '[') {
      if (!visit(++depth, letter)) return;
    } else if (letter == '}' || letter == ']') {
      --depth;
    }
  }
}

Parsed<Json> read_json(std::string_view text) {
  if (!is_utf8(text)) return bad_json("the text is not UTF-8");
  std::vector<std::set<std::string>> keys;
  std::string wrong;
  const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (!wrong.empty()) return false;
    if (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start) {
      if (depth >= kDeepest) wrong = fmt::format("more than {} levels deep", kDeepest);
      keys.resize(static_cast<std::size_t>(depth) + 1);
      keys.back().clear();
    }
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys[static_cast<std::size_t>(depth) - 1].insert(key).second)
        wrong = fmt::format("the key {} is there twice", printable(key));
    }
    return wrong.empty();
  };
  // Depth first, without building: a value of a million levels would break the parser's own stack nowhere,
  // but its destructor's.
  bool is_too_deep = false;
  for_each_bracket(text, [&](int depth, char) {
    is_too_deep = depth > kDeepest;
    return !is_too_deep;
  });
  if (is_too_deep) return bad_json(fmt::format("more than {} levels deep", kDeepest));
  Json json = Json::parse(text, look, false);
  if (!wrong.empty()) return bad_json(wrong);
  if (json.is_discarded()) return bad_json("the text is not JSON");
  return json;
}

Parsed<Content> read_content(Do what, const Json& body, const Units& units, Units::Form form) {
  std::optional<Problem> wrong;
  const Body root(body, {}, units, form, wrong);
  Content content = Nothing{};
  switch (what) {
    case Do::server_put:
      content = server_of(root);
      break;
    case Do::tenant_put:
      content = tenant_of(root);
      break;
    case Do::group_put:
      content = group_of(root);
      break;
    case Do::queue_put:
      content = queue_of(root);
      break;
    case Do::job_put:
      content = job_of(root);
      break;
    case Do::outcome_put:
      content = outcome_of(root);
      break;
    case Do::policy_put:
      content = policy_of(root, units);
      break;
    case Do::token_put:
      content = token_of(root);
      break;
    default:
      if (!body.is_null()) wrong = bad_request({}, "no body is expected here");
  }
  if (wrong) return *std::move(wrong);
  return content;
}

Json normal_form(const Content& content, const Units& units) {
  return std::visit([&](const auto& each) { return form_of(each, units); }, content);
}

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

std::string hexadecimal(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 whole;
  whole.add(bytes);
  return whole.text();
}

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  MIRAB_ASSERT(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1, "OpenSSL has SHA-256");
}

void Sha256::add(std::string_view bytes) {
  MIRAB_ASSERT(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1, "it is not ended");
}

std::string Sha256::text() {
  Digest digest{};
  MIRAB_ASSERT(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1, "it is not ended");
  return hexadecimal(digest);
}

std::optional<Problem> check_name(const std::string& name, std::string_view kind, const std::string& key) {
  if (name.size() > kMostName)
    return too_large(key, fmt::format("the name of a {} has at most {} bytes", kind, kMostName));
  if (name.empty() || name == "." || name == ".." || !is_utf8(name) || has_control(name) ||
      name.find('/') != std::string::npos)
    return bad_request(key, fmt::format("the name of a {} is text on one line, without /", kind));
  return {};
}

std::optional<Problem> check_new_name(const std::string& name, std::string_view kind,
                                      const std::string& key) {
  if (auto bad = check_name(name, kind, key)) return bad;
  if (is_clear_name(name)) return {};
  return bad_request(key, fmt::format("the name of a {} has no blank at an end, and no invisible character "
                                      "that turns the direction of the text or separates lines",
                                      kind));
}

}  // namespace mirab::live
