// boost::json parses into an arena, with a resource of Boost's type, not std::pmr's.
#include <boost/json/src.hpp>
#include <cstdlib>
#include <ebbpool/arena.hpp>

class arena_json final : public boost::json::memory_resource {
public:
    explicit arena_json(ebb::arena& a) noexcept : arena_(a) {}

private:
    void* do_allocate(std::size_t bytes, std::size_t align) override { return arena_.allocate(bytes, align); }
    void do_deallocate(void* p, std::size_t bytes, std::size_t) override { arena_.give_back(p, bytes); }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
    ebb::arena& arena_;
};

// No destructor runs: the arena frees all memory of a value.
template <>
struct boost::json::is_deallocate_trivial<arena_json> {
    static constexpr bool value = true;
};

int main() {
    ebb::arena a;
    arena_json memory(a);
    for (int request = 0; request < 3; ++request) {
        {
            const boost::json::value v =
                boost::json::parse(R"({"id": 17, "names": ["a", "a name that is rather long, and so on"]})", &memory);
            if (v.at("id").as_int64() != 17 || v.at("names").as_array().size() != 2) return EXIT_FAILURE;
            if (a.used_bytes() == 0) return EXIT_FAILURE;
        }
        a.reset();
    }
}
