#include "regions.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <limits>
#include <memory_resource>
#include <ostream>
#include <utility>

#if MISUSE_HAVE_BOOST_CONTAINER
#include <boost/container/pmr/monotonic_buffer_resource.hpp>
#include <boost/container/pmr/vector.hpp>
#endif
#if MISUSE_HAVE_PROTOBUF
#include <google/protobuf/arena.h>
#include <google/protobuf/repeated_field.h>
#endif

namespace misuse {
namespace {

using number = std::uint64_t;
bool was_reported = false;

/// Ours. The container is a vector on its memory resource.
template <class Checks>
class ebb_region {
public:
    static constexpr bool has_marks = true, has_destructors = true;
    using mark = ebb::arena_mark;
    struct container {
        explicit container(ebb_region& r) : resource(r.arena_), values(&resource) {}
        ebb::basic_arena_resource<Checks> resource;
        std::pmr::vector<number> values;
    };
    void* allocate(std::size_t bytes) { return arena_.allocate(bytes, 8); }
    void array(std::size_t n) { static_cast<void>(arena_.template make_span<number>(n)); }
    template <class T, class... Args>
    void make(Args&&... args) {
        arena_.template make<T>(std::forward<Args>(args)...);
    }
    mark take_mark() { return arena_.mark(); }
    void rewind(const mark& m) { arena_.rewind(m); }
    void reset() { arena_.reset(); }
    void release() { arena_.release(); }

private:
    ebb::basic_arena<Checks> arena_{4096};
};

/// A monotonic resource, the standard library's or Boost's, on a buffer of its own.
template <class Resource, class Vector, class Allocator>
class monotonic_region {
public:
    static constexpr bool has_marks = false, has_destructors = false;
    struct container {
        explicit container(monotonic_region& r) : values(&r.resource_) {}
        Vector values;
    };
    void* allocate(std::size_t bytes) { return resource_.allocate(bytes, 8); }
    void array(std::size_t n) { static_cast<void>(Allocator(&resource_).allocate(n)); }
    void reset() { resource_.release(); }
    void release() { resource_.release(); }

private:
    alignas(64) std::byte buffer_[4096];
    Resource resource_{buffer_, sizeof buffer_};
};

using pmr_region = monotonic_region<std::pmr::monotonic_buffer_resource, std::pmr::vector<number>,
                                    std::pmr::polymorphic_allocator<number>>;

#if MISUSE_HAVE_BOOST_CONTAINER
namespace boost_pmr = boost::container::pmr;
using boost_region = monotonic_region<boost_pmr::monotonic_buffer_resource, boost_pmr::vector_of<number>::type,
                                      boost_pmr::polymorphic_allocator<number>>;
#endif

#if MISUSE_HAVE_PROTOBUF
class protobuf_region {
public:
    static constexpr bool has_marks = false, has_destructors = true;
    struct container {
        explicit container(protobuf_region& r)
            : values(*google::protobuf::Arena::CreateMessage<google::protobuf::RepeatedField<number>>(&r.arena_)) {}
        struct field {
            explicit field(google::protobuf::RepeatedField<number>& f) : all(f) {}
            void push_back(number n) { all.Add(n); }
            std::size_t size() const { return static_cast<std::size_t>(all.size()); }
            std::size_t capacity() const { return static_cast<std::size_t>(all.Capacity()); }
            number operator[](std::size_t i) const { return all.Get(static_cast<int>(i)); }
            google::protobuf::RepeatedField<number>& all;
        } values;
    };
    void* allocate(std::size_t bytes) { return google::protobuf::Arena::CreateArray<char>(&arena_, bytes); }
    void array(std::size_t n) { static_cast<void>(google::protobuf::Arena::CreateArray<number>(&arena_, n)); }
    template <class T, class... Args>
    void make(Args&&... args) {
        google::protobuf::Arena::Create<T>(&arena_, std::forward<Args>(args)...);
    }
    void reset() { arena_.Reset(); }
    void release() { arena_.Reset(); }

private:
    google::protobuf::Arena arena_;
};
#endif

/// Resets its region when it is destroyed.
template <class Region>
struct resetter {
    explicit resetter(Region& r) : region(r) {}
    ~resetter() { region.reset(); }
    Region& region;
};

/// Objects that are out, and whether they hold what was written to them.
template <class Region>
class objects {
public:
    explicit objects(Region& r) : region_(r) {}
    void add(std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            auto* const p = static_cast<unsigned char*>(region_.allocate(32));
            std::memset(p, ++fill_, 32);
            all_.push_back({p, fill_});
        }
    }
    bool intact() const {
        return std::all_of(all_.begin(), all_.end(), [](const auto& o) {
            return std::all_of(o.first, o.first + 32, [&o](unsigned char b) { return b == o.second; });
        });
    }
    unsigned char* first() const { return all_.front().first; }
    void gone() { all_.clear(); }

private:
    Region& region_;
    unsigned char fill_ = 0;
    std::vector<std::pair<unsigned char*, unsigned char>> all_;
};

template <class Region>
constexpr bool offers(region_kind k) {
    switch (k) {
        case region_kind::stale_mark:
        case region_kind::foreign_mark:
        case region_kind::moved_mark: return Region::has_marks;
        case region_kind::reset_inside: return Region::has_destructors;
        default: return true;
    }
}

/// Does it, goes on, and reports whether all was well. `done` is called when the
/// misuse has returned.
template <class Region, class Done>
bool play(region_kind k, const Done& done) {
    Region r, other;
    objects<Region> mine(r);
    mine.add(8);
    bool well = true;
    const auto container_holds = [](const auto& values, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            if (values[i] != i) return false;
        }
        return true;
    };
    switch (k) {
        case region_kind::stale_mark:
        case region_kind::foreign_mark:
        case region_kind::moved_mark:
            if constexpr (Region::has_marks) {
                typename Region::mark m = k == region_kind::foreign_mark ? other.take_mark() : r.take_mark();
                if (k == region_kind::stale_mark) {
                    r.reset();
                    mine.gone();
                    mine.add(16);
                }
                [[maybe_unused]] const typename Region::mark moved =
                    k == region_kind::moved_mark ? std::move(m) : typename Region::mark();
                r.rewind(m);  // NOLINT(bugprone-use-after-move): it is what is tried
                done();
            }
            break;
        case region_kind::reset_inside:
            if constexpr (Region::has_destructors) {
                r.template make<resetter<Region>>(r);
                r.reset();
                done();
                mine.gone();
            }
            break;
        case region_kind::after_reset:
        case region_kind::after_release: {
            auto* const c = new typename Region::container(r);  // never destroyed
            c->values.push_back(0);
            while (c->values.size() < 4 || c->values.size() < c->values.capacity())
                c->values.push_back(c->values.size());
            const std::size_t n = c->values.size();
            k == region_kind::after_reset ? r.reset() : r.release();
            mine.gone();
            if (k == region_kind::after_release) {
                mine.add(1);
                done();
            }
            mine.add(15);
            if (!was_reported) c->values.push_back(n);  // who is told leaves the container alone
            if (k == region_kind::after_reset) done();
            well = was_reported || container_holds(c->values, n);
            break;
        }
        case region_kind::overflow:
            r.array(std::numeric_limits<std::size_t>::max() / sizeof(number) + 2);
            done();
            break;
        case region_kind::dead_object: {
            unsigned char* const p = mine.first();
            r.reset();
            mine.gone();
            mine.add(8);
            *static_cast<volatile unsigned char*>(p) = 0xff;
            done();
            break;
        }
    }
    mine.add(100);
    return well && mine.intact();
}

struct region_subject {
    std::string who, version;
    bool ours;
    bool (*offers)(region_kind);
    bool (*play)(region_kind, void (*)());
};

int accepted_fd = -1;
void say_accepted() { static_cast<void>(!::write(accepted_fd, "A", 1)); }

template <class Region>
region_subject subject_of(const char* who, bool ours, const std::string& version = "") {
    return {who, version, ours, [](region_kind k) { return offers<Region>(k); },
            [](region_kind k, void (*done)()) { return play<Region>(k, done); }};
}

std::vector<region_subject> region_subjects() {
    std::vector<region_subject> all{subject_of<ebb_region<ebb::checks::trap>>("Ebbpool `trap`", true),
                                    subject_of<ebb_region<ebb::checks::report>>("Ebbpool `report`", true),
                                    subject_of<pmr_region>("`std::pmr` monotonic", false)};
#if MISUSE_HAVE_BOOST_CONTAINER
    all.push_back(subject_of<boost_region>("Boost monotonic", false));
#endif
#if MISUSE_HAVE_PROTOBUF
    constexpr int version = GOOGLE_PROTOBUF_VERSION;  // 3021012 is 3.21.12
    all.push_back(subject_of<protobuf_region>("protobuf Arena", false,
                                              std::to_string(version / 1'000'000) + '.' +
                                                  std::to_string(version / 1'000 % 1'000) + '.' +
                                                  std::to_string(version % 1'000)));
#endif
    return all;
}

}  // namespace

void misuse_region_in_child(std::size_t subject, region_kind k, int accepted) {
    ebb::set_misuse_handler([](const ebb::misuse_info&) noexcept { was_reported = true; });
    accepted_fd = accepted;
    finish_in_child([&] {
        bool well = true;
        try {
            well = region_subjects().at(subject).play(k, say_accepted);
        } catch (const std::bad_alloc&) {
            was_reported = true;
            say_accepted();
        }
        return std::pair{well, was_reported};
    });
}

std::vector<region_column> run_regions(bool ours_only) {
    std::vector<region_column> columns;
    const auto all = region_subjects();
    for (std::size_t n = 0; n < all.size(); ++n) {
        if (ours_only && !all[n].ours) continue;
        region_column c{all[n].who, all[n].version, {}, {}};
        for (const region_kind k : all_region_kinds) {
            c.offered.push_back(all[n].offers(k));
            c.results.push_back(c.offered.back() ? try_in_process("--try-region", n, static_cast<int>(k)) : result{});
        }
        columns.push_back(std::move(c));
    }
    return columns;
}

void write_region_table(std::ostream& out, const std::vector<region_column>& columns) {
    out << "| what is done |";
    for (const region_column& c : columns) out << ' ' << c.who << " |";
    out << "\n| --- |";
    for (std::size_t i = 0; i < columns.size(); ++i) out << " --- |";
    out << '\n';
    for (std::size_t k = 0; k < all_region_kinds.size(); ++k) {
        out << "| " << name(all_region_kinds[k]) << " |";
        for (const region_column& c : columns) out << ' ' << (c.offered[k] ? name(c.results[k].what) : "-") << " |";
        out << '\n';
    }
}

}  // namespace misuse
