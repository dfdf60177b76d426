// RapidJSON documents in an arena, with an allocator of RapidJSON's form.
#include <rapidjson/document.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ebbpool/arena.hpp>
#include <string_view>

class arena_rapidjson {
public:
    static constexpr bool kNeedFree = false;
    arena_rapidjson() = default;  // required by RapidJSON, but not used if the document gets an allocator
    explicit arena_rapidjson(ebb::arena& a) noexcept : arena_(&a) {}

    void* Malloc(std::size_t bytes) { return bytes == 0 ? nullptr : arena_->allocate(bytes); }
    void* Realloc(void* old, std::size_t old_bytes, std::size_t bytes) {
        if (bytes == 0) return nullptr;
        if (bytes <= old_bytes) return old;
        void* const p = arena_->allocate(bytes);
        if (old_bytes != 0) std::memcpy(p, old, old_bytes);
        return p;
    }
    static void Free(void*) noexcept {}

private:
    ebb::arena* arena_ = nullptr;
};

using value = rapidjson::GenericValue<rapidjson::UTF8<>, arena_rapidjson>;
using document = rapidjson::GenericDocument<rapidjson::UTF8<>, arena_rapidjson, arena_rapidjson>;

int main() {
    ebb::arena a;
    for (int request = 0; request < 3; ++request) {
        {
            arena_rapidjson memory(a);
            document d(&memory, 1024, &memory);
            d.Parse(R"({"id": 17, "names": ["a", "a name that is rather long, and so on"]})");
            if (d.HasParseError() || d["id"].GetInt() != 17 || d["names"].Size() != 2) return EXIT_FAILURE;
            d.AddMember("more", value(true), memory);
            if (!d["more"].GetBool() || a.used_bytes() == 0) return EXIT_FAILURE;
        }
        a.reset();
    }
}
