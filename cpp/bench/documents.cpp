#include "documents.hpp"

#include <ctime>
#include <ebbpool/arena.hpp>
#include <memory>
#include <string_view>

namespace bench {
namespace {

/// A node in an arena: nothing of it needs a destructor.
struct arena_node {
    std::string_view key, text;
    std::uint64_t number = 0;
    arena_node* child = nullptr;
    arena_node* next = nullptr;
};

template <class T, class Calls>
struct calls_allocator {
    using value_type = T;
    calls_allocator() = default;
    template <class U>
    calls_allocator(const calls_allocator<U, Calls>&) noexcept {}
    T* allocate(std::size_t n) { return static_cast<T*>(Calls::take(n * sizeof(T))); }
    void deallocate(T* p, std::size_t) noexcept { Calls::give(p); }
    template <class U>
    friend bool operator==(const calls_allocator&, const calls_allocator<U, Calls>&) noexcept {
        return true;
    }
};

/// A node as one writes it without an arena.
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
    static constexpr const char* name = "ebb::arena";
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
    static constexpr const char* name = Calls::name;
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

template <class Documents>
sample play_documents(const document& d, std::size_t times) {
    Documents documents;
    std::uint64_t sum = 0;
    const auto once = [&] {
        auto* root = documents.build(d);
        opaque(root);
        sum += walk(*root);
        documents.drop(root);
        keep(documents);
    };
    once();
    const std::clock_t start = std::clock();
    for (std::size_t i = 0; i < times; ++i) once();
    return {static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, sum};
}

/// Adds a node, and below it about as many as `left` allows.
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

}  // namespace

document random_document() {
    document d{};
    random_numbers random(7);
    add(d, random, 3);
    return d;
}

std::vector<document_subject> document_subjects() {
    std::vector<document_subject> all{{arena_documents::name, &play_documents<arena_documents>},
                                      {glibc_calls::name, &play_documents<owned_documents<glibc_calls>>}};
    if (mimalloc_calls::available()) {
        all.push_back({mimalloc_calls::name, &play_documents<owned_documents<mimalloc_calls>>});
    }
    return all;
}

}  // namespace bench
