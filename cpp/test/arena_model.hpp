// A slow model of the arena: a list of all allocations, the bytes written to each, and the order in which
// destructors must run. The tests run it on random bytes, and the fuzzer on its input. The lower half of a byte
// selects the kind of allocation or end, the upper half the form: a call that throws or returns null, a scope
// or a mark.
#ifndef EBBPOOL_TEST_ARENA_MODEL_HPP
#define EBBPOOL_TEST_ARENA_MODEL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arena_model {

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

/// The numbers of the objects whose destructors ran.
inline thread_local std::vector<std::uint32_t> ended;

/// Objects with a number, of several sizes and alignments, with and without padding between them.
template <std::size_t Size, std::size_t Alignment, bool Throws = false>
struct alignas(Alignment) noisy {
    explicit noisy(std::uint32_t n, bool fail = false) noexcept(!Throws) : number(n) {
        if constexpr (Throws) {
            if (fail) throw n;
        }
    }
    noisy() : noisy(next) {}
    noisy(const noisy&) = delete;
    ~noisy() {
        ended.push_back(number);
        number = ~0u;
    }
    static inline thread_local std::uint32_t next = 0;
    std::uint32_t number;
    unsigned char rest[Size - sizeof(std::uint32_t)];
};

/// An object whose constructor makes another one and copies text.
template <class Arena>
struct nested {
    nested(Arena& a, std::uint32_t n, bool fail) : number(n) {
        inner = a.template make<noisy<16, 8>>(n + 1);
        text = a.copy("text of a constructor");
        if (fail) throw n;
    }
    ~nested() { ended.push_back(number); }
    std::uint32_t number;
    noisy<16, 8>* inner;
    std::string_view text;
};

/// An object whose constructor and destructor make objects in a scope.
template <class Arena>
struct scratching {
    scratching(Arena& arena, std::uint32_t n, bool fail) : a(arena), number(n) {
        scratch();
        if (fail) throw n;
        scratch();
    }
    ~scratching() { ended.push_back(number); }
    void scratch() {
        const std::size_t before = ended.size();
        try {
            const ebb::arena_scope<typename Arena::checks_type> scope(a);
            a.template make<noisy<16, 8>>(number);
            a.copy("text of a scope");
            a.template make<noisy<24, 8>>(number);
        } catch (const std::bad_alloc&) {
            ended.resize(before);
            throw;
        }
        if (ended.size() != before + 2) std::abort();
        ended.resize(before);
    }
    Arena& a;
    std::uint32_t number;
};

/// A source that counts calls and can fail.
struct memory {
    std::size_t held = 0;
    std::size_t takes = 0;
    std::size_t fail_at = 0;  // the call that fails
    std::size_t refused = 0;
    ebb::memory_source source{&take, &give, this};

    static void* take(std::size_t bytes, std::size_t alignment, void* context) noexcept {
        auto& m = *static_cast<memory*>(context);
        if (++m.takes == m.fail_at) {
            ++m.refused;
            return nullptr;
        }
        void* const p = ::operator new (bytes, std::align_val_t{alignment});
        std::memset(p, 0, bytes);
        m.held += bytes;
        return p;
    }
    static void give(void* p, std::size_t bytes, std::size_t alignment, void* context) noexcept {
        static_cast<memory*>(context)->held -= bytes;
        ::operator delete (p, std::align_val_t{alignment});
    }
};

/// The allocations, oldest first.
struct piece {
    unsigned char* at = nullptr;
    std::size_t bytes = 0;
    unsigned char fill = 0;
    std::size_t counts = 0;                                              // bytes in used_bytes
    std::vector<std::uint32_t> numbers{};                                // of objects with destructors, oldest first
    bool is_raw = false;                                                 // can be freed by give_back
    std::optional<ebb::arena_allocator<std::uint64_t, record>> block{};  // for a container's block
    bool of_resource = false;
    std::size_t given = 0, given_at = 0;  // bytes it added to used_bytes, and when it was freed
    ebb::basic_arena<record>* fork = nullptr;
};

class player {
public:
    using arena = ebb::basic_arena<record>;

    player(const std::uint8_t* data, std::size_t size, memory& m) : data_(data), size_(size), memory_(m) {
        chunk_ = 1 + byte() * (1u + byte() % 16);
        retained_ = byte() * 64u;
        ebb::pool_options options;
        options.source = &memory_.source;
        arena_.emplace(chunk_, retained_, options);
        if (retained_ == 0) retained_ = 10 * chunk_;
        ended.clear();
        record::count = 0;
    }

    /// Returns the error, or an empty string.
    std::string run() {
        for (; at_ < size_ && error_.empty(); ++steps) {
            step();
            check();
        }
        if (error_.empty()) {
            end_scopes(0);
            end_resource(0);
            arena_.reset();
            expect_ended(0);
            if (memory_.held != 0) fail("memory was not given back");
        }
        return error_;
    }

    static inline thread_local std::uint64_t steps = 0;  // in all runs

private:
    using small = noisy<8, 4>;
    using row = noisy<16, 8>;
    using odd = noisy<20, 4>;
    using wide = noisy<64, 64>;
    using throwing = noisy<24, 8, true>;

    std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
    void fail(const std::string& what) {
        if (error_.empty()) error_ = "byte " + std::to_string(at_) + ": " + what;
    }

    void step() {
        const unsigned op = byte();
        try {
            switch (op % 16) {
                case 0:
                    if (op >= 0xe0) return give_back();
                    if (op >= 0xc0) return give_block(byte());
                    if (op >= 0x90) return take_block(1 + byte());
                    return raw(byte(), std::size_t{1} << (op / 16 % 8), false);
                case 1:
                    return raw(static_cast<std::size_t>(byte()) * byte(), std::size_t{1} << (op / 32),
                               op / 16 % 2 != 0);
                case 2: return text(byte(), op >= 0x80);
                case 3: return text(static_cast<std::size_t>(byte()) * 16, op >= 0x80);
                case 4: return op >= 0xc0 ? in_fork(byte()) : one<row>(false, op >= 0x80);
                case 5: return op >= 0xc0 ? on_end() : one<small>(false, op >= 0x80);
                case 6: return op >= 0xc0 ? adopt() : one<odd>(false, op >= 0x80);
                case 7: return one<wide>(false, op >= 0x80);
                case 8: return op >= 0xc0 ? fork() : some(byte() % 8, op >= 0x80);
                case 9: return one<throwing>(op / 16 % 2 == 0, op >= 0x80);
                case 10: return op >= 0xc0 ? one_scratching(op / 16 % 4 == 0) : one_nested(op / 16 % 4 == 0);
                case 11: return op >= 0xb0 ? begin_scope() : op >= 0x60 ? end_scope() : mark();
                case 12: return rewind(byte());
                case 13: return op / 16 == 0 ? move(byte()) : words(byte() % 64, op >= 0xc0);
                case 14: return limit(op / 16);
                default: return end_cycle(op / 16);
            }
        } catch (const ebb::limit_error& e) {
            ++changes_;
            if (limit_ == 0) fail("limit_error without a limit");
            if (e.limit() != limit_ || e.in_use() != held() || e.in_use() + e.asked() <= limit_) {
                fail("limit_error of a wrong limit");
            }
        } catch (const std::bad_alloc&) {
            ++changes_;
            if (memory_.refused == refused_) fail("bad_alloc without a cause");
        }
        refused_ = memory_.refused;
    }

    void add(void* at, std::size_t bytes, std::size_t counts, std::size_t alignment) {
        if (at == nullptr) return fail("null");
        if (reinterpret_cast<std::uintptr_t>(at) % alignment != 0) return fail("misaligned");
        piece p{static_cast<unsigned char*>(at), bytes, ++fill_, counts};
        std::memset(p.at, p.fill, p.bytes);
        pieces_.push_back(std::move(p));
    }
    static std::size_t whole(std::size_t n) { return (n + 7) / 8 * 8; }
    static std::size_t block(std::size_t n) { return ebb::annotate::on ? n : ebb::detail::block_shape(n).size; }
    /// Returns what an allocation of `bytes` has added to used_bytes(), with padding.
    std::size_t counted(std::size_t bytes, std::size_t alignment) {
        const std::size_t n = arena_->used_bytes() - used();
        if (n < bytes || n > bytes + (alignment > 8 ? alignment - 8 : 0)) fail("used_bytes() counts too much");
        return n;
    }

    // Whether a call that returns null was refused. Then the call that throws must fail as well, and for a
    // reason.
    template <class F>
    bool refused(const void* p, const F& throwing_call) {
        if (p != nullptr) return false;
        ++changes_;
        if (arena_->used_bytes() != used()) fail("a call that refused has taken memory");
        if (memory_.refused != refused_) return true;
        if (limit_ == 0) fail("null without a cause");
        try {
            throwing_call();
            fail("null, though there is memory");
        } catch (const ebb::limit_error&) {
        }
        return true;
    }

    void raw(std::size_t bytes, std::size_t alignment, bool tried) {
        void* p = nullptr;
        if (tried) {
            p = arena_->try_allocate(bytes, alignment);
            if (refused(p, [&] { arena_->allocate(bytes, alignment); })) return;
        } else {
            p = arena_->allocate(bytes, alignment);
        }
        add(p, bytes, counted(bytes == 0 ? 8 : whole(bytes), alignment), alignment);
        pieces_.back().is_raw = true;
    }
    // Frees the newest allocation if no mark was taken after it: its memory becomes free, or stays counted
    // until the end of the cycle.
    void give_back() {
        if (pieces_.empty() || !pieces_.back().is_raw) return;
        for (const mark_of& m : marks_) {
            if (m.good && m.pieces == pieces_.size()) return;
        }
        piece& p = pieces_.back();
        const std::size_t before = arena_->used_bytes();
        arena_->give_back(p.at, p.bytes);
        const std::size_t bytes = p.bytes;
        p.is_raw = false;
        p.bytes = 0;
        ++changes_;
        if (arena_->used_bytes() == before) return;
        // Padding before it stays allocated.
        if (before - arena_->used_bytes() != std::max(std::size_t{8}, whole(bytes))) fail("give_back() took another's");
        p.counts -= before - arena_->used_bytes();
    }
    // A container's block, which other containers can reuse. The resource counts its own blocks.
    void take_block(std::size_t n) {
        if (n % 2 != 0) {
            add(resource_.allocate(8 * n, 8), 8 * n, block(8 * n), 8);
            pieces_.back().of_resource = true;
            return;
        }
        ebb::arena_allocator<std::uint64_t, record> from(*arena_);
        add(from.allocate(n), 8 * n, block(8 * n), 8);
        pieces_.back().block.emplace(from);
    }
    // Frees any block. Blocks older than a rewind stay allocated, because freeing them has no effect.
    void give_block(std::size_t which) {
        std::vector<std::size_t> blocks;
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            if (pieces_[i].block || pieces_[i].of_resource) blocks.push_back(i);
        }
        if (!blocks.empty()) give_block(pieces_[blocks[which % blocks.size()]]);
    }
    void give_block(piece& p) {
        const std::size_t before = arena_->used_bytes();
        if (p.of_resource) {
            resource_.deallocate(p.at, p.bytes, 8);
        } else {
            p.block->deallocate(reinterpret_cast<std::uint64_t*>(p.at), p.bytes / 8);
        }
        p.block.reset();
        p.of_resource = false;
        p.given = before - arena_->used_bytes();
        if (p.given != 0 && p.given != p.counts) fail("a block that came back took another's");
        p.counts -= p.given;
        p.given_at = ++time_;
        p.bytes = 0;
        ++changes_;
    }
    // Ends containers that are newer, except those of allocators.
    void end_resource(std::size_t from) {
        for (std::size_t i = pieces_.size(); i-- > from;) {
            if (pieces_[i].of_resource) give_block(pieces_[i]);
        }
        if (from == 0 && resource_.blocks() != 0) fail("blocks()");
    }
    // Moves to another arena object: a new one, or one with objects.
    void move(unsigned how) {
        end_scopes(0);
        end_resource(0);
        for (piece& p : pieces_) p.block.reset();  // allocators don't move along
        arena next(1 + how % 128);
        if (how >= 128) {
            next.make<row>(number_);
            next = std::move(*arena_);
            if (ended.size() != 1 || ended.back() != number_) fail("the objects of a moved-to arena did not end");
            ended.clear();
            arena_.emplace(std::move(next));
        } else {
            arena other(std::move(*arena_));
            if (arena_->used_bytes() != 0 || arena_->stats().retained_bytes != 0)
                fail("an arena moved from has memory");
            *arena_ = std::move(other);
        }
    }
    void text(std::size_t n, bool tried) {
        const std::string s(n, 'x');
        if (tried && n > 0) {
            const std::string_view copy = arena_->try_copy(s);
            if (refused(copy.data(), [&] { arena_->copy(s); })) return;
            if (copy != s) return fail("try_copy() differs");
            return add(const_cast<char*>(copy.data()), n, n, 1);
        }
        if (n % 2 != 0) {  // as a C string
            char* const c = arena_->copy_c_str(std::string_view(s).substr(1));
            if (c != s.substr(1)) return fail("copy_c_str() differs");
            return add(c, n, n, 1);
        }
        const std::string_view copy = arena_->copy(s);
        if (copy != s) return fail("copy() differs");
        if (n > 0) add(const_cast<char*>(copy.data()), n, n, 1);
    }
    void words(std::size_t n, bool tried) {
        if (tried && n > 0) {
            const std::vector<std::uint64_t> all(n, 17);
            const std::span<std::uint64_t> s = arena_->try_copy(std::span(all));
            if (refused(s.data(), [&] { arena_->copy(std::span(all)); })) return;
            if (s.size() != n || s[n - 1] != 17) return fail("try_copy() differs");
            return add(s.data(), 8 * n, 8 * n, 8);
        }
        const std::span<std::uint64_t> s = arena_->make_span<std::uint64_t>(n);
        for (const std::uint64_t w : s) {
            if (w != 0) fail("make_span is not zero");
        }
        if (n > 0) add(s.data(), 8 * n, 8 * n, 8);
    }

    template <class T, class... Args>
    T* object(std::size_t rest_counts, std::vector<std::uint32_t> numbers, Args&&... args) {
        T* const p = arena_->make<T>(std::forward<Args>(args)...);
        if (reinterpret_cast<std::uintptr_t>(p) % alignof(T) != 0) fail("misaligned object");
        pieces_.push_back({nullptr, 0, 0, counted(whole(sizeof(T)) + rest_counts, alignof(T)), std::move(numbers)});
        return p;
    }
    template <class T>
    void one(bool fails, bool tried) {
        const std::uint32_t n = number_++;
        try {
            T* p = nullptr;
            if (tried) {
                p = arena_->try_make<T>(n, fails);
                // It needs a record, which make may not need.
                if (p == nullptr && limit_ == 0 && memory_.refused == refused_) fail("null without a cause");
                if (p == nullptr) return void(++changes_);
                pieces_.push_back({nullptr, 0, 0, counted(whole(sizeof(T)), alignof(T)), {n}});
            } else {
                p = object<T>(0, {n}, n, fails);
            }
            // Its bytes, except its number, are checked like others.
            pieces_.back().at = p->rest;
            pieces_.back().bytes = sizeof p->rest;
            pieces_.back().fill = ++fill_;
            std::memset(p->rest, fill_, sizeof p->rest);
        } catch (std::uint32_t) {
            ++changes_;  // it was not constructed
        }
    }
    void one_nested(bool fails) {
        const std::uint32_t n = number_;
        number_ += 2;
        const std::size_t before = ended.size();
        try {
            object<nested<arena>>(whole(sizeof(row)) + 21, {n + 1, n}, *arena_, n, fails);
        } catch (std::uint32_t) {
            // Allocations of the constructor stay until the end of the cycle.
            ++changes_;
            pieces_.push_back({nullptr, 0, 0, whole(sizeof(row)) + 21, {n + 1}});
        } catch (const std::bad_alloc&) {
            // used_bytes shows which part was refused.
            count_nested(n, before);
            throw;
        }
    }
    // The constructor, its text, or the record of the outer object found no memory. Allocations before that
    // stay. If the outer object was constructed, it was destroyed.
    void count_nested(std::uint32_t n, std::size_t before) {
        const std::size_t extra = arena_->used_bytes() - used();
        if (ended.size() > before) {
            if (ended.size() != before + 1 || ended.back() != n) fail("the wrong destructor ran");
            ended.pop_back();
        }
        if (extra == 0) return;
        if (extra != whole(sizeof(row)) && extra != whole(sizeof(row)) + 21) fail("what is left is of a wrong size");
        pieces_.push_back({nullptr, 0, 0, extra, {n + 1}});
    }
    void some(std::size_t n, bool generated) {
        row::next = number_;
        const std::span<row> s =
            generated ? arena_->make_span_with<row>(n, [](std::size_t) { return row(); }) : arena_->make_span<row>(n);
        if (n == 0) return;
        std::vector<std::uint32_t> numbers;
        for (row& r : s) {
            r.number = number_++;
            numbers.push_back(r.number);
        }
        pieces_.push_back({nullptr, 0, 0, n * sizeof(row), numbers});
    }

    void one_scratching(bool fails) {
        const std::uint32_t n = number_++;
        high_ = std::max(high_, used() + sizeof(scratching<arena>) + 64);  // within the scope
        try {
            object<scratching<arena>>(0, {n}, *arena_, n, fails);
        } catch (std::uint32_t) {
            ++changes_;
        } catch (const std::bad_alloc&) {
            // Destroyed if only its record was refused.
            if (!ended.empty() && ended.back() == n) ended.pop_back();
            throw;
        }
    }
    void on_end() {
        const std::uint32_t n = number_++;
        arena_->on_end([n] { ended.push_back(n); });
        pieces_.push_back({nullptr, 0, 0, counted(8, 8), {n}});
    }
    void adopt() {
        const std::uint32_t n = number_++;
        auto p = std::make_unique<small>(n);
        try {
            if (arena_->adopt(std::move(p))->number != n) fail("adopt() returned another object");
            pieces_.push_back({nullptr, 0, 0, counted(whole(sizeof p), alignof(void*)), {n}});
        } catch (const std::bad_alloc&) {
            if (p == nullptr || p->number != n) fail("adopt() lost its argument");
            p.reset();
            ended.pop_back();
            throw;
        }
    }

    // Forks have chunks of the same source, and their objects end with them.
    void fork() {
        arena& f = arena_->fork();
        pieces_.push_back({nullptr, 0, 0, counted(whole(sizeof(arena)), alignof(arena)), {}});
        pieces_.back().fork = &f;
    }
    void in_fork(std::size_t which) {
        std::vector<piece*> forks;
        for (piece& p : pieces_) {
            if (p.fork != nullptr) forks.push_back(&p);
        }
        if (forks.empty()) return;
        piece& p = *forks[which % forks.size()];
        const std::uint32_t n = number_++;
        try {
            const row* const made = which % 2 != 0 ? p.fork->make<row>(n) : p.fork->try_make<row>(n);
            if (made != nullptr) p.numbers.push_back(n);
        } catch (const std::bad_alloc&) {
        }
    }
    // An object of the arena itself.
    std::size_t held() {
        std::size_t n = memory_.held;
        for (const piece& p : pieces_) {
            if (p.fork != nullptr) n -= p.fork->stats().retained_bytes;
        }
        return n;
    }

    void begin_scope() {
        scopes_.push_back({std::make_unique<ebb::arena_scope<record>>(*arena_), pieces_.size(), ++time_});
        ++changes_;
    }
    void end_scope() {
        if (scopes_.empty()) return;
        const std::size_t pieces = scopes_.back().pieces, time = scopes_.back().time;
        end_resource(pieces);
        scopes_.pop_back();
        take_back(pieces, time);
        for (mark_of& m : marks_) {
            if (m.time > time) m.good = false, m.known = true;
        }
        ++changes_;
    }
    void end_scopes(std::size_t since) {
        while (!scopes_.empty() && scopes_.back().time > since) end_scope();
    }
    // Removes the allocations since a mark or scope.
    void take_back(std::size_t pieces, std::size_t time) {
        std::vector<unsigned char*> gone;
        for (std::size_t i = pieces; i < pieces_.size(); ++i) {
            if (pieces_[i].at != nullptr && pieces_[i].bytes != 0) gone.push_back(pieces_[i].at);
        }
        expect_ended(pieces);
        // Blocks older than the mark that were freed since: still allocated, but owned by no container.
        for (piece& p : pieces_) {
            if (p.given_at > time) p.counts += std::exchange(p.given, 0);
        }
        for (const unsigned char* const p : gone) {
            if (arena_->owns(p)) fail("owns() what was taken back");
        }
    }

    void mark() {
        ebb::arena_mark m = arena_->mark();
        marks_.push_back({std::move(m), pieces_.size(), changes_, true, true, ++time_});
    }
    void rewind(std::size_t which) {
        if (marks_.empty()) return;
        const std::size_t i = marks_.size() - 1 - which % marks_.size();
        if (!marks_[i].known) return;
        if (marks_[i].good) end_scopes(marks_[i].time);
        if (marks_[i].good) end_resource(marks_[i].pieces);
        arena_->rewind(marks_[i].m);
        if (!marks_[i].good) {
            if (record::count != 1 || record::last.kind != ebb::misuse::stale_mark) fail("a stale mark was accepted");
            record::count = 0;
            return;
        }
        take_back(marks_[i].pieces, marks_[i].time);
        // Marks at the same place are the same mark. After a failed allocation or a free, they may be the same
        // or not.
        for (std::size_t k = i + 1; k < marks_.size(); ++k) {
            if (marks_[k].changes != marks_[i].changes) {
                marks_[k].known = false;
            } else if (marks_[k].pieces != marks_[i].pieces) {
                marks_[k].good = false;
            }
        }
        check_marks(i);
    }
    void check_marks(std::size_t i) {
        if (marks_.size() > 64) marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(i) + 1, marks_.end());
    }
    void limit(unsigned n) {
        limit_ = n == 0 ? 0 : n * 700;
        arena_->limit(limit_);
    }
    void end_cycle(unsigned how) {
        end_scopes(0);
        end_resource(0);
        if (how % 4 == 3) {
            arena_->release();
            if (memory_.held != 0) fail("release() kept memory");
        } else {
            const std::size_t retained = how % 4 == 2 ? how * 100 : retained_;
            how % 4 == 2 ? arena_->reset(retained) : arena_->reset();
            const std::size_t least = ebb::detail::chunk_header + whole(chunk_);
            if (memory_.held > retained && memory_.held > least) fail("reset() kept " + std::to_string(memory_.held));
        }
        take_back(0, time_);
        for (auto& m : marks_) m.good = false, m.known = true;
        ++cycles_;
        if (arena_->stats().resets != cycles_) fail("resets");
    }

    // Removes all allocations from `keep` on. Their destructors must have run, newest first.
    void expect_ended(std::size_t keep) {
        std::size_t at = 0;
        while (pieces_.size() > keep) {
            const auto& numbers = pieces_.back().numbers;
            for (std::size_t i = numbers.size(); i > 0; --i) {
                if (at >= ended.size() || ended[at++] != numbers[i - 1]) return fail("a wrong destructor ran, or none");
            }
            pieces_.pop_back();
        }
        if (at != ended.size()) fail("a destructor ran that must not");
        ended.clear();
    }

    std::size_t used() const {
        std::size_t n = 0;
        for (const piece& p : pieces_) n += p.counts;
        return n;
    }
    void check() {
        if (record::count != 0) fail(std::string("misuse was reported: ") + name(record::last.kind));
        if (!ended.empty()) fail("a destructor ran by itself");
        const std::size_t n = used();
        high_ = high_ > n ? high_ : n;
        if (arena_->used_bytes() != n) fail("used_bytes() is " + std::to_string(arena_->used_bytes()));
        const ebb::arena_stats s = arena_->stats();
        const std::size_t own = held();
        if (s.retained_bytes != own) fail("retained_bytes");
        if (s.high_water < n || s.high_water > high_) fail("high_water");
        if (limit_ != 0 && own > limit_ && own > held_) fail("more than the limit");
        held_ = own;
        for (const piece& p : pieces_) {
            if (p.bytes != 0 && !(arena_->owns(p.at) && arena_->owns(p.at + p.bytes - 1))) fail("owns()");
            for (std::size_t i = 0; i < p.bytes; ++i) {
                if (p.at[i] != p.fill) return fail("something was overwritten");
            }
        }
    }

    struct mark_of {
        ebb::arena_mark m;
        std::size_t pieces, changes;
        bool good, known;
        std::size_t time;
    };
    struct scope_of {
        std::unique_ptr<ebb::arena_scope<record>> scope;
        std::size_t pieces, time;
    };

    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
    memory& memory_;
    std::size_t chunk_ = 0, retained_ = 0, limit_ = 0, held_ = 0, high_ = 0, cycles_ = 0, refused_ = 0, changes_ = 0;
    std::optional<arena> arena_{std::in_place};
    ebb::basic_arena_resource<record> resource_{*arena_};
    std::size_t time_ = 0;
    std::vector<piece> pieces_;
    std::vector<mark_of> marks_;
    std::vector<scope_of> scopes_;
    std::uint32_t number_ = 1;
    unsigned char fill_ = 0;
    std::string error_;
};

/// The fuzz body. The first byte selects the call of the source that fails, if any.
inline std::string replay_bytes(const std::uint8_t* data, std::size_t size) {
    if (size < 5) return "";
    memory m;
    m.fail_at = data[0] % 16;
    return player(data + 1, size - 1, m).run();
}

}  // namespace arena_model

#endif  // EBBPOOL_TEST_ARENA_MODEL_HPP
