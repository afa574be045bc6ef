// The one table of routes. Dispatch, scopes, limits of bodies and rates, the OpenAPI document, the page of
// the documentation, the dictionary of the fuzzer and the tests of isolation all read it. `mirab serve` has
// them all; where the truth of a cluster is elsewhere (`mirab kube`), those that change nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "live/commands.hpp"
#include "live/reader.hpp"
#include "net/framing.hpp"

namespace mirab::api {

/// Scopes as a set: a route may be used with any one of them. None: without a token.
using ScopeSet = unsigned;
inline constexpr ScopeSet kNoToken = 0;
inline constexpr ScopeSet kAdmin = 1;
inline constexpr ScopeSet kOperator = 2;
inline constexpr ScopeSet kSubmit = 4;
inline constexpr ScopeSet kRead = 8;
inline constexpr ScopeSet kExecutor = 16;
inline constexpr ScopeSet kMetrics = 32;

ScopeSet set_of(const live::Scopes& scopes);

/// What counts against which rate. `looks`: the things that questions look at, charged with their answers.
enum class RateOf { requests, submits, questions, what_ifs, looks, cancels };

/// What no engine answers.
enum class Own {
  submits,
  events,
  assignments,
  audit,
  task_explain,
  usage,
  livez,
  readyz,
  metrics,
  openapi,
  docs,
  page
};

/// What a route does: a command to the decider, a question to the reader, or work of the service itself.
using Action = std::variant<live::Do, live::Ask, Own>;

/// Which lane a command or a question takes.
enum class Lane {
  common,  ///< by tenant in turn, counted against the rates
  urgent,  ///< cancel, outcomes, heartbeats: not refused for load
  worker,  ///< long questions, on a copy of the state
};

struct Route {
  std::string_view method;
  std::string_view path;  ///< with `{name}`, `{queue}` for what is named
  ScopeSet scopes;
  Action action;
  std::string_view schema;  ///< of the body; empty: none
  std::string_view answer;  ///< the schema of the answer
  std::string_view query;   ///< parameters with spaces between: `limit`, `failed=true|false`
  Lane lane;
  RateOf rate;
  std::string_view summary;
};

inline constexpr std::size_t kBodyBytes = 64 * 1024;
inline constexpr std::size_t kSubmitsBytes = std::size_t{4} << 20U;

std::span<const Route> routes();

/// A parameter of the query; `values`: one of these. None: any text, which what answers checks.
struct Parameter {
  std::string_view name;
  std::vector<std::string_view> values = {};
  bool is_list = false;  ///< it may be given more than once
};
std::vector<Parameter> parameters_of(const Route& route);

/// Which routes a process has. Where a cluster can only be looked at there are no tokens, tenants or log.
enum class Offer { all, reads };
bool is_offered(const Route& route, Offer offer);

/// The most bytes of a body.
std::size_t body_bytes(const Route& route);

/// A route and what stands at its names.
struct Match {
  const Route* route = nullptr;
  live::Target target;
};

/// Finds the route. Where the path is known but the method is not, `allowed` has the methods for 405.
std::optional<Match> match(std::string_view method, const net::Target& target,
                           std::vector<std::string>& allowed);

/// The methods of the path that are offered, for 405.
std::vector<std::string> methods_of(const net::Target& target, Offer offer);

/// OpenAPI 3.1, as JSON.
std::string openapi_document(std::string_view version, Offer offer = Offer::all);
/// docs/reference/api.md: the routes, bodies and limits.
std::string api_markdown();
/// /docs: the same as a page.
std::string api_page(Offer offer = Offer::all);
/// A dictionary for libFuzzer: the words of methods, paths and parameters.
std::string fuzz_dictionary();

}  // namespace mirab::api
