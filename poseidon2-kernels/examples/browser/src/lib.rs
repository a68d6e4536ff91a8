//! What a page asks of WebAssembly: the Merkle root of a file, by these kernels and by stock Plonky3,
//! from pieces of the file. `page/worker.js` is the caller.
//!
//! There is one file at a time. The page copies a piece to [`page_room`], has it [taken](page_take), and then
//! has either side [hash](page_hash) it. What there is to tell is a [text](page_text).

mod stock;
#[path = "../../merkle_root/tree.rs"]
mod tree;

use std::sync::{Mutex, MutexGuard, PoisonError};

use stock::Stock;
use tree::{Ours, Tree, decode, line, whole_rows};

/// Bytes of a piece, if rows are short: some milliseconds of work, so that a progress bar moves.
const PIECE: u64 = 1 << 17;

/// Pieces have a multiple of so many rows, so that vectors are full on both sides.
const TOGETHER: u64 = 8;

static WORK: Mutex<Work> = Mutex::new(Work::new());

/// A file on its way to its roots.
struct Work {
    columns: u32,
    /// Rows that were taken.
    rows: u64,
    bytes: Vec<u8>,
    words: Vec<u64>,
    ours: Option<Tree<Ours>>,
    stock: Option<Tree<Stock>>,
    text: String,
}

/// Who hashes.
#[derive(Clone, Copy, Debug)]
enum Side {
    Ours,
    Stock,
}

impl Side {
    /// A side by its number on the page.
    fn of(number: u32) -> Self {
        match number {
            0 => Self::Ours,
            _ => Self::Stock,
        }
    }
}

impl Work {
    const fn new() -> Self {
        Self {
            columns: 1,
            rows: 0,
            bytes: Vec::new(),
            words: Vec::new(),
            ours: None,
            stock: None,
            text: String::new(),
        }
    }

    /// Begins a file, unless it cannot be rows of so many words. Gives the bytes of a piece.
    fn begin(&mut self, length: u64, columns: u32) -> Result<usize, String> {
        *self = Self::new();
        if columns == 0 {
            return Err("a row has at least one word".into());
        }
        whole_rows(length, columns)?;
        let row = u64::from(columns) * 8;
        let rows = (PIECE / row / TOGETHER).max(1) * TOGETHER;
        let piece = (rows * row).min(length.max(row));
        let room = usize::try_from(piece).ok().filter(|&piece| {
            self.bytes.try_reserve_exact(piece).is_ok()
                && self.words.try_reserve_exact(piece / 8).is_ok()
        });
        let room = room
            .ok_or_else(|| format!("there is no memory for {TOGETHER} rows of {columns} words"))?;
        self.columns = columns;
        self.bytes.resize(room, 0);
        self.ours = Some(Tree::new(Ours::new(), columns as usize));
        self.stock = Some(Tree::new(Stock::new(), columns as usize));
        Ok(room)
    }

    /// Reads the rows of a piece.
    fn take(&mut self, count: usize) -> Result<(), String> {
        let bytes = self.bytes.get(..count);
        let bytes = bytes.ok_or_else(|| format!("{count} bytes are more than a piece"))?;
        whole_rows(count as u64, self.columns)?;
        self.words.clear();
        decode(bytes, self.columns, self.rows, &mut self.words)?;
        self.rows += (self.words.len() / self.columns as usize) as u64;
        Ok(())
    }

    /// Has a side hash what was taken last.
    fn hash(&mut self, side: Side) {
        match side {
            Side::Ours => self.ours.iter_mut().for_each(|tree| tree.add(&self.words)),
            Side::Stock => self.stock.iter_mut().for_each(|tree| tree.add(&self.words)),
        }
    }

    /// A side's root, after all pieces.
    fn root(&mut self, side: Side) -> Result<String, String> {
        let root = match side {
            Side::Ours => self.ours.take().map(Tree::root),
            Side::Stock => self.stock.take().map(Tree::root),
        };
        root.ok_or("no file was begun")?.map(|root| line(&root))
    }
}

fn work() -> MutexGuard<'static, Work> {
    WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a file of that length, in rows of so many words of 64 bits. Gives the most bytes of a piece; 0 if
/// the text says what is wrong.
// SAFETY: no other function of that name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn page_begin(length: u64, columns: u32) -> usize {
    let mut work = work();
    let begun = work.begin(length, columns);
    begun.unwrap_or_else(|error| {
        work.text = error;
        0
    })
}

/// Where the bytes of a piece go.
// SAFETY: no other function of that name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn page_room() -> *mut u8 {
    work().bytes.as_mut_ptr()
}

/// Takes the next rows of the file, so many bytes. If not, the text says what is wrong with them.
// SAFETY: no other function of that name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn page_take(bytes: usize) -> bool {
    let mut work = work();
    let taken = work.take(bytes);
    told(&mut work, taken.map(|()| String::new()))
}

/// Has a side hash what was taken last: 0 is ours, 1 stock Plonky3.
// SAFETY: no other function of that name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn page_hash(side: u32) {
    work().hash(Side::of(side));
}

/// Makes a side's root the text, after all pieces. If not, the text says what is wrong.
// SAFETY: no other function of that name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn page_root(side: u32) -> bool {
    let mut work = work();
    let root = work.root(Side::of(side));
    told(&mut work, root)
}

/// Makes the instruction set of these kernels the text.
// SAFETY: no other function of that name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn page_kernels() {
    work().text = poseidon2_kernels::selected().isa.name().to_owned();
}

/// The text, in UTF-8.
// SAFETY: no other function of that name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn page_text() -> *const u8 {
    work().text.as_ptr()
}

/// The text's length in bytes.
// SAFETY: no other function of that name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn page_text_length() -> usize {
    work().text.len()
}

/// Keeps a text; whether it is an answer.
fn told(work: &mut Work, text: Result<String, String>) -> bool {
    let right = text.is_ok();
    work.text = text.unwrap_or_else(|error| error);
    right
}

#[cfg(test)]
mod tests;
