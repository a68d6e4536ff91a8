//! How long programs may take: several times what they take on two idle cores. What takes longer is
//! taken to hang; it is ended, and its stage fails. `--patience` multiplies all of this.

use std::time::Duration;

/// Compiling something.
pub(super) const BUILD: Duration = minutes(20);
/// Compiling a test suite and running it.
pub(super) const TESTS: Duration = minutes(30);
/// One kernel in the kernel suite, on an emulated host.
pub(super) const KERNEL: Duration = minutes(5);
/// One call of a kernel, watched or located; reading a program's machine code.
pub(super) const CALL: Duration = minutes(2);
/// Downloading and installing packages.
pub(super) const INSTALL: Duration = minutes(20);

const fn minutes(n: u64) -> Duration {
    Duration::from_secs(60 * n)
}
