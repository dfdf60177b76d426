// Lets the test program's operator new fail, and counts what is not given back.
#ifndef EBBPOOL_TEST_FAILING_NEW_HPP
#define EBBPOOL_TEST_FAILING_NEW_HPP

namespace failing_new {

/// The n-th call of any operator new from now on (1 is the next) fails; 0: none.
void fail_at(int n) noexcept;
/// Calls of operator new since fail_at.
int calls() noexcept;
/// Blocks from operator new that are not given back yet.
long outstanding() noexcept;

}  // namespace failing_new

#endif  // EBBPOOL_TEST_FAILING_NEW_HPP
