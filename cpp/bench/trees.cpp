#include <ebbpool/fixed_pool.hpp>
#include <memory>
#include <memory_resource>

#include "bench.hpp"
#include "object.hpp"

namespace bench {
namespace {

struct node {
    node* left = nullptr;
    node* right = nullptr;
};

/// Frees a tree as it was built: node by node, the root last.
template <class Free>
void free_all(node* root, const Free& free_one) {
    if (root->left != nullptr) {
        free_all(root->left, free_one);
        free_all(root->right, free_one);
    }
    free_one(root);
}

/// `new` and `delete`.
class heap_trees {
public:
    static constexpr const char* name = "new and delete";
    explicit heap_trees(unsigned) {}
    node* make() { return new node; }
    void drop(node* root) {
        free_all(root, [](node* p) { delete p; });
    }
};

/// The standard library's region: all of a tree is dropped at once, and its
/// memory goes back to `new`.
class monotonic_trees {
public:
    static constexpr const char* name = "pmr monotonic";
    explicit monotonic_trees(unsigned) {}
    node* make() { return new (resource_.allocate(sizeof(node), alignof(node))) node; }
    void drop(node*) { resource_.release(); }

private:
    std::pmr::monotonic_buffer_resource resource_;
};

/// The same in a buffer that has room for the largest tree, and stays.
class buffer_trees {
public:
    static constexpr const char* name = "pmr buffer";
    explicit buffer_trees(unsigned deepest) : size_(sizeof(node) << (deepest + 1)) {}
    node* make() { return new (resource_.allocate(sizeof(node), alignof(node))) node; }
    void drop(node*) { resource_.release(); }

private:
    std::size_t size_;
    std::unique_ptr<std::byte[]> buffer_{new std::byte[size_]};
    std::pmr::monotonic_buffer_resource resource_{buffer_.get(), size_, std::pmr::null_memory_resource()};
};

/// A pool of the standard library, whose nodes are given back one by one.
class pool_trees {
public:
    static constexpr const char* name = "pmr pool";
    explicit pool_trees(unsigned) {}
    node* make() { return new (resource_.allocate(sizeof(node), alignof(node))) node; }
    void drop(node* root) {
        free_all(root, [this](node* p) { resource_.deallocate(p, sizeof(node), alignof(node)); });
    }

private:
    std::pmr::unsynchronized_pool_resource resource_;
};

/// Ebbpool's pool of fixed capacity, with its checks.
class ebb_trees {
public:
    static constexpr const char* name = "ebb trap";
    explicit ebb_trees(unsigned deepest) : pool_(std::size_t{2} << deepest) {}
    node* make() { return new (pool_.allocate()) node; }
    void drop(node* root) {
        free_all(root, [this](node* p) { pool_.deallocate(p); });
    }

private:
    ebb::fixed_pool<node> pool_;
};

template <class Memory>
node* build(Memory& memory, unsigned depth) {
    node* const n = memory.make();
    if (depth > 0) {
        n->left = build(memory, depth - 1);
        n->right = build(memory, depth - 1);
    }
    return n;
}

std::uint64_t count(const node* n) {
    if (n->left == nullptr) return 1;
    return 1 + count(n->left) + count(n->right);
}

template <class Memory>
std::uint64_t build_and_drop(Memory& memory, unsigned depth) {
    node* root = build(memory, depth);
    opaque(root);
    const std::uint64_t n = count(root);
    memory.drop(root);
    return n;
}

constexpr unsigned least_depth = 4;

/// The work of the public benchmark: a tree that stays, and of each depth as many as have
/// about as many nodes together, each counted and dropped.
template <class Memory>
void run(benchmark::State& state, unsigned depth) {
    std::uint64_t expected = (std::uint64_t{4} << depth) - 1 + (std::uint64_t{2} << depth) - 1;
    for (unsigned d = least_depth; d <= depth; d += 2)
        expected += ((std::uint64_t{2} << d) - 1) << (depth - d + least_depth);
    for ([[maybe_unused]] auto _ : state) {
        Memory memory(depth + 1), lasting(depth);
        std::uint64_t sum = build_and_drop(memory, depth + 1);
        node* stays = build(lasting, depth);
        opaque(stays);
        for (unsigned d = least_depth; d <= depth; d += 2)
            for (std::uint64_t i = 0; i < std::uint64_t{1} << (depth - d + least_depth); ++i)
                sum += build_and_drop(memory, d);
        sum += count(stays);
        lasting.drop(stays);
        if (sum != expected) state.SkipWithError("a node is missing");
    }
    count_calls(state, expected);
}

template <class Memory>
void add() {
    benchmark::RegisterBenchmark((std::string("trees/14/") + Memory::name).c_str(), &run<Memory>, 14u);
}

}  // namespace

void add_trees() {
    add<heap_trees>();
    add<monotonic_trees>();
    add<buffer_trees>();
    add<pool_trees>();
    add<ebb_trees>();
}

}  // namespace bench
