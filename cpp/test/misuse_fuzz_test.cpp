// Random misuse between correct calls, compared with a simple model. Each misuse is reported as its kind and
// leaves the pool unchanged.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ebbpool/fixed_pool.hpp>
#include <optional>
#include <random>
#include <vector>

namespace misuse_fuzz_test {

/// Reproducible random numbers below a bound.
class random_numbers {
public:
    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(generator_() % bound); }

private:
    std::mt19937_64 generator_{1};
};

struct fuzz_result {
    std::size_t misuses = 0;      ///< tried
    std::size_t unreported = 0;   ///< not reported, or as another kind
    std::size_t corrupted = 0;    ///< the pool then differed from the model
    std::size_t right_calls = 0;  ///< correct calls between them
};

std::size_t reports = 0;
ebb::misuse last_report{};

template <std::size_t Size>
struct slot {
    std::uint64_t words[Size / 8];
};

/// A model of a pool, simple enough to be obviously correct.
class model {
public:
    explicit model(std::size_t capacity) : states_(capacity, state::never) {}

    /// Returns the slot that must be allocated next, or nothing if all are.
    std::optional<std::size_t> next() const {
        if (!freed_.empty()) return freed_.back();
        if (fresh_ < states_.size()) return fresh_;
        return std::nullopt;
    }
    void take() {
        const std::size_t s = *next();
        if (freed_.empty()) {
            ++fresh_;
        } else {
            freed_.pop_back();
        }
        states_[s] = state::live;
        ++used_;
    }
    void give_back(std::size_t s) {
        states_[s] = state::free;
        freed_.push_back(s);
        --used_;
    }
    bool is_live(std::size_t s) const { return states_[s] == state::live; }
    std::size_t used() const { return used_; }

    /// Returns the kind of misuse of an address, or nothing if it is valid.
    template <class T>
    std::optional<ebb::misuse> judge(const T* base, const void* p) const {
        if (p == nullptr) return ebb::misuse::null;
        const auto at = reinterpret_cast<std::uintptr_t>(p);
        const auto first = reinterpret_cast<std::uintptr_t>(base);
        if (at < first || at >= first + states_.size() * sizeof(T)) return ebb::misuse::foreign;
        if (at % alignof(T) != 0) return ebb::misuse::misaligned;
        if ((at - first) % sizeof(T) != 0) return ebb::misuse::interior;
        switch (states_[(at - first) / sizeof(T)]) {
            case state::never: return ebb::misuse::never_allocated;
            case state::free: return ebb::misuse::double_free;
            case state::live: break;
        }
        return std::nullopt;
    }

private:
    enum class state : unsigned char { never, live, free };
    std::vector<state> states_;
    std::vector<std::size_t> freed_;
    std::size_t fresh_ = 0;
    std::size_t used_ = 0;
};

/// A pool and its model.
template <class T>
class life {
public:
    life(std::size_t capacity, random_numbers& random)
        : capacity_(capacity), random_(random), pool_(capacity), other_(capacity), model_(capacity), heap_(512) {
        for (std::size_t i = 0; i < capacity / 2 + 1; ++i) elsewhere_.push_back(other_.allocate());
    }

    void run(std::size_t steps, fuzz_result& result) {
        std::byte local[512];
        for (std::size_t i = 0; i < steps; ++i) {
            right_call(result);
            misuse_once(local, result);
        }
        // Allocating all free slots compares the complete state of the pool.
        while (model_.next()) allocate(result);
        if (pool_.allocate() != nullptr) ++result.corrupted;
    }

private:
    void allocate(fuzz_result& result) {
        const auto expected = model_.next();
        T* const p = pool_.allocate();
        ++result.right_calls;
        if (!expected) {
            if (p != nullptr) ++result.corrupted;
            return;
        }
        model_.take();
        if (p != pool_.slot(*expected)) {
            ++result.corrupted;
            return;
        }
        p->words[0] = *expected;
    }

    void right_call(fuzz_result& result) {
        const std::size_t s = random_.below(capacity_);
        if (random_.below(2) == 0 || !model_.is_live(s)) {
            allocate(result);
        } else {
            ++result.right_calls;
            if (pool_.slot(s)->words[0] != s) ++result.corrupted;
            model_.give_back(s);
            pool_.deallocate(pool_.slot(s));
        }
        if (pool_.used() != model_.used()) ++result.corrupted;
    }

    /// Returns an address that is usually invalid.
    void* choose(std::byte* local) {
        std::byte* const base = reinterpret_cast<std::byte*>(pool_.slot(0));
        const std::size_t bytes = capacity_ * sizeof(T);
        switch (random_.below(9)) {
            case 0: return nullptr;
            case 1: return local + random_.below(512);
            case 2: return heap_.data() + random_.below(512);
            case 3: return elsewhere_[random_.below(elsewhere_.size())];
            case 4: return base + bytes + random_.below(2) * random_.below(4096);
            case 5: return base + random_.below(capacity_) * sizeof(T) + 8 * (1 + random_.below(sizeof(T) / 8 - 1));
            case 6: return base + random_.below(bytes);
            case 7: return base + random_.below(capacity_) * sizeof(T);
            default: {
                const std::uint64_t high = random_.below(0xFFFFFFFF);
                const std::uint64_t low = random_.below(0xFFFFFFFF);
                return reinterpret_cast<void*>(static_cast<std::uintptr_t>(high << 32 | low));
            }
        }
    }

    void misuse_once(std::byte* local, fuzz_result& result) {
        void* p = choose(local);
        const auto expected = model_.judge(pool_.slot(0), p);
        if (!expected) return;  // it is allocated: correct use
        const std::size_t before = reports;
        pool_.deallocate(static_cast<T*>(p));
        ++result.misuses;
        if (reports != before + 1 || last_report != *expected) ++result.unreported;
        if (pool_.used() != model_.used()) ++result.corrupted;
    }

    std::size_t capacity_;
    random_numbers& random_;
    ebb::fixed_pool<T, ebb::checks::report> pool_, other_;
    model model_;
    std::vector<std::byte> heap_;
    std::vector<T*> elsewhere_;
};

template <class T>
void one_life(random_numbers& random, fuzz_result& result) {
    life<T>(1 + random.below(200), random).run(1000, result);
}

TEST(misuse_fuzz, reports_every_misuse) {
    const auto previous = ebb::set_misuse_handler([](const ebb::misuse_info& info) noexcept {
        ++reports;
        last_report = info.kind;
    });
    random_numbers random;
    fuzz_result result;
    while (result.misuses < 200'000) {
        one_life<slot<16>>(random, result);
        one_life<slot<24>>(random, result);   // not a power of two
        one_life<slot<64>>(random, result);   // a cache line
        one_life<slot<200>>(random, result);  // neither
    }
    ebb::set_misuse_handler(previous);
    EXPECT_EQ(result.unreported, 0u) << "of " << result.misuses;
    EXPECT_EQ(result.corrupted, 0u) << "of " << result.misuses;
    EXPECT_GT(result.right_calls, result.misuses);
}

}  // namespace misuse_fuzz_test
