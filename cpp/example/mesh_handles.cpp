// Objects that refer to each other and are destroyed at any time, as in a game. Handles detect a destroyed
// object, even when its slot has a new one.
#include <cstdio>
#include <ebbpool/handle_pool.hpp>
#include <string>

namespace {

struct ship {
    std::string name;
    ebb::handle<ship> target;
};

}  // namespace

int main() {
    ebb::handle_pool<ship> ships(16);
    const auto hunter = ships.create("hunter", ebb::handle<ship>{});
    const auto prey = ships.create("prey", ebb::handle<ship>{});
    ships.get(hunter)->target = prey;

    ships.destroy(prey);
    const auto newcomer = ships.create("newcomer", ebb::handle<ship>{});
    std::printf("the newcomer has the prey's slot: %s\n", newcomer.index == prey.index ? "yes" : "no");

    const ship* const target = ships.get(ships.get(hunter)->target);
    std::printf("the hunter's target: %s\n", target == nullptr ? "gone" : target->name.c_str());
    return target == nullptr && !ships.destroy(prey) ? 0 : 1;
}
