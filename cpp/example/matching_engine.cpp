// The core of an exchange: orders to buy and to sell match by price, then by time. Resting orders end in any
// order, so they are in a pool of fixed capacity, which refuses orders when it is full. The trades of one order
// are freed together after they are reported, so they are in an arena. examples/small/matching is the same
// program in Go, with the same output.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_allocator.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/make.hpp>
#include <vector>

namespace {

struct order {
    int id, price, quantity;
    order* next;
};

// The orders of one price, oldest first.
struct level {
    int price;
    order *first, *last;
};

// The levels of one side of the book, best last.
struct side {
    int sign;  // 1: the highest price is the best; -1: the lowest
    std::vector<level> levels{};

    // Appends o to the orders of its price.
    void rest(order* o) {
        const auto at = std::lower_bound(levels.begin(), levels.end(), o->price,
                                         [this](const level& l, int price) { return sign * l.price < sign * price; });
        if (at == levels.end() || at->price != o->price) {
            levels.insert(at, level{o->price, o, o});
            return;
        }
        at->last->next = o;
        at->last = o;
    }
};

struct trade {
    int maker, taker, price, quantity;
};
using trades = std::vector<trade, ebb::arena_allocator<trade>>;

struct book {
    ebb::fixed_pool<order> orders{200};
    side bids{1};
    side asks{-1};

    // Matches an order, and rests the remainder. Returns false if the pool is full.
    bool match(bool buy, order incoming, trades& done) {
        side& own = buy ? bids : asks;
        side& other = buy ? asks : bids;
        while (incoming.quantity > 0 && !other.levels.empty()) {
            level& best = other.levels.back();
            if (other.sign * best.price < other.sign * incoming.price) break;
            order* const o = best.first;
            const int n = std::min(incoming.quantity, o->quantity);
            done.push_back(trade{o->id, incoming.id, o->price, n});
            incoming.quantity -= n;
            o->quantity -= n;
            if (o->quantity > 0) break;
            best.first = o->next;
            if (best.first == nullptr) other.levels.pop_back();
            ebb::destroy(orders, o);
        }
        if (incoming.quantity == 0) return true;
        order* const o = ebb::construct(orders, incoming);
        if (o == nullptr) return false;
        own.rest(o);
        return true;
    }
};

// xorshift64 (Marsaglia, Xorshift RNGs, 2003), the same in both languages.
struct random_numbers {
    std::uint64_t state = 88172645463325252U;

    int below(int n) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        return static_cast<int>((state >> 33U) % static_cast<std::uint64_t>(n));
    }
};

}  // namespace

int main() {
    book b;
    ebb::arena arena(4'096);
    random_numbers rng;
    int count = 0;
    int refused = 0;
    long long volume = 0;
    for (int id = 1; id <= 20'000; ++id) {
        const bool buy = rng.below(2) == 0;
        const int price = 990 + rng.below(16) + (buy ? 5 : 0);
        const int quantity = 1 + rng.below(100);
        {
            trades done{ebb::arena_allocator<trade>(arena)};
            if (!b.match(buy, order{id, price, quantity, nullptr}, done)) ++refused;
            for (const trade& t : done) {
                ++count;
                volume += static_cast<long long>(t.quantity) * t.price;
            }
        }
        arena.reset();  // the trades have been reported
        if (id % 5'000 == 0)
            std::printf("%5d orders: %d trades, volume %lld, %zu rest at %zu and %zu prices, %d refused\n", id, count,
                        volume, b.orders.used(), b.bids.levels.size(), b.asks.levels.size(), refused);
    }
    return 0;
}
