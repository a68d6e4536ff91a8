//! The same for many, at once.

/// What `each` makes of every item, in their order; one thread for each.
///
/// # Panics
/// Where a thread does.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let each = &each;
    std::thread::scope(|scope| {
        let spawn = |item| scope.spawn(move || each(item));
        let threads: Vec<_> = items.iter().map(spawn).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, R>| thread.join();
        let joined = threads.into_iter().map(join);
        joined.map(|result| result.expect("no panic")).collect()
    })
}
