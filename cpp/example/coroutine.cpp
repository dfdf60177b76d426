// Coroutines whose frames lie in an arena: it is their first parameter. (clang needs no
// memory at all for a frame that it sees the end of.)
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <ebbpool/arena.hpp>
#include <exception>
#include <utility>

// The numbers that a coroutine yields.
class numbers {
public:
    struct promise_type {
        int value = 0;

        template <class... Args>
        static void* operator new(std::size_t bytes, ebb::arena& a, const Args&...) {
            return a.allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        }
        // The arena frees it.
        static void operator delete(void*, std::size_t) noexcept {}

        numbers get_return_object() { return numbers(std::coroutine_handle<promise_type>::from_promise(*this)); }
        static std::suspend_always initial_suspend() noexcept { return {}; }
        static std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) noexcept {
            value = v;
            return {};
        }
        static void return_void() noexcept {}
        static void unhandled_exception() { std::terminate(); }
    };

    numbers(numbers&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    ~numbers() {
        if (frame_) frame_.destroy();  // runs the destructors of what is in it
    }

    bool next() {
        frame_.resume();
        return !frame_.done();
    }
    int value() const { return frame_.promise().value; }

private:
    explicit numbers(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
    std::coroutine_handle<promise_type> frame_;
};

static numbers up_to(ebb::arena&, int n) {
    for (int i = 1; i <= n; ++i) co_yield i;
}

int main() {
    ebb::arena a;
    for (int request = 0; request < 3; ++request) {
        int sum = 0;
        {
            numbers all = up_to(a, 100);
            while (all.next()) sum += all.value();
        }  // before the arena is emptied
        a.reset();
        if (sum != 5'050) return EXIT_FAILURE;
    }
    std::puts("as it should be");
}
