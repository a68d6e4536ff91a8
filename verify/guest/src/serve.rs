//! Requests: tells what kernels there are, then runs what it is asked to, until there is no more input.
//!
//! A request is the number of a kernel, what to do with it, and the words for it. Words are as they lie
//! in memory: both sides have the least byte first.

use core::slice;

use guest::{exit, read, read_u32, write, write_u32};
use poseidon2_generated::Kernel;

/// Bytes of what operands and canaries lie in: several times what any kernel takes.
const ROOM: usize = 1 << 14;
/// Bytes of canaries before, between and behind operands.
const LINE: usize = 64;
/// What they are made of.
const CANARY: u8 = 0xa5;

/// Room for operands, more aligned than any word.
#[repr(align(64))]
struct Room([u8; ROOM]);

/// Where operands lie in it.
struct Places {
    states: (usize, usize),
    constants: (usize, usize),
}

impl Places {
    /// They move by a word from call to call, so that nothing is aligned by chance.
    fn of<T>(kernel: &Kernel<T>, call: usize) -> Self {
        let word = size_of::<T>();
        let states = (LINE + call % 3 * word, kernel.state_words() * word);
        let constants = states.0 + states.1 + LINE;
        Self {
            states,
            constants: (constants, kernel.constant_words() * word),
        }
    }

    /// Whether what lies beside them is as it was.
    fn beside(&self, room: &Room) -> bool {
        let between = self.states.0 + self.states.1..self.constants.0;
        let behind = self.constants.0 + self.constants.1..ROOM;
        let mut gaps = [0..self.states.0, between, behind].into_iter();
        gaps.all(|gap| room.0[gap].iter().all(|byte| *byte == CANARY))
    }
}

/// Permutes: reads states and constants, and writes whether nothing beside them changed, and both.
fn permute<T>(kernel: &Kernel<T>, call: usize, room: &mut Room) {
    let Places {
        states: (states, state_bytes),
        constants: (constants, constant_bytes),
    } = Places::of(kernel, call);
    room.0.fill(CANARY);
    let [inside, table] = [(states, state_bytes), (constants, constant_bytes)]
        .map(|(start, length)| start..start + length);
    if !read(&mut room.0[inside.clone()]) || !read(&mut room.0[table.clone()]) {
        exit(1);
    }
    let first = room.0.as_mut_ptr();
    // SAFETY: the operands have the kernel's lengths, lie in the room and are aligned for its words; what
    // they hold is what the suite would give the kernel itself.
    unsafe { (kernel.permute)(first.add(states).cast(), first.add(constants).cast()) };
    write_u32(Places::of(kernel, call).beside(room).into());
    write(&room.0[inside]);
    write(&room.0[table]);
}

/// Prepares: reads canonical constants and writes what the kernel reads in their place.
fn prepare<T>(kernel: &Kernel<T>, room: &mut Room) {
    let Some(prepare) = kernel.prepare else {
        exit(1);
    };
    let words = kernel.constant_words();
    let bytes = words * size_of::<T>();
    let count = words / kernel.parts;
    let (from, to) = room.0.split_at_mut(ROOM / 2);
    let given = &mut from[..bytes / kernel.parts];
    if !read(given) {
        exit(1);
    }
    // SAFETY: both halves of the room are aligned for words, are long enough, and hold any bits.
    let (given, made) = unsafe {
        let made = slice::from_raw_parts_mut(to.as_mut_ptr().cast(), words);
        (slice::from_raw_parts(given.as_ptr().cast(), count), made)
    };
    prepare(given, made);
    write(&to[..bytes]);
}

fn answer<T>(kernel: &Kernel<T>, what: u32, call: usize, room: &mut Room) {
    match what {
        0 => prepare(kernel, room),
        _ => permute(kernel, call, room),
    }
}

macro_rules! registries {
    ($($field:ident {
        field: ($family:ident $name:literal $p:literal $prime:literal $kernels:ident $tables:ident),
        $($rest:tt)*
    })+) => {
        /// Tells the names and shapes of all kernels, which are numbered in this order.
        fn kernels() {
            let count = 0 $(+ poseidon2_generated::$kernels.len())+;
            write_u32(count as u32);
            $(for kernel in poseidon2_generated::$kernels {
                write_u32(kernel.name.len() as u32);
                write(kernel.name.as_bytes());
                let prepares = kernel.prepare.is_some().into();
                for number in [kernel.batch, kernel.lanes, kernel.parts, prepares] {
                    write_u32(number as u32);
                }
            })+
        }

        /// Answers a request for the kernel of a number.
        fn find(mut number: usize, what: u32, call: usize, room: &mut Room) {
            $(match poseidon2_generated::$kernels.get(number) {
                Some(kernel) => return answer(kernel, what, call, room),
                None => number -= poseidon2_generated::$kernels.len(),
            })+
            panic!("{number} more than there are kernels");
        }
    };
}

poseidon2_generated::each_field!(registries);

#[unsafe(no_mangle)]
extern "C" fn guest_main() -> ! {
    let mut room = Room([0; ROOM]);
    kernels();
    let mut call = 0;
    while let Some(number) = read_u32() {
        let Some(what) = read_u32() else {
            exit(1);
        };
        find(number as usize, what, call, &mut room);
        call += 1;
    }
    exit(0)
}
