//! The same for many, at once.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `each` makes of every item, in their order; on one thread for each core.
///
/// # Panics
/// Where a thread does.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let items = numbers.map_while(|n| Some((n, items.get(n)?)));
        items.map(|(n, item)| (n, each(item))).collect::<Vec<_>>()
    };
    let mut made = std::thread::scope(|scope| {
        let threads = 0..cores.min(items.len());
        let threads: Vec<_> = threads.map(|_| scope.spawn(work)).collect();
        let made = threads.into_iter();
        let made = made.flat_map(|thread| thread.join().expect("no panic"));
        made.collect::<Vec<_>>()
    });
    made.sort_by_key(|(n, _)| *n);
    made.into_iter().map(|(_, result)| result).collect()
}
