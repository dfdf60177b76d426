// Makes operator new of the test program fail, and counts leaks.
#ifndef EBBPOOL_TEST_FAILING_NEW_HPP
#define EBBPOOL_TEST_FAILING_NEW_HPP

namespace failing_new {

/// The call of operator new that fails, counted from now (1 is the next); 0 for none.
void fail_at(int n) noexcept;
/// Calls of operator new since fail_at.
int calls() noexcept;
/// Blocks from operator new that were not freed.
long outstanding() noexcept;

}  // namespace failing_new

#endif  // EBBPOOL_TEST_FAILING_NEW_HPP
