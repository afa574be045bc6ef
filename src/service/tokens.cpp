#include "service/tokens.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <zlib.h>

#include <mirab/model/assert.hpp>

#include "live/content.hpp"

namespace mirab::service {
namespace {

constexpr std::string_view kLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kSecretLetters = 30;
constexpr std::size_t kSumLetters = 6;

std::string check_sum(std::string_view text) {
  auto sum = static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
  std::string letters(kSumLetters, '0');
  for (std::size_t at = kSumLetters; at-- > 0; sum /= 62) letters[at] = kLetters[sum % 62];
  return letters;
}

bool is_letter(char letter) { return kLetters.find(letter) != std::string_view::npos; }

}  // namespace

std::string random_name(std::size_t letters) {
  std::string name;
  while (name.size() < letters) {
    std::array<unsigned char, 64> bytes{};
    const int done = RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
    MIRAB_ASSERT(done == 1, "the system gives random numbers");
    for (const unsigned char byte : bytes) {
      // 248 is a multiple of 62: every letter is as likely as any other.
      if (byte < 248 && name.size() < letters) name += kLetters[byte % 62];
    }
  }
  return name;
}

std::string make_secret(std::string_view kind) {
  const std::string text = "mirab_" + std::string(kind) + "_" + random_name(kSecretLetters);
  return text + check_sum(text);
}

std::string_view kind_of(const live::Scopes& scopes) {
  if (scopes.admin) return "admin";
  if (scopes.operates) return "operator";
  if (scopes.executor) return "executor";
  if (scopes.submit || scopes.read) return "tenant";
  return "metrics";
}

bool has_form_of_secret(std::string_view text) {
  constexpr std::string_view kBegin = "mirab_";
  if (!text.starts_with(kBegin) || text.size() > 80) return false;
  const std::size_t bar = text.rfind('_');
  if (bar <= kBegin.size() || text.size() - bar - 1 != kSecretLetters + kSumLetters) return false;
  if (!std::all_of(text.begin() + static_cast<std::ptrdiff_t>(bar) + 1, text.end(), is_letter)) return false;
  const std::size_t end = text.size() - kSumLetters;
  return check_sum(text.substr(0, end)) == text.substr(end);
}

void TokenTable::set(const std::string& id, const live::Json& columns) {
  if (const auto old = hash_of_.find(id); old != hash_of_.end()) {
    by_hash_.erase(old->second);
    hash_of_.erase(old);
  }
  if (columns.is_null()) return;
  Entry entry;
  entry.hash = columns.value("secret_sha256", "");
  if (entry.hash.empty()) return;
  live::Scopes& scopes = entry.caller.scopes;
  for (const live::Json& word : columns.value("scopes", live::Json::array())) {
    scopes.admin |= word == "admin";
    scopes.operates |= word == "operator";
    scopes.submit |= word == "submit";
    scopes.read |= word == "read";
    scopes.executor |= word == "executor";
    scopes.metrics |= word == "metrics";
  }
  entry.caller.by = "token:" + id;
  entry.caller.tenant = columns.value("tenant", "");
  entry.caller.server = columns.value("server", "");
  if (const auto expires = columns.find("expires"); expires != columns.end() && expires->is_string())
    entry.expires = live::wall_of(expires->get<std::string>());
  hash_of_[id] = entry.hash;
  std::string hash = entry.hash;
  by_hash_[std::move(hash)] = std::move(entry);
}

std::optional<live::Caller> TokenTable::find(std::string_view secret, live::Wall now) const {
  if (!has_form_of_secret(secret)) return std::nullopt;
  const std::string hash = live::sha256(secret);
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end() || found->second.hash.size() != hash.size() ||
      CRYPTO_memcmp(found->second.hash.data(), hash.data(), hash.size()) != 0)
    return std::nullopt;
  if (found->second.expires && *found->second.expires <= now) return std::nullopt;
  return found->second.caller;
}

std::optional<live::Wall> TokenTable::expires(std::string_view by) const {
  const auto hash = hash_of_.find(std::string(by.substr(by.find(':') + 1)));
  if (hash == hash_of_.end()) return std::nullopt;
  return by_hash_.at(hash->second).expires;
}

std::string TokenTable::server_of(const std::string& id) const {
  const auto hash = hash_of_.find(id);
  return hash == hash_of_.end() ? "" : by_hash_.at(hash->second).caller.server;
}

void RateTable::set_tenant(const std::string& tenant, const live::Json& columns) {
  if (!columns.is_object()) {
    limits_.erase(tenant);
    std::erase_if(buckets_, [&](const auto& each) { return each.first.first == tenant; });
    return;
  }
  std::map<std::string, std::int64_t> limits;
  const live::Json given = columns.value("limits", live::Json::object());
  for (const auto& [name, value] : given.items()) {
    if (value.is_number_integer()) limits[name] = value.get<std::int64_t>();
  }
  // Other limits begin with full buckets: a higher one helps at once.
  if (limits_[tenant] != limits)
    std::erase_if(buckets_, [&](const auto& each) { return each.first.first == tenant; });
  limits_[tenant] = std::move(limits);
}

std::int64_t RateTable::limit(const std::string& tenant, const std::string& name,
                              std::int64_t otherwise) const {
  const auto found = limits_.find(tenant);
  if (found == limits_.end()) return otherwise;
  const auto value = found->second.find(name);
  return value == found->second.end() ? otherwise : value->second;
}

Rate RateTable::rate(const std::string& tenant, RateOf of) const {
  const auto number = [&](const char* name, std::int64_t otherwise) {
    return static_cast<double>(std::max<std::int64_t>(1, limit(tenant, name, otherwise)));
  };
  switch (of) {
    case RateOf::requests: {
      const double per_s = number("requests_per_s", 200);
      return {per_s, 2 * per_s};
    }
    case RateOf::submits:
      return {number("submits_per_s", 100), number("burst", 2000)};
    case RateOf::questions:
      return {20, 40};
    case RateOf::what_ifs:
      return {0.5, 30};
    case RateOf::looks:
      return {50'000, 500'000};
    case RateOf::cancels: {
      const double per_s = 10 * number("requests_per_s", 200);
      return {per_s, 5 * per_s};
    }
  }
  return {1, 1};
}

std::optional<double> RateTable::take(const std::string& tenant, RateOf of, double amount,
                                      Bucket::Clock::time_point now) {
  if (tenant.empty()) return std::nullopt;
  const Rate each = rate(tenant, of);
  return buckets_.try_emplace({tenant, of}, each).first->second.take(each, amount, now);
}

void RateTable::charge(const std::string& tenant, RateOf of, double amount) {
  if (tenant.empty()) return;
  buckets_.try_emplace({tenant, of}, rate(tenant, of)).first->second.charge(amount);
}

}  // namespace mirab::service
