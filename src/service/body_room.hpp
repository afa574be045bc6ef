// Room for the bodies of requests, from their head until their answer: a share for each tenant, and a reserve
// for those who have none, such as executors.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>

#include "service/full.hpp"

namespace mirab::service {

/// Any thread.
class BodyRoom {
 public:
  /// Bytes: in all, of one tenant, and of all tenants together.
  BodyRoom(std::size_t most, std::size_t most_of_tenant, std::size_t most_of_tenants)
      : books_(std::make_shared<Books>()),
        most_(most),
        most_of_tenant_(most_of_tenant),
        most_of_tenants_(most_of_tenants) {}

  /// Keeps the bytes until it is destroyed.
  using Held = std::shared_ptr<void>;

  /// A caller without a tenant has all of the room.
  std::variant<Held, Full> take(const std::string& tenant, std::size_t bytes) {
    const std::lock_guard guard(books_->mutex);
    const auto found = books_->of_tenant.find(tenant);
    const std::size_t held = found == books_->of_tenant.end() ? 0 : found->second;
    if (!tenant.empty() && held + bytes > most_of_tenant_) return Full::tenant;
    if (books_->bytes + bytes > (tenant.empty() ? most_ : most_of_tenants_)) return Full::all;
    books_->bytes += bytes;
    books_->of_tenant[tenant] = held + bytes;
    return Held(nullptr, [books = books_, tenant, bytes](void*) { books->give_back(tenant, bytes); });
  }
  std::size_t bytes() const {
    const std::lock_guard guard(books_->mutex);
    return books_->bytes;
  }

 private:
  struct Books {
    std::mutex mutex = {};
    std::size_t bytes = 0;
    std::map<std::string, std::size_t> of_tenant = {};

    void give_back(const std::string& tenant, std::size_t given) {
      const std::lock_guard guard(mutex);
      bytes -= given;
      const auto found = of_tenant.find(tenant);
      if ((found->second -= given) == 0) of_tenant.erase(found);
    }
  };

  std::shared_ptr<Books> books_;
  std::size_t most_;
  std::size_t most_of_tenant_;
  std::size_t most_of_tenants_;
};

}  // namespace mirab::service
