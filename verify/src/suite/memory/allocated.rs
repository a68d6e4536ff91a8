//! Memory where there are no pages: WebAssembly has one piece of it, all accessible. Only canaries tell.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::io;
use std::ptr::NonNull;

const PAGE: usize = 4096;

/// Accessible memory.
#[derive(Debug)]
pub(super) struct Pages {
    layout: Layout,
    /// The first byte.
    pub(super) first: NonNull<c_void>,
    /// How many there are.
    pub(super) bytes: usize,
}

impl Pages {
    /// Takes at least so many bytes, all zero.
    pub(super) fn new(bytes: usize) -> io::Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(PAGE);
        let layout = Layout::from_size_align(bytes, PAGE).map_err(io::Error::other)?;
        // SAFETY: there is at least a byte.
        let first = NonNull::new(unsafe { alloc_zeroed(layout) });
        let first = first.ok_or(io::ErrorKind::OutOfMemory)?.cast();
        Ok(Self {
            layout,
            first,
            bytes,
        })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: `new` took exactly this.
        unsafe { dealloc(self.first.as_ptr().cast(), self.layout) };
    }
}
