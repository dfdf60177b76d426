#include "scenario.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace misuse {
namespace {

constexpr std::size_t capacity = 16;
constexpr std::size_t half = capacity / 2;

/// Allocations after the misuse, where a pool can grow: what was put at the end
/// of a free list must come up.
constexpr std::size_t afterwards = 4096;

/// How the child ends; anything else is the allocator's doing.
enum exit_code : int { ended_silent = 0, ended_corrupted = 10, ended_reported = 20 };

/// A range of memory and what its bytes should be.
struct region {
    std::byte* begin;
    std::size_t bytes;
    std::byte pattern;

    void fill() const { std::memset(begin, static_cast<int>(pattern), bytes); }
    bool intact() const {
        return std::all_of(begin, begin + bytes, [this](std::byte b) { return b == pattern; });
    }
    bool overlaps(const std::byte* other, std::size_t size) const {
        return begin < other + size && other < begin + bytes;
    }
};

/// A pool with the objects that are out.
class user {
public:
    user(const subject& s, std::byte first_pattern) : pool_(s.make(capacity)), next_pattern_(first_pattern) {}

    /// False when the pool is full.
    bool allocate() {
        auto* const p = static_cast<std::byte*>(pool_->allocate());
        if (p == nullptr) return false;
        const region r{p, sizeof(item), next_pattern_};
        next_pattern_ = static_cast<std::byte>(static_cast<int>(next_pattern_) + 1);
        overlap_ = overlap_ || std::any_of(out_.begin(), out_.end(),
                                           [p](const region& other) { return other.overlaps(p, sizeof(item)); });
        r.fill();
        out_.push_back(r);
        return true;
    }
    void free(std::size_t i) {
        std::byte* const p = out_[i].begin;
        out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(i));
        pool_->deallocate(p);
    }
    void free_all() {
        while (!out_.empty()) free(out_.size() - 1);
    }

    pool& raw() { return *pool_; }
    std::byte* object(std::size_t i) const { return out_[i].begin; }
    const std::vector<region>& out() const { return out_; }
    bool handed_out_twice() const { return overlap_; }
    bool intact() const {
        return std::all_of(out_.begin(), out_.end(), [](const region& r) { return r.intact(); });
    }
    /// Allocates to the end of the pool's memory, or of the block that it began
    /// with, and answers the address behind it.
    std::byte* fill_to_end(bool sized) {
        const std::size_t limit = sized ? 4 * capacity : capacity;
        while (out_.size() < limit) {
            std::byte* const last = object(out_.size() - 1);
            if (!allocate() || (sized && object(out_.size() - 1) != last + sizeof(item))) return last + sizeof(item);
        }
        return object(out_.size() - 1) + sizeof(item);
    }
    /// Destroys the pool, which must be empty.
    void destroy() { pool_.reset(); }

private:
    std::unique_ptr<pool> pool_;
    std::vector<region> out_;
    std::byte next_pattern_;
    bool overlap_ = false;
};

/// Brings the pool to the state that the misuse needs, and answers what is to
/// be given back.
std::byte* prepare(kind k, const subject& s, user& mine, const user& other, const region& stack, const region& heap) {
    for (std::size_t i = 0; i < half; ++i) mine.allocate();
    switch (k) {
        case kind::null: return nullptr;
        case kind::stack: return stack.begin + sizeof(item);
        case kind::heap: return heap.begin;
        case kind::other_pool: return other.object(3);
        case kind::past_end: {
            std::byte* const end = mine.fill_to_end(s.sized);
            while (mine.out().size() > half) mine.free(mine.out().size() - 1);
            return end;
        }
        case kind::interior: return mine.object(3) + sizeof(item) / 2;
        case kind::misaligned: return mine.object(3) + 1;
        case kind::double_free: {
            std::byte* const p = mine.object(3);
            mine.free(3);
            mine.free(4);
            return p;
        }
        case kind::never_allocated: {
            // Places are handed out one after the other in all that is tried here.
            const std::ptrdiff_t stride = mine.object(half - 1) - mine.object(half - 2);
            return mine.object(half - 1) + 2 * stride;
        }
    }
    return nullptr;
}

std::string read_all(int fd) {
    std::string text;
    char buffer[512];
    for (ssize_t n; (n = ::read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
    return text;
}

/// No file of its memory when it crashes, and 5 seconds at most.
void limit_this_process() {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::alarm(5);
}

outcome classify(int status, bool accepted, bool message) {
    const bool ended = WIFEXITED(status);
    const int code = ended ? WEXITSTATUS(status) : -1;
    if (accepted) {
        if (code == ended_reported) return outcome::caught;
        // Went on, but had said so: as good as a report.
        if (code == ended_silent) return message ? outcome::caught : outcome::silent;
        return outcome::corrupted;  // found it itself, or died of it later
    }
    return message ? outcome::caught : outcome::crashed;
}

}  // namespace

void finish_in_child(const std::function<std::pair<bool, bool>()>& f) {
    limit_this_process();
    const auto [well, reported] = f();
    ::_exit(!well ? ended_corrupted : reported ? ended_reported : ended_silent);
}

void misuse_in_child(const subject& s, kind k, int accepted) {
    limit_this_process();
    alignas(64) std::byte local[4 * sizeof(item)];
    const region stack{local, sizeof local, std::byte{0xA1}};
    // A block of its own, and not next to the pool's.
    const region heap{static_cast<std::byte*>(std::malloc(256)), 256, std::byte{0xA2}};
    stack.fill();
    heap.fill();

    user other(s, std::byte{0x80});
    for (std::size_t i = 0; i < half; ++i) other.allocate();
    user mine(s, std::byte{1});
    std::byte* const p = prepare(k, s, mine, other, stack, heap);
    const bool heap_is_ours = k == kind::heap;

    mine.raw().deallocate(p);
    const bool reported = mine.raw().reported();
    static_cast<void>(!::write(accepted, "A", 1));

    // Now the program goes on, knowing nothing.
    bool good = mine.intact() && other.intact() && stack.intact() && (!heap_is_ours || heap.intact());
    const std::size_t before = mine.out().size();
    const std::size_t more = s.fixed ? capacity + 1 : afterwards;
    for (std::size_t i = 0; i < more && mine.allocate(); ++i) {
    }
    good = good && (!s.fixed || mine.out().size() == capacity) && before <= capacity;
    good = good && !mine.handed_out_twice() && mine.intact() && other.intact() && stack.intact();
    for (const region& r : mine.out()) {
        good = good && !stack.overlaps(r.begin, r.bytes) && !heap.overlaps(r.begin, r.bytes);
        for (const region& theirs : other.out()) good = good && !theirs.overlaps(r.begin, r.bytes);
        // The place behind the end is no one's, unless all of memory is one heap.
        if (k == kind::past_end && s.sized) good = good && r.begin != p;
    }
    if (!good) ::_exit(ended_corrupted);
    mine.free_all();
    other.free_all();
    mine.destroy();
    other.destroy();
    ::_exit(reported ? ended_reported : ended_silent);
}

result try_misuse(const subject& s, std::size_t subject_index, kind k) {
    if (s.legal(k)) return {outcome::legal, ""};
    return try_in_process("--try", subject_index, static_cast<int>(k));
}

result try_in_process(const char* flag, std::size_t subject_index, int k) {
    int error[2], accepted[2];
    if (::pipe(error) != 0 || ::pipe(accepted) != 0) std::abort();
    const pid_t child = ::fork();
    if (child < 0) std::abort();
    if (child == 0) {
        ::dup2(error[1], STDERR_FILENO);
        // Older C libraries write "free(): invalid pointer" to the terminal.
        ::setenv("LIBC_FATAL_STDERR_", "1", 1);
        ::close(error[0]);
        ::close(accepted[0]);
        const std::string subject_text = std::to_string(subject_index);
        const std::string kind_text = std::to_string(k);
        const std::string fd_text = std::to_string(accepted[1]);
        ::execl("/proc/self/exe", "misuse_matrix", flag, subject_text.c_str(), kind_text.c_str(), fd_text.c_str(),
                static_cast<char*>(nullptr));
        ::_exit(127);
    }
    ::close(error[1]);
    ::close(accepted[1]);
    const std::string text = read_all(error[0]);
    const bool was_accepted = !read_all(accepted[0]).empty();
    ::close(error[0]);
    ::close(accepted[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) std::abort();  // it wasn't even started
    return {classify(status, was_accepted, !text.empty()), text.substr(0, text.find('\n'))};
}

}  // namespace misuse
