#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/wall.hpp"

namespace mirab::live {

using Json = nlohmann::json;

/// The number of a change of the cluster, from 1 without gaps: for watches, ETags and reading one's own
/// writes.
using Revision = std::uint64_t;

using mirab::text_of;
using mirab::Wall;
using mirab::wall_of;

/// What a token may do.
struct Scopes {
  bool admin = false;
  bool operates = false;
  bool submit = false;
  bool read = false;
  bool executor = false;
  bool metrics = false;
  friend bool operator==(const Scopes&, const Scopes&) = default;
};

/// The words for them: `admin`, `operator`, `submit`, `read`, `executor`, `metrics`.
std::vector<std::string> words_of(const Scopes& scopes);

/// Who asks. Scopes are checked by who routes the request; here tenants and executors are kept apart.
struct Caller {
  std::string by = {};      ///< `token:7f3a`
  std::string tenant = {};  ///< empty: admin and operator, who see everything
  Scopes scopes = {};
  std::string server = {};  ///< of an executor: the only one that it speaks for
  std::string from = {};    ///< its address
  friend bool operator==(const Caller&, const Caller&) = default;
};

/// Why a request is refused: RFC 9457, with the JSON pointer of what is wrong.
struct Problem {
  int status = 400;
  std::string type = {};  ///< `name-taken`; in JSON `/problems/name-taken`
  std::string title = {};
  std::string detail = {};
  std::string key = {};            ///< `/demand/gpu`; empty: the whole
  Json more = Json::object();      ///< further members: `differs`, `oldest`
  std::string retry_after_s = {};  ///< for a header; empty: none
};

Problem bad_json(std::string detail);
Problem bad_request(std::string key, std::string detail);
Problem too_large(std::string key, std::string detail);
/// Also of what may not be seen: always the same bytes.
Problem not_found();
Problem scope_problem();
Problem conflict(std::string type, std::string detail);                        ///< 409
Problem changed(std::string detail);                                           ///< 412
Problem compacted(Revision oldest);                                            ///< 410
Problem unprocessable(std::string type, std::string key, std::string detail);  ///< 422
Problem too_many(std::string type, std::string detail);                        ///< 429, nobody knows how long

/// The problem of a part, as one of the whole in which the part has this key.
Problem within(Problem problem, const std::string& key);

/// The JSON pointer of a member: `/demand` and `gpu` give `/demand/gpu`.
std::string pointer_to(const std::string& key, std::string_view member);

/// A problem's body. Of 401, 403 and 404 it is constant.
Json json_of(const Problem& problem);

/// What a request gives. A status of 400 and more has the body of a problem.
struct Answer {
  int status = 200;
  Json body = {};
  Revision revision = 0;  ///< of what the answer shows; not below it any write that was answered before
  std::string etag = {};  ///< `"r17"` with its quotes; empty: none
  std::string retry_after_s = {};
  std::string text = {};   ///< the body, where it is written already; empty: `body` is
  std::int64_t looks = 0;  ///< what it took, in things that were looked at; charged to the tenant

  bool is_problem() const { return status >= 400; }
};

/// How many bytes it takes as JSON; about, where it has fractions.
std::size_t bytes_of(const Json& json);

/// How many rows without a name, such as the tasks of a job, take as long as a look at a thing; and how many
/// bytes of JSON, to make and to write.
inline constexpr std::size_t kRowsOfLook = 16;
inline constexpr std::size_t kBytesOfLook = 16;

/// Not with a revision where the body is constant.
Answer answer_of(const Problem& problem, Revision revision);

/// A value, or what is wrong with the request.
template <class T>
using Parsed = std::variant<T, Problem>;

}  // namespace mirab::live
