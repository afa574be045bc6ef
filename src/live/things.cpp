// Commands about servers, tenants, groups, queues, tokens and the policy.
#include <algorithm>
#include <fmt/format.h>

#include <mirab/model/assert.hpp>

#include "live/state.hpp"
#include "live/views.hpp"

namespace mirab::live {
namespace {

/// May the caller speak for this server, or for all?
bool speaks_for(const Command& command, const std::string& server) {
  const Scopes& scopes = command.caller.scopes;
  return command.by_service || scopes.admin || scopes.operates || command.caller.server == server;
}

bool only_weight_differs(const QuotaContent& from, const QuotaContent& to) {
  return from.guarantee == to.guarantee && from.limit == to.limit && from.reserved == to.reserved;
}

}  // namespace

// Servers.

Decided State::put_server(const Command& command, Record record) {
  const auto& content = std::get<ServerContent>(command.content);
  const std::string& name = command.target.name;
  if (!speaks_for(command, name)) return refuse(not_found());
  const Scopes& scopes = command.caller.scopes;
  if (content.drained && !command.by_service && !scopes.admin && !scopes.operates)
    return refuse(scope_problem());
  const auto found = servers.find(name);
  const bool is_new = found == servers.end();
  if (auto bad = conditions_of(command, is_new ? nullptr : &found->second.changed)) return refuse(*bad);
  Server server = is_new ? Server() : found->second;
  const bool drained = content.drained.value_or(server.drained);
  if (!is_new && server.id && !server.silent && drained == server.drained &&
      server.content.capacity == content.capacity && server.content.labels == content.labels)
    return unchanged(server_json(*this, name, found->second), found->second.changed);
  const bool was_shut = server.drained || server.silent;
  std::string kind = is_new || !server.id ? "server-added" : "server-changed";
  if (!server.id) {
    const Result<scheduling::Outcome> outcome =
        tell(record,
             scheduling::ServerAdded{.name = name, .capacity = content.capacity, .labels = content.labels});
    if (!outcome) return refuse(refused(outcome.error(), "bad-amount"));
    server.id = std::get<ServerId>(*outcome);
    server_names_[*server.id] = name;
    if (drained) must(record, scheduling::ServerDrained{*server.id});
  } else {
    if (server.content.capacity != content.capacity) {
      const Result<scheduling::Outcome> outcome =
          tell(record, scheduling::ServerChanged{.server = *server.id, .capacity = content.capacity});
      if (!outcome) {
        const auto now = engine.server(*server.id);
        for (std::size_t r = 0; r < content.capacity.size(); ++r) {
          if (content.capacity[r] < now->capacity[r] - now->free[r])
            return refuse(conflict("below-use", outcome.error().message));
        }
        return refuse(refused(outcome.error(), "bad-amount"));
      }
    }
    if (server.content.labels != content.labels)
      must(record, scheduling::ServerRelabelled{.server = *server.id, .labels = content.labels});
    if (drained && !was_shut) must(record, scheduling::ServerDrained{*server.id});
    if (!drained && was_shut) must(record, scheduling::ServerReopened{*server.id});
  }
  server.content = {.capacity = content.capacity, .labels = content.labels};
  if (kind == "server-changed" && drained != server.drained)
    kind = drained ? "server-drained" : "server-reopened";
  server.drained = drained;
  server.silent = false;
  server.changed = record.stamp.revision;
  forget_ended();
  Server& stored = servers[name] = std::move(server);
  touched_.emplace(kServerTable, name);
  add_event(record, {.kind = kind, .server = name});
  return finish(std::move(record), is_new ? 201 : 200, server_json(*this, name, stored), stored.changed);
}

Decided State::delete_server(const Command& command, Record record) {
  const std::string& name = command.target.name;
  const auto found = servers.find(name);
  if (found == servers.end()) return refuse(not_found());
  if (auto bad = conditions_of(command, &found->second.changed)) return refuse(*bad);
  std::vector<Engine::TaskState> tasks;
  if (found->second.id)
    engine.for_each_task(*found->second.id, [&](const auto& task) { tasks.push_back(task); });
  if (!tasks.empty() && !command.failed)
    return refuse(conflict(
        "in-use", fmt::format("{} tasks run there; drain it first, or say failed=true", tasks.size())));
  const Json body = server_json(*this, name, found->second);
  if (found->second.id) {
    const ServerId id = *found->second.id;
    if (command.failed) {
      must(record, scheduling::ServerFailed{id});
    } else {
      must(record, scheduling::ServerRemoved{id});
    }
    lose_tasks(record, tasks);
    server_names_.erase(id);
  }
  forget_ended();
  servers.erase(name);
  touched_.emplace(kServerTable, name);
  add_event(record, {.kind = command.failed ? "server-lost" : "server-removed", .server = name});
  const Revision revision = record.stamp.revision;
  return finish(std::move(record), 200, body, revision);
}

Decided State::silence_server(const Command& command, Record record) {
  const std::string& name = command.target.name;
  const auto found = servers.find(name);
  const bool silent = command.what == Do::server_silent;
  if (found == servers.end() || !found->second.id) return refuse(not_found());
  Server& server = found->second;
  if (server.silent == silent) return unchanged(server_json(*this, name, server), server.changed);
  if (!server.drained) {
    if (silent) {
      must(record, scheduling::ServerDrained{*server.id});
    } else {
      must(record, scheduling::ServerReopened{*server.id});
    }
  }
  server.silent = silent;
  server.changed = record.stamp.revision;
  touched_.emplace(kServerTable, name);
  forget_ended();
  add_event(record, {.kind = silent ? "server-silent" : "server-back", .server = name});
  return finish(std::move(record), 200, server_json(*this, name, server), server.changed);
}

Decided State::lose_server(const Command& command, Record record) {
  const std::string& name = command.target.name;
  const auto found = servers.find(name);
  if (found == servers.end() || !found->second.id) return refuse(not_found());
  Server& server = found->second;
  std::vector<Engine::TaskState> tasks;
  engine.for_each_task(*server.id, [&](const auto& task) { tasks.push_back(task); });
  must(record, scheduling::ServerFailed{*server.id});
  add_event(record, {.kind = "server-lost", .server = name});
  lose_tasks(record, tasks);
  server_names_.erase(*server.id);
  server.id.reset();
  server.silent = false;
  server.changed = record.stamp.revision;
  touched_.emplace(kServerTable, name);
  forget_ended();
  return finish(std::move(record), 200, server_json(*this, name, server), server.changed);
}

// Tenants.

Decided State::put_tenant(const Command& command, Record record) {
  const std::string& name = command.target.name;
  const auto& content = std::get<TenantContent>(command.content);
  const auto found = tenants.find(name);
  const bool is_new = found == tenants.end();
  if (auto bad = conditions_of(command, is_new ? nullptr : &found->second.changed)) return refuse(*bad);
  if (!is_new && found->second.content == content)
    return unchanged(tenant_json(*this, name, found->second), found->second.changed);
  forget_ended();
  Tenant& tenant = tenants[name];
  tenant.content = content;
  tenant.changed = record.stamp.revision;
  touched_.emplace(kTenantTable, name);
  add_event(record, {.kind = is_new ? "tenant-added" : "tenant-changed", .tenant = name, .name = name});
  return finish(std::move(record), is_new ? 201 : 200, tenant_json(*this, name, tenant), tenant.changed);
}

Decided State::delete_tenant(const Command& command, Record record) {
  const std::string& name = command.target.name;
  const auto found = tenants.find(name);
  if (found == tenants.end()) return refuse(not_found());
  if (auto bad = conditions_of(command, &found->second.changed)) return refuse(*bad);
  const auto is_its = [&](const auto& each) { return each.second.content.tenant == name; };
  if (std::any_of(queues.begin(), queues.end(), is_its)) return refuse(conflict("in-use", "it has queues"));
  if (std::any_of(tokens.begin(), tokens.end(), is_its)) return refuse(conflict("in-use", "it has tokens"));
  const Json body = tenant_json(*this, name, found->second);
  forget_ended();
  tenants.erase(found);
  touched_.emplace(kTenantTable, name);
  add_event(record, {.kind = "tenant-removed", .tenant = name, .name = name});
  const Revision revision = record.stamp.revision;
  return finish(std::move(record), 200, body, revision);
}

// Groups and queues.

Check State::change_quota(Record& record, GroupId id, const GroupContent& from, const GroupContent& to) {
  const scheduling::Event quota = scheduling::GroupChanged{.group = id,
                                                           .weight = to.quota.weight,
                                                           .guarantee = to.quota.guarantee,
                                                           .limit = to.quota.limit,
                                                           .reserved = to.quota.reserved};
  const scheduling::Event move = scheduling::GroupMoved{.group = id, .parent = group_id(to.parent)};
  if (from.parent == to.parent) return tell_all(record, {quota});
  if (from.quota == to.quota) return tell_all(record, {move});
  const Check bad = tell_all(record, {move, quota});  // one order may do where the other does not
  return bad ? tell_all(record, {quota, move}) : bad;
}

Check State::change_quota(Record& record, UserId id, const QueueContent& from, const QueueContent& to) {
  scheduling::Event quota = scheduling::UserChanged{.user = id,
                                                    .weight = to.quota.weight,
                                                    .guarantee = to.quota.guarantee,
                                                    .limit = to.quota.limit,
                                                    .reserved = to.quota.reserved};
  if (only_weight_differs(from.quota, to.quota))
    quota = scheduling::UserReweighted{.user = id, .weight = to.quota.weight};
  const scheduling::Event move = scheduling::UserMoved{.user = id, .group = group_id(to.group)};
  if (from.group == to.group && from.quota == to.quota) return {};
  if (from.group == to.group) return tell_all(record, {quota});
  if (from.quota == to.quota) return tell_all(record, {move});
  const Check bad = tell_all(record, {move, quota});
  return bad ? tell_all(record, {quota, move}) : bad;
}

Decided State::put_group(const Command& command, Record record) {
  const std::string& name = command.target.name;
  const auto& content = std::get<GroupContent>(command.content);
  const auto found = groups.find(name);
  const bool is_new = found == groups.end();
  if (auto bad = conditions_of(command, is_new ? nullptr : &found->second.changed)) return refuse(*bad);
  if (!is_new && found->second.content == content)
    return unchanged(group_json(*this, name, found->second), found->second.changed);
  if (!content.parent.empty() && group(content.parent) == nullptr)
    return refuse(unprocessable("unknown-name", "/parent", "there is no such group"));
  GroupId id{};
  if (is_new) {
    const Result<scheduling::Outcome> outcome = tell(
        record, added(scheduling::GroupAdded{.name = name, .parent = group_id(content.parent)}, content));
    if (!outcome) return refuse(refused(outcome.error(), "bad-quota"));
    id = std::get<GroupId>(*outcome);
  } else {
    id = found->second.id;
    if (const Check bad = change_quota(record, id, found->second.content, content))
      return refuse(refused(*bad, "bad-quota"));
  }
  forget_ended();
  Group& group = groups[name] = {.content = content, .changed = record.stamp.revision, .id = id};
  add_event(record, {.kind = is_new ? "group-added" : "group-changed", .name = name});
  return finish(std::move(record), is_new ? 201 : 200, group_json(*this, name, group), group.changed);
}

Decided State::delete_group(const Command& command, Record record) {
  const std::string& name = command.target.name;
  const auto found = groups.find(name);
  if (found == groups.end()) return refuse(not_found());
  if (auto bad = conditions_of(command, &found->second.changed)) return refuse(*bad);
  const Json body = group_json(*this, name, found->second);
  const Result<scheduling::Outcome> outcome = tell(record, scheduling::GroupRemoved{found->second.id});
  if (!outcome) return refuse(conflict("in-use", outcome.error().message));
  forget_ended();
  groups.erase(found);
  add_event(record, {.kind = "group-removed", .name = name});
  const Revision revision = record.stamp.revision;
  return finish(std::move(record), 200, body, revision);
}

Decided State::put_queue(const Command& command, Record record) {
  const std::string& name = command.target.name;
  const auto& content = std::get<QueueContent>(command.content);
  const auto found = queues.find(name);
  const bool is_new = found == queues.end();
  if (auto bad = conditions_of(command, is_new ? nullptr : &found->second.changed)) return refuse(*bad);
  if (!is_new && found->second.content == content)
    return unchanged(queue_json(*this, name, found->second), found->second.changed);
  if (tenant(content.tenant) == nullptr)
    return refuse(unprocessable("unknown-name", "/tenant", "there is no such tenant"));
  if (!content.group.empty() && group(content.group) == nullptr)
    return refuse(unprocessable("unknown-name", "/group", "there is no such group"));
  UserId id{};
  if (is_new) {
    const Result<scheduling::Outcome> outcome =
        tell(record, added(scheduling::UserAdded{.name = name, .group = group_id(content.group)}, content));
    if (!outcome) return refuse(refused(outcome.error(), "bad-quota"));
    id = std::get<UserId>(*outcome);
    queue_names_[id] = name;
  } else if (const Check bad = change_quota(record, found->second.id, found->second.content, content)) {
    return refuse(refused(*bad, "bad-quota"));
  }
  forget_ended();
  Queue& queue = queues[name];
  if (is_new) {
    queue.id = id;
  } else if (queue.content.tenant != content.tenant) {
    Tenant& before = tenants.at(queue.content.tenant);
    before.jobs -= queue.live;
    before.waiting -= queue.waiting;
    tenants.at(content.tenant).jobs += queue.live;
    tenants.at(content.tenant).waiting += queue.waiting;
  }
  queue.content = content;
  queue.changed = record.stamp.revision;
  add_event(record,
            {.kind = is_new ? "queue-added" : "queue-changed", .tenant = content.tenant, .queue = name});
  return finish(std::move(record), is_new ? 201 : 200, queue_json(*this, name, queue), queue.changed);
}

Decided State::delete_queue(const Command& command, Record record) {
  const std::string& name = command.target.name;
  const auto found = queues.find(name);
  if (found == queues.end()) return refuse(not_found());
  if (auto bad = conditions_of(command, &found->second.changed)) return refuse(*bad);
  if (found->second.live > 0)
    return refuse(conflict("in-use", fmt::format("it has {} jobs that have not ended", found->second.live)));
  const Json body = queue_json(*this, name, found->second);
  const Result<scheduling::Outcome> outcome = tell(record, scheduling::UserRemoved{found->second.id});
  if (!outcome) return refuse(conflict("in-use", outcome.error().message));
  queue_names_.erase(found->second.id);
  forget_ended();
  for (const auto& [job_name, job] : found->second.jobs) forget(job);
  const std::string tenant = found->second.content.tenant;
  queues.erase(found);
  add_event(record, {.kind = "queue-removed", .tenant = tenant, .queue = name});
  const Revision revision = record.stamp.revision;
  return finish(std::move(record), 200, body, revision);
}

// Tokens.

Decided State::put_token(const Command& command, Record record) {
  const std::string& name = command.target.name;
  TokenContent content = std::get<TokenContent>(command.content);
  const auto found = tokens.find(name);
  const bool is_new = found == tokens.end();
  if (auto bad = conditions_of(command, is_new ? nullptr : &found->second.changed)) return refuse(*bad);
  if (!content.tenant.empty() && tenant(content.tenant) == nullptr)
    return refuse(unprocessable("unknown-name", "/tenant", "there is no such tenant"));
  if (!is_new) {  // the secret stays
    content.secret_sha256 = found->second.content.secret_sha256;
    if (normal_form(content, settings.units) == normal_form(found->second.content, settings.units))
      return unchanged(token_json(name, found->second), found->second.changed);
  }
  record.body = normal_form(content, settings.units);
  forget_ended();
  Token& token = tokens[name];
  token.content = content;
  token.changed = record.stamp.revision;
  if (is_new) token.created_at = record.stamp.wall;
  touched_.emplace(kTokenTable, name);
  add_event(record,
            {.kind = is_new ? "token-added" : "token-changed", .tenant = content.tenant, .name = name});
  return finish(std::move(record), is_new ? 201 : 200, token_json(name, token), token.changed);
}

Decided State::delete_token(const Command& command, Record record) {
  const std::string& name = command.target.name;
  const auto found = tokens.find(name);
  if (found == tokens.end()) return refuse(not_found());
  if (auto bad = conditions_of(command, &found->second.changed)) return refuse(*bad);
  const Json body = token_json(name, found->second);
  const std::string tenant = found->second.content.tenant;
  forget_ended();
  tokens.erase(found);
  touched_.emplace(kTokenTable, name);
  add_event(record, {.kind = "token-removed", .tenant = tenant, .name = name});
  const Revision revision = record.stamp.revision;
  return finish(std::move(record), 200, body, revision);
}

}  // namespace mirab::live
