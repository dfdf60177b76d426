// Coroutines whose frames are allocated from an arena, their first parameter. (clang allocates no memory for a
// frame whose lifetime it can see.)
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <ebbpool/arena.hpp>
#include <exception>
#include <utility>

// A generator of numbers.
class numbers {
public:
    struct promise_type {
        int value = 0;

        template <class... Args>
        static void* operator new(std::size_t bytes, ebb::arena& a, const Args&...) {
            return a.allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        }
        // The arena frees the frame.
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
        if (frame_) frame_.destroy();  // runs the destructors of its local variables
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
        }  // destroyed before the reset
        a.reset();
        if (sum != 5'050) return EXIT_FAILURE;
    }
    std::puts("as it should be");
}
