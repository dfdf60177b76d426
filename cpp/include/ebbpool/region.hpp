// A region: the memory of one arena, with its destructors and marks.
//
//     chunk    header | objects -> ... free ... <- text |
//                     begin     lo           hi         end
//
// Objects are allocated from the low end in units of 8 bytes, and text from the high end byte by byte, so text
// needs no padding. When a chunk is full, a new one becomes current, and the old one stays in a list until the
// cycle ends. A large allocation gets a chunk of its own if the current chunk would have more space left than
// the new one.
//
// The fast paths (take, take_block, take_text) move lo or hi, and call take_slow if the chunk is
// full. used() includes the rounding to 8 bytes and the padding of larger alignments. All other overhead is in
// overhead_.
#ifndef EBBPOOL_REGION_HPP
#define EBBPOOL_REGION_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <ebbpool/annotate.hpp>
#include <ebbpool/checks.hpp>
#include <ebbpool/chunks.hpp>
#include <ebbpool/region_state.hpp>

namespace ebb::inline EBB_ABI::detail {

/// A bump allocator for one thread. It does not check for misuse.
class region : public region_blocks {
public:
    /// After a release with allocated blocks, the next allocation calls `on_stranded` first.
    region(std::size_t chunk_size, std::size_t max_retained, const pool_options& options,
           void (*on_stranded)(const region*) noexcept)
        : region_blocks(chunk_size, max_retained, options), on_stranded_(on_stranded) {}

    /// An empty region with the parameters and the limit of `other`.
    struct like {
        const region& other;
    };
    explicit region(like l) noexcept : region(l.other) { be_new(); }
    /// An empty region with the parameters of `other`, without its storage. The limit is the unused rest of its
    /// limit.
    struct fork_of {
        const region& other;
    };
    explicit region(fork_of f) noexcept : region(f.other) {
        fork_limits();
        be_new();
    }

    /// Takes the memory and marks of `other`, which becomes empty. Allocators are not redirected.
    region& operator=(region&& other) noexcept {
        free_chunks();
        const std::size_t ended = cycle_ + 1, t = std::max(time_, other.time_);
        *this = other;
        cycle_ += ended;
        first_cycle_ += ended;
        time_ = t;
        end_times();
        for (place* p = places_; p != nullptr; p = p->older) p->live = {time_, time_, time_};
        other.be_new();
        return *this;
    }

    ~region() { free_chunks(); }

    /// Returns `bytes` bytes from the low end, at a multiple of `align`, a power of 2.
    EBB_INLINE std::byte* take(std::size_t bytes, std::size_t align) {
        if (annotate::on || EBB_UNLIKELY(!is_small(bytes, align))) return take_slow(bytes, align, false);
        const std::size_t mask = (align - 1) & ~(unit - 1);
        const std::uintptr_t at = (+lo_ + mask) & ~mask;  // keeps bit 0 of lo_
        const std::uintptr_t end = at + round_up(bytes, unit);
        if (EBB_UNLIKELY(end > +hi_)) return take_slow(bytes, align, false);
        lo_ = address{end};
        return pointer_to(at & ~std::uintptr_t{unit - 1});
    }
    /// Reports whether the end of such an allocation can't overflow, and bytes and align are not 0.
    static constexpr bool is_small(std::size_t bytes, std::size_t align) noexcept {
        return ((bytes - 1) | (align - 1)) < no_chunk_above / 2;
    }

    /// Returns a block for a container. `align` must be a power of 2.
    EBB_INLINE std::byte* take_block(std::size_t bytes, std::size_t align) {
        std::byte* const p = align > unit ? nullptr : take_block_at_once(bytes);
        return EBB_UNLIKELY(p == nullptr) ? take_block_apart(bytes, align) : p;
    }
    /// The fast path of take_block, for an alignment of at most unit. Returns null if it needs the slow path.
    EBB_INLINE std::byte* take_block_at_once(std::size_t bytes) noexcept {
        if (annotate::on || EBB_UNLIKELY(bytes - 1 >= no_chunk_above)) return nullptr;
        static_assert(block_shape(no_chunk_above).number < block_shape::classes);
        const block_shape shape(bytes);
        if (std::byte* const p = free_block_of(shape); p != nullptr) return p;
        const std::uintptr_t lo = +lo_;
        const std::uintptr_t end = lo + shape.size;
        if (EBB_UNLIKELY(end > +hi_)) return nullptr;
        lo_ = address{end};
        std::byte* const at = pointer_to(lo & ~std::uintptr_t{unit - 1});
        EBB_ASSUME(at != nullptr);
        return at;
    }
    EBB_NOINLINE std::byte* take_block_apart(std::size_t bytes, std::size_t align) {
        if (annotate::on || bytes > max_bytes) return take(bytes, align);
        const block_shape shape(bytes);
        std::byte* p = nullptr;
        if (shape.number < block_shape::classes) p = align > unit ? free_block_of(shape, align) : free_block_of(shape);
        return p != nullptr ? p : take(shape.size, align);
    }

    /// Makes sure that the next take(bytes, align) does not throw. Returns false if the limit or the system
    /// refuses the memory.
    EBB_NOINLINE bool reserve(std::size_t bytes, std::size_t align) noexcept {
        if (bytes > max_bytes || align > max_bytes) return false;
        const std::size_t need = round_up(bytes + (bytes == 0), unit) + annotate::red_zone;
        return has_room(need, std::max(align, unit)) || reserve_chunk(chunk_room(need, align));
    }
    bool reserve_text(std::size_t bytes) noexcept {
        return (!annotate::on && bytes <= +hi_ - low()) || reserve(bytes, 1);
    }

    [[nodiscard]] bool owns(const void* p) const noexcept {
        const std::uintptr_t at = +address_of(p);
        const chunk* const c = chunk_of(at);
        if (c == nullptr || !c->in_use) return false;
        return c == current_ ? at < low() || at >= +hi_ : at < +c->lo || at >= +c->hi;
    }

    /// Returns `bytes` bytes, at least 1, from the high end, at any address.
    EBB_INLINE std::byte* take_text(std::size_t bytes) {
        if (annotate::on || EBB_UNLIKELY(bytes > +hi_ - low())) return take_slow(bytes, 1, true);
        hi_ = address{+hi_ - bytes};
        return pointer_to(+hi_);
    }

    /// Frees [from, to) if it is the newest allocation. Otherwise it becomes overhead until the cycle ends.
    /// `overhead` of its bytes already are.
    EBB_COLD void take_back(std::byte* from, std::byte* to, std::size_t overhead) noexcept {
        if constexpr (annotate::on) {
            annotate::hide(from, static_cast<std::size_t>(to - from));
            overhead_ += static_cast<std::size_t>(to - from) - overhead;
            return;
        }
        if (low() == +address_of(to)) {
            lo_ = address_of(from);  // clears the busy bit; memory_guard restores it
            overhead_ -= overhead;
        } else {
            overhead_ += static_cast<std::size_t>(to - from) - overhead;
        }
    }

    /// The fast path of empty, for one chunk without destructors, marks and free blocks. Returns false, and
    /// does nothing, if there may be any.
    EBB_INLINE bool empty_at_once() noexcept {
        // Destructor records, marks and free blocks count as overhead. held_ covers the spare chunks of rewind
        // and reserve.
        if (annotate::on || EBB_UNLIKELY(overhead_ != 0 || newest_ != base_ || held_ > max_retained_)) return false;
        see();
        ++cycle_;
        end_times();
        blocks_ = abandoned_ = 0;
        lo_ = begin_;
        hi_ = end_;
        return true;
    }

    /// Ends the cycle and keeps chunks of at most `retained` bytes, or none if `all`. All destructors must have run.
    EBB_NOINLINE void empty(std::size_t retained, bool all) noexcept {
        see();
        if (all) stranded_ = has_blocks();
        ++cycle_;
        hide_since(nullptr);
        chunk* used = std::exchange(newest_, nullptr);
        forget_cycle();
        end_times();
        base_ = nullptr;
        while (used != nullptr) {
            chunk* const c = used;
            used = c->next;
            c->in_use = false;
            // The list ends with the oldest chunk, so base_ becomes the oldest that may be kept.
            if (c->borrowed || is_as_asked(c) || c->bytes <= retained) base_ = c;
            spare_.insert(c);
        }
        if (all) {
            base_ = nullptr;
            return free_spare();
        }
        if (base_ == nullptr) base_ = spare_.first_from(0);
        if (base_ == nullptr) return;
        spare_.erase(base_);
        if (!base_->borrowed && !is_as_asked(base_) && base_->bytes > retained)
            free_chunk(std::exchange(base_, nullptr));
        free_spare(retained);
        if (base_ == nullptr) return;
        add_chunk(base_);
        enter(base_);
    }

    /// Runs the destructors recorded after `to`, newest first.
    void unwind(const record* to) noexcept {
        close_run();
        while (last_ != to) {
            record* const r = last_;
            last_ = r->older;
            r->destroy(r);
            close_run();  // the destructor may have made objects
        }
    }

    /// Closes the newest run, which then can't grow.
    void close_run() noexcept {
        if (run_end_ == no_run) return;
        last_->end = +run_end_ & ~std::uintptr_t{1};
        run_end_ = no_run;
    }

    /// Records objects at `at` before the marks that their constructor has taken, so that a rewind to these
    /// marks does not destroy them.
    EBB_COLD void add_before_marks(record* r, const void* at) noexcept {
        const place* const p = first_mark_after(at);
        record* const before = p->last;
        record** link = &last_;
        while (*link != before) link = &(*link)->older;
        r->older = before;
        *link = r;
        for (place* q = places_; q != p->older; q = q->older) {
            if (q->last == before) q->last = r;
            q->before = address{q->begin()};
        }
    }
    /// Returns memory that a rewind to these marks does not free either. It uses a chunk of its own.
    EBB_COLD std::byte* take_before_marks(std::size_t bytes, const void* at) {
        const place* const p = first_mark_after(at);
        chunk* const c = next_chunk(bytes);
        c->next = std::exchange(p->newest->next, c);
        c->age = p->newest->age;
        c->in_use = true;
        set_full(c, c->begin() + bytes);
        overhead_ += bytes;
        for (place* q = places_; q != p->older; q = q->older) {
            q->sunk += bytes;
            q->overhead += bytes;
        }
        if constexpr (annotate::on) annotate::show(pointer_to(c->begin()), bytes);
        return pointer_to(c->begin());
    }

    /// Takes a mark. Returns the newest one if nothing has been allocated since. Throws as an allocation.
    const place* mark() {
        if (const place* const p = places_; p != nullptr && +p->lo == low() && p->hi == hi_ && p->newest == newest_ &&
                                            p->last == last_ && p->overhead == overhead_) {
            return p;
        }
        return add_place();
    }

    /// Takes a new mark. Throws as an allocation.
    EBB_NOINLINE place* add_place() {
        if (id_ == 0) id_ = new_id();
        const std::uintptr_t before = low();
        const chunk* const chunk_before = newest_;
        const std::size_t bytes = sizeof(place) + (has_free_ ? sizeof(free_lists) : 0);
        auto* const p = ::new (take(bytes, alignof(place))) place;
        const std::uintptr_t end = +address_of(p) + bytes;
        if (!annotate::on && low() != end) {
            // The mark has a chunk of its own, which becomes current. Otherwise, an older block could be freed
            // as the newest allocation, and its memory be allocated again after the mark.
            sunk_ -= bytes;
            leave_for(newest_);
            set_low(end);
        }
        close_run();
        if (newest_ == chunk_before) {
            p->before = address{before | busy()};
            overhead_ += low() - before - annotate::red_zone;  // added by take
        } else {
            p->before = address{(newest_ == current_ ? +address_of(p) : low()) | busy()};
            overhead_ += bytes;
        }
        p->free = nullptr;
        if (has_free_) p->free = ::new (static_cast<void*>(p + 1)) free_lists{free_};
        forget_free_blocks();
        p->live = live_;
        end_times();
        p->time = time_;
        p->older = places_;
        p->newest = newest_;
        p->current = current_;
        p->lo = address{low()};
        p->hi = hi_;
        p->sunk = sunk_;
        p->overhead = overhead_;
        p->last = last_;
        p->blocks = std::exchange(blocks_, 0);
        p->own_blocks = std::exchange(own_blocks_, 0);
        return places_ = p;
    }

    /// Returns the mark of that time, or null if it is gone.
    [[nodiscard]] place* find(std::size_t time) const noexcept {
        place* p = places_;
        while (p != nullptr && p->time > time) p = p->older;
        return p != nullptr && p->time == time ? p : nullptr;
    }

    /// Frees all allocations since `p`. The destructors recorded after p->last must have run.
    EBB_NOINLINE void rewind(place* p) noexcept {
        see();
        // Blocks that are still allocated were abandoned.
        abandoned_ -= std::min(abandoned_, outstanding_since(p));
        while (residents_ != nullptr && is_since(p, +address_of(residents_))) residents_ = residents_->older;
        hide_since(p);
        set_aside(p->newest);
        enter(p->current);
        set_low(+p->lo);
        hi_ = p->hi;
        sunk_ = p->sunk;
        overhead_ = p->overhead;
        places_ = p;
        blocks_ = own_blocks_ = 0;
        forget_free_blocks();
        end_times();
        run_end_ = no_run;
    }

    /// Rewinds to `p` and removes it.
    void remove(place* p) noexcept {
        rewind(p);
        overhead_ -= +p->lo - p->begin();
        set_low(p->begin());
        places_ = p->older;
        blocks_ = p->blocks;
        own_blocks_ = p->own_blocks;
        if (p->free != nullptr) {
            free_ = *p->free;
            has_free_ = true;
        }
        // Times before the mark are valid again. live_times has one gap, so a second gap is merged with the
        // first.
        live_ = {p->live.since, p->live.since < p->live.until ? p->live.until : p->time, time_};
        if (p->live.since >= p->live.until) live_.since = p->live.again;
        if constexpr (annotate::on) annotate::hide(pointer_to(p->begin()), +p->lo - p->begin());
    }

    [[nodiscard]] std::size_t used() const noexcept { return sunk_ + (low() - +begin_) + (+end_ - +hi_) - overhead_; }

    [[nodiscard]] arena_stats stats() noexcept {
        see();
        return {used(), held_, high_, chunks_, cycle_ - first_cycle_, oversize_};
    }

    /// The number of the cycle, unique in the region, even after a move.
    [[nodiscard]] std::size_t cycle() const noexcept { return cycle_; }

    /// The number of the region, unique in the process; 0 before the first mark.
    [[nodiscard]] std::size_t id() const noexcept { return id_; }

    using region_blocks::max_retained_;

private:
    region(const region&) = default;
    region& operator=(const region&) = default;

    void be_new() noexcept {
        first_cycle_ = ++cycle_;
        forget_chunks();
        newest_ = base_ = nullptr;
        forget_cycle();
        end_times();
        high_ = id_ = 0;
        stranded_ = false;
    }

    [[nodiscard]] const place* first_mark_after(const void* at) const noexcept {
        const place* p = places_;
        while (p->older != nullptr && !is_since(p->older, +address_of(at))) p = p->older;
        return p;
    }

    void free_chunks() noexcept {
        set_aside(nullptr);
        spare_.take_all([this](chunk* c) { free_chunk(c); });
    }

    // Makes the chunks that are newer than `to` spare.
    void set_aside(const chunk* to) noexcept {
        while (newest_ != to) {
            chunk* const c = newest_;
            newest_ = c->next;
            c->in_use = false;
            spare_.insert(c);
        }
    }

    void add_chunk(chunk* c) noexcept {
        c->next = newest_;
        c->age = newest_ == nullptr ? 0 : newest_->age + 1;
        c->in_use = true;
        newest_ = c;
    }

    // Makes the only chunk spare if it is empty.
    void leave_empty() noexcept {
        chunk* const c = newest_;
        if (c == nullptr || c->next != nullptr || c != current_ || low() != +begin_ || hi_ != end_) return;
        set_aside(nullptr);
        base_ = nullptr;
        forget_cycle();
    }

    static std::size_t new_id() noexcept {
        static std::atomic<std::size_t> next{1};
        return next.fetch_add(1, std::memory_order_relaxed);
    }

    void see() noexcept {
        const std::size_t n = used();
        if (n > high_) high_ = n;
    }

    void enter(chunk* c) noexcept {
        current_ = c;
        begin_ = address{c->begin()};
        set_low(c->begin());
        end_ = hi_ = address{c->end()};
    }
    void leave_for(chunk* c) noexcept {
        if (current_ != nullptr) current_->lo = address{low()}, current_->hi = hi_;
        sunk_ += (low() - +begin_) + (+end_ - +hi_);
        enter(c);
    }
    // Marks c as full: it holds one allocation, which ends at `end`.
    void set_full(chunk* c, std::uintptr_t end) noexcept {
        c->lo = address{end};
        c->hi = address{c->end()};
        sunk_ += end - c->begin();
    }

    void forget_cycle() noexcept {
        current_ = nullptr;
        lo_ = hi_ = begin_ = end_ = {};  // not busy: memory of running constructors is gone
        run_end_ = no_run;
        sunk_ = overhead_ = 0;
        last_ = nullptr;
        places_ = nullptr;
        forget_blocks();
    }

    // Hides the allocations since a mark, or all.
    void hide_since([[maybe_unused]] const place* p) noexcept {
        if constexpr (annotate::on) {
            const chunk* const end = p != nullptr ? p->newest : nullptr;
            for (chunk* c = newest_; c != end; c = c->next) annotate::hide(pointer_to(c->begin()), c->room());
            if (p != nullptr) annotate::hide(pointer_to(+p->lo), +p->hi - +p->lo);
        }
    }

    // The general case of take and take_text: any size, a new chunk, and annotations.
    EBB_NOINLINE std::byte* take_slow(std::size_t bytes, std::size_t align, bool text) {
        if (bytes > max_bytes || align > max_bytes) too_large(std::max(bytes, align));
        // AddressSanitizer can only poison the end of a unit, so annotated text takes whole units.
        const std::size_t size = text && !annotate::on ? bytes : round_up(bytes + (bytes == 0), unit);
        std::byte* const p = take_any(size + annotate::red_zone, text ? 1 : std::max(align, unit), text);
        if constexpr (annotate::on) {
            overhead_ += annotate::red_zone + (text ? size - bytes : 0);
            annotate::show(p, bytes);
        }
        return p;
    }
    std::byte* take_any(std::size_t need, std::size_t align, bool text) {
        if (has_room(need, align)) return take_here(need, align, text);
        if (std::exchange(stranded_, false)) on_stranded_(this);
        chunk* const c = next_chunk(chunk_room(need, align));
        add_chunk(c);
        const std::uintptr_t at = round_up(c->begin(), align);
        if (current_ != nullptr && c->end() - at - need <= +hi_ - low()) {
            // The current chunk has more space left than c, so it stays current.
            set_full(c, at + need);
            return pointer_to(at);
        }
        if (c->next == nullptr && (c->bytes <= max_retained_ || is_as_asked(c))) base_ = c;
        leave_for(c);
        return take_here(need, align, text);
    }
    std::byte* take_here(std::size_t need, std::size_t align, bool text) noexcept {
        if (text) {
            hi_ = address{+hi_ - need};
            return pointer_to(+hi_);
        }
        const std::uintptr_t at = round_up(low(), align);
        set_low(at + need);
        return pointer_to(at);
    }
    // Whether the current chunk has room. The sum of its end and align may overflow.
    [[nodiscard]] bool has_room(std::size_t need, std::size_t align) const noexcept {
        const std::size_t room = +hi_ - low(), pad = (0 - low()) & (align - 1);
        return pad <= room && need <= room - pad;
    }
    // Returns the room that a new chunk needs. If the limit is too small for it, frees the only chunk if it is empty.
    std::size_t chunk_room(std::size_t need, std::size_t align) noexcept {
        const std::size_t room = round_up(need, unit) + (align > cache_line ? align - cache_line : 0);
        if (chunk_header + room > left()) leave_empty();
        return room;
    }

    chunk* current_ = nullptr;
    std::size_t id_ = 0;
    std::size_t first_cycle_ = 0;  // when the region was new
    bool stranded_ = false;        // blocks were allocated at the last release
    void (*on_stranded_)(const region*) noexcept;
};

}  // namespace ebb::inline EBB_ABI::detail

#endif  // EBBPOOL_REGION_HPP
