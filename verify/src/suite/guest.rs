//! Kernels of a machine that has no room for the suite: a program there runs them for us. The other side is
//! `verify/guest`.
//!
//! To the suite a kernel is two functions. Those of a kernel on a guest send their operands, and wait. What
//! they cannot report, they panic about, which ends the process, as a fault of a kernel does.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard};

use poseidon2_generated::Kernel;

use super::word::Word;

const PREPARE: u32 = 0;
const PERMUTE: u32 = 1;

/// The guest of this process, if it has one.
static GUEST: Mutex<Option<Guest>> = Mutex::new(None);

struct Guest {
    /// Ends when its input does.
    _process: Child,
    to: ChildStdin,
    from: ChildStdout,
    /// Its kernels.
    kernels: Vec<Listed>,
    running: Running,
}

/// What it tells of a kernel.
struct Listed {
    name: &'static str,
    batch: usize,
    lanes: usize,
    parts: usize,
    prepares: bool,
    /// Whether it was run, or left out.
    done: bool,
}

/// The kernel that is run.
#[derive(Clone, Copy, Default)]
struct Running {
    number: u32,
    state_words: usize,
    constant_words: usize,
}

/// Starts the guest that has the kernels of this process from now on.
///
/// # Errors
/// Where the program does not run, or does not say what it has.
pub fn start(command: &[String]) -> io::Result<()> {
    let [program, arguments @ ..] = command else {
        return Err(io::Error::other("no command for a guest"));
    };
    let mut command = Command::new(program);
    command.args(arguments);
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let pipes = process.stdin.take().zip(process.stdout.take());
    let (to, mut from) = pipes.ok_or_else(|| io::Error::other("no pipes to a guest"))?;
    let kernels = (0..number(&mut from)?).map(|_| {
        let mut name = vec![0; number(&mut from)? as usize];
        from.read_exact(&mut name)?;
        let name = String::from_utf8(name).map_err(io::Error::other)?;
        let mut size = || Ok::<_, io::Error>(number(&mut from)? as usize);
        Ok(Listed {
            name: name.leak(),
            batch: size()?,
            lanes: size()?,
            parts: size()?,
            prepares: size()? == 1,
            done: false,
        })
    });
    let kernels = kernels.collect::<io::Result<_>>()?;
    *lock() = Some(Guest {
        _process: process,
        to,
        from,
        kernels,
        running: Running::default(),
    });
    Ok(())
}

/// The kernel as it is run: itself, or what stands for it if there is a guest; none if the guest does not
/// have it.
pub(super) fn stand_in<T: Word>(kernel: &Kernel<T>) -> Option<Kernel<T>> {
    let mut guest = lock();
    let Some(guest) = &mut *guest else {
        return Some(*kernel);
    };
    let mut kernels = guest.kernels.iter();
    let number = kernels.position(|listed| listed.name == kernel.name)?;
    Some(guest.run(number, kernel))
}

/// The next kernel of the guest that this process does not have itself, of the same permutation as one that
/// it has; none if there are no more, or no guest.
pub(super) fn another<T: Word>(of: &Kernel<T>) -> Option<Kernel<T>> {
    let mut guest = lock();
    let guest = guest.as_mut()?;
    // All of a name but what is behind the width.
    let permutation = |name: &'static str| {
        let (field, kernel) = name.rsplit_once('/')?;
        Some((field, kernel.split('_').next()?))
    };
    let same = |listed: &Listed| permutation(listed.name) == permutation(of.name);
    let mut kernels = guest.kernels.iter();
    let number = kernels.position(|listed| !listed.done && same(listed))?;
    Some(guest.run(number, of))
}

fn lock() -> MutexGuard<'static, Option<Guest>> {
    GUEST.lock().expect("a kernel's panic ends the process")
}

fn number(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

impl Guest {
    /// What stands for one of its kernels, of the same permutation as another. From now on it runs.
    fn run<T: Word>(&mut self, number: usize, of: &Kernel<T>) -> Kernel<T> {
        let listed = &mut self.kernels[number];
        listed.done = true;
        let kernel = Kernel {
            name: listed.name,
            batch: listed.batch,
            lanes: listed.lanes,
            parts: listed.parts,
            features: &[],
            permute,
            prepare: listed.prepares.then_some(prepare),
            ..*of
        };
        self.running = Running {
            number: number as u32,
            state_words: kernel.state_words(),
            constant_words: kernel.constant_words(),
        };
        kernel
    }

    fn ask(&mut self, what: u32, operands: [&[u8]; 2]) -> io::Result<()> {
        let head = [self.running.number, what].map(u32::to_le_bytes);
        let request = [head.as_flattened(), operands[0], operands[1]].concat();
        self.to.write_all(&request)
    }

    fn prepare<T: Word>(&mut self, constants: &[T], prepared: &mut [T]) -> io::Result<()> {
        self.ask(PREPARE, [&bytes(constants), &[]])?;
        self.take(prepared)
    }

    /// Tells whether what lies beside the operands and the constants were left as they are.
    fn permute<T: Word>(&mut self, states: &mut [T], constants: &[T]) -> io::Result<[bool; 2]> {
        self.ask(PERMUTE, [&bytes(states), &bytes(constants)])?;
        let beside = number(&mut self.from)? == 1;
        self.take(states)?;
        let mut left = constants.to_vec();
        self.take(&mut left)?;
        Ok([beside, left == constants])
    }

    fn take<T: Word>(&mut self, words: &mut [T]) -> io::Result<()> {
        let mut bytes = vec![0; size_of_val(words)];
        self.from.read_exact(&mut bytes)?;
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(size_of::<T>())) {
            let mut wide = [0; 8];
            wide[..bytes.len()].copy_from_slice(bytes);
            *word = T::from_u64(u64::from_le_bytes(wide));
        }
        Ok(())
    }
}

fn bytes<T: Word>(words: &[T]) -> Vec<u8> {
    let of = |word: &T| word.to_u64().to_le_bytes().into_iter().take(size_of::<T>());
    words.iter().flat_map(of).collect()
}

/// What [`Kernel::prepare`] is of a kernel on a guest.
fn prepare<T: Word>(constants: &[T], prepared: &mut [T]) {
    let mut guest = lock();
    let guest = guest.as_mut().expect("who made this kernel had a guest");
    guest
        .prepare(constants, prepared)
        .expect("the guest has ended");
}

/// What [`Kernel::permute`] is of a kernel on a guest.
///
/// # Safety
/// As there.
unsafe fn permute<T: Word>(states: *mut T, constants: *const T) {
    let mut guest = lock();
    let guest = guest.as_mut().expect("who made this kernel had a guest");
    let Running {
        state_words,
        constant_words,
        ..
    } = guest.running;
    // SAFETY: the caller vouches for operands of the kernel that runs.
    let (states, constants) = unsafe {
        let states = std::slice::from_raw_parts_mut(states, state_words);
        (
            states,
            std::slice::from_raw_parts(constants, constant_words),
        )
    };
    let [beside, constants] = guest
        .permute(states, constants)
        .expect("the guest has ended");
    assert!(beside, "wrote beside its operands");
    assert!(constants, "wrote its constants");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A guest that says this and ends.
    fn saying(text: &str) -> io::Result<()> {
        start(&["printf", text].map(str::to_owned))
    }

    #[test]
    fn a_guest_that_does_not_say_what_it_has_is_refused() {
        for text in ["", r"\1\0", r"\1\0\0\0", r"\1\0\0\0\2\0\0\0a"] {
            assert!(saying(text).is_err(), "{text}");
        }
        assert!(start(&[]).is_err());
        assert!(start(&["/nowhere".to_owned()]).is_err());
        assert!(lock().is_none(), "kernels of this process are its own");
    }

    #[test]
    fn words_are_as_they_lie_in_memory() {
        assert_eq!(bytes(&[0x0403_0201_u32, 5]), [1, 2, 3, 4, 5, 0, 0, 0]);
        assert_eq!(
            bytes(&[0x0807_0605_0403_0201_u64]),
            [1, 2, 3, 4, 5, 6, 7, 8]
        );
    }
}
