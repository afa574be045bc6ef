#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace mirab::scheduling {

/// An allocator that asks the kernel for huge pages where an array is large. Most of the time that a copy of
/// a million rows takes goes into the first use of its pages; with pages of 2 MiB there are 500 times fewer.
/// Where the kernel has none to give, pages are as usual.
template <class Value>
class HugePageAllocator {
 public:
  using value_type = Value;

  HugePageAllocator() = default;
  template <class Other>
  HugePageAllocator(const HugePageAllocator<Other>& /*other*/) {}  // NOLINT(google-explicit-constructor)

  Value* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(Value);
    if (bytes < kLarge) return static_cast<Value*>(::operator new(bytes));
    void* const array = ::operator new(bytes, kPage);
#ifdef MADV_HUGEPAGE
    (void)madvise(array, bytes, MADV_HUGEPAGE);  // advice: it works without
#endif
    return static_cast<Value*>(array);
  }
  void deallocate(Value* array, std::size_t count) noexcept {
    if (count * sizeof(Value) < kLarge) return ::operator delete(array);
    ::operator delete(array, kPage);
  }

  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }

 private:
  static constexpr std::align_val_t kPage{std::size_t{2}
                                          << 20};              // bytes, of x86-64 and of AArch64 by default
  static constexpr std::size_t kLarge = std::size_t{4} << 20;  // bytes
};

}  // namespace mirab::scheduling
