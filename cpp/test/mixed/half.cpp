#include "half.hpp"

#include <cstdlib>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

namespace mixed {

void JOIN(HALF, _makes)(state& s) {
    const std::string text(40, 'x');
    for (int i = 0; i < 20; ++i) {
        s.newest = s.a.make<node>(node{text, s.newest});
        s.a.copy(text);
        if (s.words == nullptr) s.words = s.a.make<std::pmr::vector<std::pmr::string>>(&s.memory);
        s.words->emplace_back(text);
    }
    for (int i = 0; i < 10; ++i) {
        s.slots.push_back(ebb::construct(s.pool, node{text, nullptr}));
        s.names.push_back(s.handles.create(node{text, nullptr}));
        s.shared_slots.push_back(ebb::construct(s.shared, node{text, nullptr}));
    }
}

void JOIN(HALF, _makes)(ebb::arena&, state& s) { JOIN(HALF, _makes)(s); }

std::size_t JOIN(HALF, _reads)(state& s) {
    std::size_t n = 0;
    for (const node* p = s.newest; p != nullptr; p = p->next) n += p->text.size();
    for (const auto& word : *s.words) n += word.size();
    for (node* p : s.slots) n += p->text.size(), ebb::destroy(s.pool, p);
    for (const auto h : s.names) n += s.handles.get(h)->text.size(), s.handles.destroy(h);
    for (node* p : s.shared_slots) n += p->text.size(), ebb::destroy(s.shared, p);
    s.slots.clear();
    s.names.clear();
    s.shared_slots.clear();
    s.newest = nullptr;
    s.words = nullptr;
    s.a.reset();
    if (s.a.used_bytes() != 0 || !s.pool.empty() || !s.handles.empty() || s.shared.used() != 0) std::abort();
    return n;
}

}  // namespace mixed
