// The binary trees of workloads/trees.go, allocated by std::pmr::monotonic_buffer_resource from buffers that
// are kept, as our arenas keep theirs. `lab bench` runs it beside the matrix, and it prints the same lines.
// Usage: trees DEPTH
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <memory_resource>

struct node {
    node *left, *right;
};

// A region with room for one tree of a depth.
struct region {
    explicit region(int depth)
        : bytes(sizeof(node) << (depth + 1)), buffer(new std::byte[bytes]), memory(buffer.get(), bytes, std::pmr::null_memory_resource()) {}
    std::size_t bytes;
    std::unique_ptr<std::byte[]> buffer;
    std::pmr::monotonic_buffer_resource memory;
};

static node* build(region& r, int depth) {
    node* const n = ::new (r.memory.allocate(sizeof(node), alignof(node))) node{};
    if (depth > 0) {
        n->left = build(r, depth - 1);
        n->right = build(r, depth - 1);
    }
    return n;
}

static std::uint64_t count(const node* n) { return n->left == nullptr ? 1 : 1 + count(n->left) + count(n->right); }

static std::uint64_t trees(region& short_lived, region& lasting, int depth) {
    const auto one = [&](int d) {
        const std::uint64_t n = count(build(short_lived, d));
        short_lived.memory.release();
        return n;
    };
    std::uint64_t sum = one(depth + 1);
    const node* const stays = build(lasting, depth);
    for (int d = 4; d <= depth; d += 2)
        for (long i = 0; i < 1L << (depth - d + 4); i++) sum += one(d);
    sum += count(stays);
    lasting.memory.release();
    return sum;
}

int main(int argc, char** argv) {
    const int depth = argc > 1 ? std::atoi(argv[1]) : 10;
    region short_lived(depth + 1), lasting(depth);
    trees(short_lived, lasting, depth);  // warm
    const auto begun = std::chrono::steady_clock::now();
    const std::uint64_t sum = trees(short_lived, lasting, depth);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begun;
    std::printf("BenchmarkMatrix/work=trees/n=%d/subject=std::pmr 1 %.0f ns/op %llu checksum\n", depth, took.count(), static_cast<unsigned long long>(sum));
}
