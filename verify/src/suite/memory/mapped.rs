//! Whole pages of memory, with an inaccessible one on either side.

use std::ffi::c_void;
use std::io;
use std::ptr::NonNull;

/// Accessible pages.
#[derive(Debug)]
pub(super) struct Pages {
    mapping: NonNull<c_void>,
    mapped: usize,
    /// The first accessible byte.
    pub(super) first: NonNull<c_void>,
    /// How many there are.
    pub(super) bytes: usize,
}

impl Pages {
    /// Maps as many as so many bytes take, all zero.
    pub(super) fn new(bytes: usize) -> io::Result<Self> {
        // SAFETY: `sysconf` has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).map_err(io::Error::other)?;
        let bytes = bytes.next_multiple_of(page);
        let mapped = bytes + 2 * page;
        // SAFETY: a new anonymous mapping overlaps nothing.
        let mapping = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mapping = NonNull::new(mapping).ok_or_else(|| io::Error::other("mapped at null"))?;
        // SAFETY: the mapping is longer than a page.
        let first = unsafe { mapping.byte_add(page) };
        let pages = Self {
            mapping,
            mapped,
            first,
            bytes,
        };
        // SAFETY: this range is a part of our mapping, which nobody else knows of.
        let opened =
            unsafe { libc::mprotect(first.as_ptr(), bytes, libc::PROT_READ | libc::PROT_WRITE) };
        match opened {
            0 => Ok(pages),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: this unmaps exactly what `new` mapped.
        unsafe { libc::munmap(self.mapping.as_ptr(), self.mapped) };
    }
}
