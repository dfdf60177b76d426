// The orders of a matching engine: a price level is an entry of a std::map and a list of orders. Neither
// allocates from the heap after the start.
#include <cstdio>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/pool_allocator.hpp>
#include <functional>
#include <map>

namespace {

struct order {
    int id;
    int quantity;
    order* next;
};

using level = std::pair<const int, order*>;
using levels = std::map<int, order*, std::greater<>, ebb::pool_allocator<level>>;

}  // namespace

int main() {
    ebb::fixed_pool<order> orders(1'000);
    ebb::node_pool<level> nodes(100);
    levels bids{ebb::pool_allocator<level>(nodes)};

    for (int id = 0; id < 12; ++id) {
        order*& head = bids[100 - id % 3];
        head = ebb::construct(orders, id, 10 * (id + 1), head);
        if (head == nullptr) return 1;  // the pool is full: refuse the order
    }

    int filled = 0;
    while (!bids.empty()) {
        const auto best = bids.begin();
        for (order* o = best->second; o != nullptr;) {
            order* const next = o->next;
            filled += o->quantity;
            ebb::destroy(orders, o);
            o = next;
        }
        std::printf("price %d is empty, %d filled, %zu orders left\n", best->first, filled, orders.used());
        bids.erase(best);
    }
    return orders.empty() && nodes.empty() ? 0 : 1;
}
