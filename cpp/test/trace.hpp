// Shared traces: a reader, a slow model that makes traces from bytes, and a function that replays them. The
// tests and the fuzzer use them.
#ifndef EBBPOOL_TEST_TRACE_HPP
#define EBBPOOL_TEST_TRACE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ebbpool/fixed_pool.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace trace {

struct call {
    std::string kind;
    long slot = -1;  // -1 for kinds without a slot, and for an allocation from a full pool
    std::size_t used = 0;
};

struct trace {
    std::size_t capacity = 0;
    std::vector<call> calls;
};

inline bool has_slot(const std::string& kind) {
    return kind == "alloc" || kind == "free" || kind == "interior" || kind == "misaligned" || kind == "double" ||
           kind == "never";
}

/// Reads a trace file. Returns the error, or an empty string.
inline std::string read(const std::string& path, trace& t) {
    std::ifstream file(path);
    if (!file) return path + ": can't be read";
    bool first = true;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        call c;
        words >> c.kind;
        if (first) {
            words >> t.capacity;
            if (c.kind != "capacity" || !words) return path + ": no capacity: " + line;
            first = false;
            continue;
        }
        std::string slot;
        if (has_slot(c.kind)) words >> slot;
        words >> c.used;
        if (!words || !(words >> std::ws).eof()) return path + ": not understood: " + line;
        if (!slot.empty() && slot != "-") c.slot = std::stol(slot);
        t.calls.push_back(c);
    }
    return first ? path + ": empty" : "";
}

/// A slow model of a pool.
class model {
public:
    explicit model(std::size_t capacity) : state_(capacity, 'n') {}

    long alloc() {
        long slot = -1;
        if (!freed_.empty()) {
            slot = freed_.back();
            freed_.pop_back();
        } else if (fresh_ < state_.size()) {
            slot = static_cast<long>(fresh_++);
        }
        if (slot >= 0) state_[static_cast<std::size_t>(slot)] = 'o';
        return slot;
    }

    std::string free(long slot) {
        char& state = state_[static_cast<std::size_t>(slot)];
        if (state == 'n') return "never";
        if (state == 'f') return "double";
        state = 'f';
        freed_.push_back(slot);
        return "free";
    }

    std::size_t used() const { return fresh_ - freed_.size(); }

private:
    std::vector<char> state_;  // never allocated, allocated, free
    std::vector<long> freed_;
    std::size_t fresh_ = 0;
};

/// Makes a trace from arbitrary bytes: the first is the capacity, each other one a call.
inline trace from_bytes(const std::uint8_t* data, std::size_t size) {
    trace t;
    if (size == 0) return t;
    t.capacity = data[0] % 70u;
    model m(t.capacity);
    const auto note = [&](const std::string& kind, long slot) { t.calls.push_back({kind, slot, m.used()}); };
    for (std::size_t i = 1; i < size; ++i) {
        const unsigned b = data[i];
        const long slot = t.capacity == 0 ? -1 : static_cast<long>((b / 8 * 7 + i) % t.capacity);
        static const char* const no_slot[] = {"null", "foreign", "other", "end"};
        if (b % 8 < 3) {
            const long got = m.alloc();
            note("alloc", got);
        } else if (b % 8 < 6 && slot >= 0) {
            const std::string kind = m.free(slot);
            note(kind, slot);
        } else if (b % 8 == 6) {
            note(no_slot[b / 8 % 4], -1);
        } else if (slot >= 0) {
            note(b / 8 % 2 == 0 ? "interior" : "misaligned", slot);
        }
    }
    return t;
}

/// A policy that records its calls.
struct record {
    static constexpr bool enabled = true;
    static inline thread_local int count = 0;
    static inline thread_local ebb::misuse_info last{};
    static void on_misuse(const ebb::misuse_info& info) noexcept {
        ++count;
        last = info;
    }
};

/// An object of a given size and alignment, whose bytes can be checked.
template <std::size_t Size, std::size_t Alignment>
struct object {
    alignas(Alignment) unsigned char bytes[Size];
};

/// Replays a trace on a new pool of T. Checks slots, counts, kinds of misuse, and that no call changes an
/// allocated object. Returns the error, or an empty string.
template <class T>
std::string replay(const trace& t, const ebb::pool_options& options = {}) {
    using pool_type = ebb::fixed_pool<T, record>;
    pool_type pool(t.capacity, options);
    pool_type other_pool(1);
    T* const other = other_pool.allocate();
    T on_stack;
    std::vector<unsigned char> fill(t.capacity, 0);  // the byte written to each slot; 0 if it is not allocated
    std::size_t high_water = 0;
    unsigned char next = 0;

    const auto inside = [&](long slot, std::size_t offset) {
        auto* const bytes = reinterpret_cast<unsigned char*>(pool.slot(static_cast<std::size_t>(slot)));
        return reinterpret_cast<T*>(bytes + offset);
    };
    for (std::size_t i = 0; i < t.calls.size(); ++i) {
        const call& c = t.calls[i];
        const auto wrong = [&](const std::string& what) {
            return "call " + std::to_string(i) + ", " + c.kind + " " + std::to_string(c.slot) + ": " + what;
        };
        const auto slot = static_cast<std::size_t>(c.slot);
        record::count = 0;
        if (c.kind == "alloc") {
            T* const p = pool.allocate();
            if ((p == nullptr) != (c.slot < 0)) return wrong(p == nullptr ? "said full" : "said not full");
            if (p != nullptr) {
                if (pool.index_of(p) != slot) return wrong("answered slot " + std::to_string(pool.index_of(p)));
                if (reinterpret_cast<std::uintptr_t>(p) % alignof(T) != 0) return wrong("misaligned");
                next = static_cast<unsigned char>(next % 255 + 1);
                fill[slot] = next;
                std::memset(p, next, sizeof(T));
            }
        } else if (c.kind == "free") {
            T* const p = pool.slot(slot);
            const auto* const bytes = reinterpret_cast<const unsigned char*>(p);
            for (std::size_t b = 0; b < sizeof(T); ++b) {
                if (bytes[b] != fill[slot]) return wrong("byte " + std::to_string(b) + " was overwritten");
            }
            if (!pool.is_live(p)) return wrong("is_live is false");
            fill[slot] = 0;
            pool.deallocate(p);
            if (pool.is_live(p)) return wrong("is_live is true after it");
        } else {
            T* p = nullptr;
            ebb::misuse kind{};
            std::size_t in_slot = ebb::misuse_info::no_slot;
            if (c.kind == "null") {
                kind = ebb::misuse::null;
            } else if (c.kind == "foreign" || c.kind == "other" || c.kind == "end") {
                kind = ebb::misuse::foreign;
                p = c.kind == "foreign" ? &on_stack : c.kind == "other" ? other : pool.slot(0) + t.capacity;
            } else if (c.kind == "interior" || c.kind == "misaligned") {
                if (sizeof(T) < 2) continue;
                p = inside(c.slot, c.kind == "interior" ? sizeof(T) / 2 : 1);
                in_slot = slot;
                kind = reinterpret_cast<std::uintptr_t>(p) % alignof(T) != 0 ? ebb::misuse::misaligned
                                                                             : ebb::misuse::interior;
            } else {
                p = pool.slot(slot);
                in_slot = slot;
                kind = c.kind == "double" ? ebb::misuse::double_free : ebb::misuse::never_allocated;
            }
            pool.deallocate(p);
            if (record::count != 1) return wrong("was reported " + std::to_string(record::count) + " times");
            if (record::last.kind != kind) return wrong(std::string("was reported as ") + name(record::last.kind));
            if (record::last.pointer != p || record::last.pool != &pool || record::last.slot != in_slot ||
                record::last.capacity != t.capacity || record::last.slot_size != sizeof(T)) {
                return wrong("was reported with wrong particulars");
            }
            record::count = 0;
        }
        if (record::count != 0) return wrong(std::string("was reported as ") + name(record::last.kind));
        if (c.used > high_water) high_water = c.used;
        if (pool.used() != c.used) return wrong("used() is " + std::to_string(pool.used()));
        if (pool.available() != t.capacity - c.used) return wrong("available()");
        if (pool.empty() != (c.used == 0)) return wrong("empty()");
        if (pool.full() != (c.used == t.capacity)) return wrong("full()");
        if (pool.high_water() != high_water) return wrong("high_water() is " + std::to_string(pool.high_water()));
    }
    return "";
}

/// The fuzz body, for random seeds and for libFuzzer.
inline std::string replay_bytes(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return "";
    const trace t = from_bytes(data + 1, size - 1);
    switch (data[0] % 5) {
        case 0: return replay<object<1, 1>>(t);
        case 1: return replay<object<16, 8>>(t);
        case 2: return replay<object<24, 8>>(t);
        case 3: return replay<object<192, 64>>(t);
        default: return replay<object<100, 4>>(t);
    }
}

}  // namespace trace

#endif  // EBBPOOL_TEST_TRACE_HPP
