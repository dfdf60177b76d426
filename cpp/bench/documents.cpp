#include <ebbpool/arena.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench.hpp"
#include "object.hpp"
#include "subjects.hpp"

namespace bench {
namespace {

// Documents as a JSON parser makes them: trees of nodes with a key, and text or a number. Each is built from
// the same list, walked and dropped.

/// A parser's input: nodes in document order, each with its number of children.
struct document_node {
    std::string key;   // 3 to 20 bytes
    std::string text;  // up to 60 bytes; empty for a number
    std::uint64_t number;
    std::size_t children;
};
struct document {
    std::vector<document_node> nodes;
    std::uint64_t checksum;  // of one walk
};

/// A node in an arena, without destructors.
struct arena_node {
    std::string_view key, text;
    std::uint64_t number = 0;
    arena_node* child = nullptr;
    arena_node* next = nullptr;
};

/// A node as written without an arena.
template <class Calls>
struct owned_node {
    using string = std::basic_string<char, std::char_traits<char>, calls_allocator<char, Calls>>;
    string key, text;
    std::uint64_t number = 0;
    std::unique_ptr<owned_node> child, next;

    static void* operator new(std::size_t bytes) { return Calls::take(bytes); }
    static void operator delete(void* p) { Calls::give(p); }
};

class arena_documents {
public:
    arena_node* build(const document& d) {
        std::size_t at = 0;
        return build(d, at);
    }
    void drop(arena_node*) { arena_.reset(); }

private:
    arena_node* build(const document& d, std::size_t& at) {
        const document_node& from = d.nodes[at++];
        arena_node* const n = arena_.make<arena_node>();
        n->key = arena_.copy(from.key);
        n->text = arena_.copy(from.text);
        n->number = from.number;
        arena_node** link = &n->child;
        for (std::size_t i = 0; i < from.children; ++i) {
            *link = build(d, at);
            link = &(*link)->next;
        }
        return n;
    }
    ebb::arena arena_{64 << 10};
};

template <class Calls>
class owned_documents {
public:
    using node = owned_node<Calls>;
    node* build(const document& d) {
        std::size_t at = 0;
        return build(d, at).release();
    }
    void drop(node* root) { delete root; }

private:
    std::unique_ptr<node> build(const document& d, std::size_t& at) {
        const document_node& from = d.nodes[at++];
        auto n = std::unique_ptr<node>(new node);
        n->key.assign(from.key.data(), from.key.size());
        n->text.assign(from.text.data(), from.text.size());
        n->number = from.number;
        std::unique_ptr<node>* link = &n->child;
        for (std::size_t i = 0; i < from.children; ++i) {
            *link = build(d, at);
            link = &(*link)->next;
        }
        return n;
    }
};

template <class Node>
const Node* raw(Node* p) {
    return p;
}
template <class Node>
const Node* raw(const std::unique_ptr<Node>& p) {
    return p.get();
}

template <class Node>
std::uint64_t walk(const Node& n) {
    std::uint64_t sum = n.number + n.key.size() + static_cast<unsigned char>(n.key.back()) + n.text.size();
    if (!n.text.empty()) sum += static_cast<unsigned char>(n.text.front());
    for (const Node* c = raw(n.child); c != nullptr; c = raw(c->next)) sum += walk(*c);
    return sum;
}

/// Adds a node and its descendants, about `left` in all.
void add(document& d, random_numbers& random, std::size_t depth) {
    const std::size_t at = d.nodes.size();
    const bool is_text = random.below(3) != 0;
    document_node n{std::string(3 + random.below(18), 'k'), std::string(is_text ? 1 + random.below(60) : 0, 't'),
                    random.below(1'000), 0};
    n.key.back() = static_cast<char>('a' + random.below(26));
    if (is_text) n.text.front() = static_cast<char>('a' + random.below(26));
    d.checksum += n.number + n.key.size() + static_cast<unsigned char>(n.key.back()) + n.text.size();
    if (is_text) d.checksum += static_cast<unsigned char>(n.text.front());
    d.nodes.push_back(n);
    const std::size_t children = depth == 0 ? 0 : 10;
    d.nodes[at].children = children;
    for (std::size_t i = 0; i < children; ++i) add(d, random, depth - 1);
}

const document& random_document() {
    static const document made = [] {
        document d{};
        random_numbers random(7);
        add(d, random, 3);
        return d;
    }();
    return made;
}

template <class Documents>
void run(benchmark::State& state) {
    const document& d = random_document();
    Documents documents;
    for ([[maybe_unused]] auto _ : state) {
        auto* root = documents.build(d);
        opaque(root);
        if (walk(*root) != d.checksum) state.SkipWithError("a wrong checksum");
        documents.drop(root);
        keep(documents);
    }
    count_calls(state, d.nodes.size());
}

}  // namespace

void add_documents() {
    const auto add = []<class Calls>(Calls, void (*f)(benchmark::State&)) {
        if (Calls::available()) benchmark::RegisterBenchmark((std::string("documents/") + Calls::name).c_str(), f);
    };
    benchmark::RegisterBenchmark("documents/ebb arena", &run<arena_documents>);
    add(glibc_calls{}, &run<owned_documents<glibc_calls>>);
    add(mimalloc_calls{}, &run<owned_documents<mimalloc_calls>>);
    add(jemalloc_calls{}, &run<owned_documents<jemalloc_calls>>);
    add(tcmalloc_calls{}, &run<owned_documents<tcmalloc_calls>>);
    add(tbb_calls{}, &run<owned_documents<tbb_calls>>);
}

}  // namespace bench
