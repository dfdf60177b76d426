// The memory of an arena: what of its chunks is handed out, the list of
// destructors, the marks.
//
//     chunk    header | objects -> ... free ... <- text |
//                     begin     lo           hi         end
//
// Objects grow from the low end in units of 8 bytes, text from the high end
// byte by byte, so that strings cost no padding. When a chunk is full the next
// one becomes current, the older ones wait in a list for the end of the epoch;
// what is too large for the rest of a chunk that has much left gets a chunk of
// its own beside it.
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
#include <ebbpool/records.hpp>
#include <ebbpool/region_blocks.hpp>
#include <ebbpool/region_state.hpp>

namespace ebb {
inline namespace EBB_ABI {

namespace detail {

/// Memory that is handed out bump by bump. Checks no misuse; one thread.
class region : region_blocks, chunk_store {
public:
    /// `on_stranded` is called before memory is taken after a release while
    /// blocks were out.
    region(std::size_t chunk_size, std::size_t max_retained, const pool_options& options,
           void (*on_stranded)(const region*) noexcept)
        : chunk_store(chunk_size, max_retained, options), on_stranded_(on_stranded) {}

    /// As a new one, with the parameters and the limit of `other`.
    struct like {
        const region& other;
    };
    explicit region(like l) noexcept : region(l.other) { be_new(); }

    /// Takes over the memory of `other`, which is as new then. Marks go along.
    region& operator=(region&& other) noexcept {
        free_list(newest_, true);
        free_list(spare_, true);
        const std::size_t ended = epochs() + 1, stamps = stamp() + 1;
        *this = other;
        moved_ += ended;
        rewinds_ += stamps;
        other.be_new();
        return *this;
    }

    ~region() { free_list(newest_, true); }

    /// `bytes` bytes at a multiple of `align`, a power of 2, from the low end.
    EBB_INLINE std::byte* take(std::size_t bytes, std::size_t align) {
        if constexpr (annotate::on) return take_annotated(bytes, align);
        const std::uintptr_t lo = low();
        const std::size_t room = +hi_ - lo;
        const std::size_t pad = align > unit ? (0 - lo) & (align - 1) : 0;
        const std::size_t last = (bytes - 1) | (unit - 1);  // one less than what is taken: it can't overflow
        if (EBB_UNLIKELY(pad > room || last >= room - pad)) return take_slow(bytes, align, false);
        if (align > unit) overhead_ += pad;
        lo_ = address{+lo_ + pad + last + 1};
        return pointer_to(lo + pad);
    }

    /// The same at a multiple of unit, or null where there is no room in the current chunk.
    EBB_INLINE std::byte* take_at_once(std::size_t bytes) noexcept {
        const std::uintptr_t lo = low();
        const std::size_t last = (bytes - 1) | (unit - 1);
        if (annotate::on || EBB_UNLIKELY(last >= +hi_ - lo)) return nullptr;
        lo_ = address{+lo_ + last + 1};
        return pointer_to(lo);
    }

    /// Whether both are so small, and not 0, that adding them to the end of a chunk can't
    /// overflow.
    static constexpr bool is_small(std::size_t bytes, std::size_t align) noexcept {
        return ((bytes - 1) | (align - 1)) < no_chunk_above / 2;
    }
    /// The same for small ones, without a branch for the alignment.
    EBB_INLINE std::byte* take_small(std::size_t bytes, std::size_t align) {
        if constexpr (annotate::on) return take_annotated(bytes, align);
        const std::uintptr_t lo = +lo_;
        const std::uintptr_t at = (lo + align - 1) & (0 - align);  // lo is at a multiple of unit
        const std::uintptr_t end = at + round_up(bytes, unit);
        if (EBB_UNLIKELY(end > +hi_ || busy() != 0)) return take_apart(bytes, align);
        lo_ = address{end};
        overhead_ = overhead_ - lo + at;
        return pointer_to(at);
    }

    /// As a call, where a fast path found no room, or the bit set.
    EBB_NOINLINE std::byte* take_apart(std::size_t bytes, std::size_t align) { return take(bytes, align); }

    /// Whether Bytes fit from `lo` on in the current chunk: a compare with memory less
    /// than what a size that may be anything needs.
    template <std::size_t Bytes>
    EBB_INLINE bool fits(std::uintptr_t lo) const noexcept {
        static_assert(Bytes <= no_chunk_above);
        return lo + Bytes <= +hi_;
    }
    /// Memory for one T.
    template <class T>
    EBB_INLINE std::byte* take_one() {
        constexpr std::size_t bytes = round_up(sizeof(T), unit);
        if constexpr (bytes > no_chunk_above || alignof(T) > unit || annotate::on) {
            return take(sizeof(T), alignof(T));
        } else {
            if (EBB_UNLIKELY(!fits<bytes>(+lo_))) return take_apart(bytes, unit);
            std::byte* const p = pointer_to(low());
            lo_ = address{+lo_ + bytes};
            return p;
        }
    }

    /// `bytes` bytes, at least 1, at any address, from the high end.
    EBB_INLINE std::byte* take_text(std::size_t bytes) {
        if constexpr (annotate::on) return take_text_annotated(bytes);
        if (EBB_UNLIKELY(bytes > +hi_ - low())) return take_slow(bytes, 1, true);
        hi_ = address{+hi_ - bytes};
        return pointer_to(+hi_);
    }

    /// Takes back what begins at `from` and ends at `to`, if it is the newest;
    /// else it is lost until the end of the epoch, and not counted as used.
    /// `overhead` bytes of it were none of the user's.
    EBB_COLD void take_back(std::byte* from, std::byte* to, std::size_t overhead) noexcept {
        if constexpr (annotate::on) {
            annotate::hide(from, static_cast<std::size_t>(to - from));
            overhead_ += static_cast<std::size_t>(to - from) - overhead;
            return;
        }
        if (low() == +address_of(to)) {
            lo_ = address_of(from);  // not busy; the guard says what it was
            overhead_ -= overhead;
        } else {
            overhead_ += static_cast<std::size_t>(to - from) - overhead;
        }
    }

    /// Ends an epoch of which nothing but the bytes of one chunk is left; false
    /// when there may be more, and nothing was done.
    EBB_INLINE bool empty_at_once() noexcept {
        // Each record and each mark is overhead, too.
        if (annotate::on || EBB_UNLIKELY(overhead_ != 0 || newest_ != base_)) return false;
        see();
        ++epochs_;
        lo_ = begin_;
        hi_ = end_;
        return true;
    }

    /// Ends the epoch; records must have been unwound.
    EBB_NOINLINE void empty() noexcept {
        see();
        ++epochs_;
        hide_all();
        forget_epoch();
        chunk* used = newest_;
        newest_ = base_ = nullptr;
        // The oldest first: the lists are newest first.
        chunk* all = spare_;
        spare_ = nullptr;
        while (used != nullptr) {
            chunk* const next = used->next;
            used->next = all;
            all = used;
            used = next;
        }
        std::size_t kept = 0;
        chunk** end = &spare_;
        while (all != nullptr) {
            chunk* const c = all;
            all = c->next;
            if (c->borrowed || (base_ == nullptr && is_as_asked(c)) ||
                (c->bytes <= max_retained_ && kept <= max_retained_ - c->bytes)) {
                kept += c->bytes;
                c->next = nullptr;
                if (base_ == nullptr) {
                    base_ = c;
                } else {
                    *end = c;
                    end = &c->next;
                }
            } else {
                free_chunk(c);
            }
        }
        if (base_ != nullptr) {
            newest_ = base_;
            enter(base_);
        }
    }

    /// Ends the epoch and gives back all memory; records must have been unwound.
    EBB_NOINLINE void release() noexcept {
        see();
        stranded_ = has_blocks();
        ++epochs_;
        hide_all();
        forget_epoch();
        chunk* const used = newest_;
        chunk* const spare = spare_;
        newest_ = base_ = spare_ = nullptr;
        free_list(used, false);
        free_list(spare, false);
    }

    /// Runs the destructors of all that was recorded after `to`, newest first.
    void unwind(const record* to) noexcept {
        close_run();
        while (last_ != to) {
            record* const r = last_;
            last_ = r->older;
            r->destroy(r);
            close_run();  // the destructor may have made objects
        }
    }

    /// The newest run grows no more.
    void close_run() noexcept {
        if (run_end_ == no_run) return;
        last_->end = +run_end_ & ~std::uintptr_t{1};
        run_end_ = no_run;
    }

    /// The place where the region is. Throws as an allocation does.
    EBB_NOINLINE const place* mark() {
        if (const place* const p = places_; p != nullptr && +p->lo == low() && p->hi == hi_ && p->newest == newest_ &&
                                            p->last == last_ && p->overhead == overhead_) {
            return p;
        }
        if (id_ == 0) id_ = new_id();
        auto* const p = ::new (take(sizeof(place), alignof(place))) place;
        overhead_ += sizeof(place);
        forget_free_blocks();
        if (!annotate::on && low() != +address_of(p + 1)) {
            // It has a chunk of its own. What follows it goes there: else a block that came
            // before it might come back as the newest, and be taken again, after it.
            sunk_ += (low() - +begin_) + (+end_ - +hi_) - sizeof(place);
            enter(newest_);
            set_low(+address_of(p + 1));
        }
        close_run();
        begin_blocks();
        *p = {places_,
              ++serials_,
              newest_,
              current_,
              address{low()},
              hi_,
              sunk_,
              overhead_,
              last_,
              std::exchange(blocks_, 0),
              std::exchange(own_blocks_, 0)};
        places_ = p;
        return p;
    }

    /// The place with that number, or null when it is gone.
    [[nodiscard]] place* find(std::size_t serial) const noexcept {
        place* p = places_;
        while (p != nullptr && p->serial > serial) p = p->older;
        return p != nullptr && p->serial == serial ? p : nullptr;
    }

    /// Goes back to `p`; records must have been unwound to p->last.
    EBB_NOINLINE void rewind(place* p) noexcept {
        see();
        // What goes back now, and was still outstanding, was abandoned.
        abandoned_ -= std::min(abandoned_, outstanding_since(p));
        while (residents_ != nullptr && is_since(p, +address_of(residents_))) residents_ = residents_->older;
        if constexpr (annotate::on) hide_since(p);
        if (newest_ != p->newest) {
            chunk* oldest = newest_;
            while (oldest->next != p->newest) oldest = oldest->next;
            put_aside(std::exchange(newest_, p->newest), oldest);
        }
        enter(p->current);
        lo_ = p->lo;
        hi_ = p->hi;
        sunk_ = p->sunk;
        overhead_ = p->overhead;
        places_ = p;
        blocks_ = 0;
        forget_blocks_since();
        ++rewinds_;
        run_end_ = no_run;
    }

    [[nodiscard]] std::size_t used() const noexcept { return sunk_ + (low() - +begin_) + (+end_ - +hi_) - overhead_; }

    [[nodiscard]] arena_stats stats() noexcept {
        see();
        return {used(), held_, high_, chunks_, epochs_, oversize_};
    }

    /// No two epochs have the same, whichever region the memory came from.
    [[nodiscard]] std::size_t epochs() const noexcept { return epochs_ + moved_; }

    /// What no other region has, from the first mark on; 0 before.
    [[nodiscard]] std::size_t id() const noexcept { return id_; }

    // What the arena's own code uses.
    using region_blocks::hi_;
    using region_blocks::last_;
    using region_blocks::lo_;
    using region_blocks::low;
    using region_blocks::overhead_;
    using region_blocks::run_end_;

    using region_blocks::busy;
    using region_blocks::lock;
    using region_blocks::unlock;

    using region_blocks::abandon_blocks;
    using region_blocks::add_block;
    using region_blocks::add_block_since_mark;
    using region_blocks::add_resident;
    using region_blocks::give_back;
    using region_blocks::has_blocks;
    using region_blocks::has_blocks_since;
    using region_blocks::may_recycle;
    using region_blocks::recycle;
    using region_blocks::recycled;
    using region_blocks::remove_block;
    using region_blocks::remove_block_since_mark;
    using region_blocks::residents;
    using region_blocks::stamp;

    using chunk_store::bytes_needed;
    using chunk_store::limit;
    using chunk_store::max_bytes;
    using chunk_store::too_large;

private:
    region(const region&) = default;
    region& operator=(const region&) = default;

    void be_new() noexcept {
        rewinds_ = stamp() + 1;
        moved_ = epochs() + 1;
        forget_chunks();
        forget_epoch();
        newest_ = base_ = nullptr;
        epochs_ = high_ = id_ = serials_ = blocks_ = abandoned_ = blocks_of_ = 0;
        stranded_ = false;
    }

    // A chunk that holds nothing goes to the others of those.
    void leave_empty() noexcept {
        chunk* const c = newest_;
        if (c == nullptr || c->next != nullptr || c != current_ || low() != +begin_ || hi_ != end_) return;
        newest_ = base_ = nullptr;
        forget_epoch();
        put_aside(c, c);
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
        begin_ = address{c->begin};
        set_low(c->begin);
        end_ = hi_ = address{c->end};
    }

    void forget_epoch() noexcept {
        current_ = nullptr;
        lo_ = hi_ = begin_ = end_ = {};  // not busy: what it runs has memory of it, and nobody runs in a copy
        run_end_ = no_run;
        sunk_ = overhead_ = 0;
        last_ = nullptr;
        places_ = nullptr;
        forget_blocks();
    }

    void hide_all() noexcept {
        if constexpr (annotate::on) {
            for (chunk* c = newest_; c != nullptr; c = c->next) annotate::hide(pointer_to(c->begin), c->room());
        }
    }
    void hide_since(const place* p) noexcept {
        for (chunk* c = newest_; c != p->newest; c = c->next) annotate::hide(pointer_to(c->begin), c->room());
        annotate::hide(pointer_to(+p->lo), +p->hi - +p->lo);
    }

    EBB_NOINLINE std::byte* take_annotated(std::size_t bytes, std::size_t align) {
        if (bytes > max_bytes) too_large(bytes);
        const std::size_t user = round_up(bytes + (bytes == 0), unit);
        const std::uintptr_t lo = low();
        const std::size_t room = +hi_ - lo;
        const std::size_t pad = (0 - lo) & (std::max(align, unit) - 1);
        const std::size_t need = user + annotate::red_zone;
        std::byte* p = nullptr;
        if (pad > room || need > room - pad) {
            p = take_slow(need, align, false);
        } else {
            overhead_ += pad;
            set_low(lo + pad + need);
            p = pointer_to(lo + pad);
        }
        overhead_ += annotate::red_zone;
        annotate::show(p, bytes);
        return p;
    }

    EBB_NOINLINE std::byte* take_text_annotated(std::size_t bytes) {
        if (bytes > max_bytes) too_large(bytes);
        // In whole units: AddressSanitizer knows nothing smaller that ends early.
        const std::size_t need = round_up(bytes, unit) + annotate::red_zone;
        std::byte* p = nullptr;
        if (need > +hi_ - low()) {
            p = take_slow(need, 1, true);
        } else {
            hi_ = address{+hi_ - need};
            p = pointer_to(+hi_);
        }
        overhead_ += need - bytes;
        annotate::show(p, bytes);
        return p;
    }

    EBB_NOINLINE std::byte* take_slow(std::size_t bytes, std::size_t align, bool text) {
        if (bytes > max_bytes || align > max_bytes) too_large(std::max(bytes, align));
        if (bytes == 0) return take(1, align);
        if (stranded_) {
            stranded_ = false;
            on_stranded_(this);
        }
        const std::size_t need = text ? bytes : round_up(bytes, unit);
        const std::size_t room = round_up(need, unit) + (align > cache_line ? align - cache_line : 0);
        if (EBB_UNLIKELY(chunk_header + room > left())) leave_empty();
        chunk* const c = next_chunk(room);
        const std::size_t pad = (0 - c->begin) & (align - 1);
        c->next = newest_;
        newest_ = c;
        if (current_ != nullptr && c->room() - pad - need <= +hi_ - low()) {
            // More is left of the current one: this one is for the one allocation.
            sunk_ += pad + need;
            overhead_ += pad;
            return pointer_to(c->begin + pad);
        }
        if (c->next == nullptr && (c->bytes <= max_retained_ || is_as_asked(c))) base_ = c;
        sunk_ += (low() - +begin_) + (+end_ - +hi_);
        enter(c);
        if (text) {
            hi_ = address{+hi_ - need};
            return pointer_to(+hi_);
        }
        overhead_ += pad;
        lo_ = address{+lo_ + pad + need};
        return pointer_to(low() - need);
    }

    chunk* current_ = nullptr;
    std::size_t id_ = 0, serials_ = 0;
    std::size_t moved_ = 0;  // of epochs: those that ended by a move
    bool stranded_ = false;  // there were blocks outstanding at the last release
    void (*on_stranded_)(const region*) noexcept;
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_REGION_HPP
