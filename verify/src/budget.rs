//! What a kernel may cost in machine code: no calls, text that leaves the instruction cache to others, and
//! no vectors that may cross a cache line where the stack happens to lie.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::disassembly::Disassembly;

/// Bytes of text that a kernel may have.
pub(crate) const TEXT: u64 = 32 * 1024;

/// A function of no more instructions that calls another is a door to it, not a kernel.
const DOOR: usize = 12;

/// A kernel's machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Code {
    pub(crate) text: u64,
    pub(crate) calls: u64,
    /// Vectors that are stored on the stack as if it were not aligned for them.
    pub(crate) unaligned: u64,
}

impl Code {
    /// What exceeds the budget, in words. `eager` kernels are there for others to be compared with, and to
    /// serve until those are timed: where their vectors lie is nobody's concern.
    pub(crate) fn excess(&self, eager: bool) -> Option<String> {
        let Self {
            text,
            calls,
            unaligned,
        } = *self;
        if unaligned > 0 && !eager {
            Some(format!(
                "stores {unaligned} vectors on a stack that is not aligned for them"
            ))
        } else if calls > 0 {
            Some(format!("has {calls} calls"))
        } else if text > TEXT {
            Some(format!("has {text} bytes of text, more than {TEXT}"))
        } else {
            None
        }
    }
}

/// Measures the function at `entry`, together with the functions that it ends in a jump to.
pub(crate) fn measure(disassembly: &Disassembly, entry: u64) -> Option<Code> {
    let mut code = Code {
        text: 0,
        calls: 0,
        unaligned: 0,
    };
    let mut seen = BTreeSet::new();
    let mut pending = vec![entry];
    while let Some(address) = pending.pop() {
        let (range, instructions) = disassembly.function(address)?;
        if !seen.insert(range.start) {
            continue;
        }
        let instructions: Vec<_> = instructions.collect();
        let calls: Vec<_> = instructions
            .iter()
            .filter(|executed| executed.is_call())
            .collect();
        let target = calls.first().and_then(|call| disassembly.target(call));
        match target {
            Some(target) if calls.len() == 1 && instructions.len() <= DOOR => pending.push(target),
            _ => code.calls += calls.len() as u64,
        }
        code.text += range.end - range.start;
        let unaligned = instructions.iter().filter(|one| one.is_unaligned_spill());
        code.unaligned += unaligned.count() as u64;
        let outside = |target: &u64| !range.contains(target);
        let jumps = instructions.iter().filter(|executed| executed.is_jump());
        pending.extend(
            jumps
                .filter_map(|jump| disassembly.target(jump))
                .filter(outside),
        );
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "\
0000000000000010 <verify_anchor>:
      10:\tret

0000000000000020 <door>:
      20:\tb\t40 <kernel>

0000000000000030 <wrapper>:
      30:\tstp\tx29, x30, [sp, #-16]!
      34:\tbl\t40 <kernel>
      38:\tret

0000000000000040 <kernel>:
      40:\tmul\tx0, x0, x1
      44:\tb\t40 <kernel>
      48:\tret

0000000000000050 <chatty>:
      50:\tblr\tx8
      54:\tblr\tx9
      58:\tret

0000000000000060 <spills>:
      60:\tvmovdqu 0x20(%rsp),%ymm1
      66:\tvmovdqu %ymm1,0x40(%rdi)
      6a:\tvmovdqa %ymm1,0x40(%rsp)
      70:\tvmovdqu64 %zmm1,0x40(%rsp)
      78:\tvmovups %xmm1,0x40(%rsp)
      7c:\tret

0000000000000080 <slotted>:
      80:\tjmp    *0xaed6a(%rip)        # 290 <_DYNAMIC+0x828>
      86:\tint3
";

    const RELOCATIONS: &str = "0000000000000290 R_X86_64_RELATIVE  *ABS*+0x0000000000000040";

    #[test]
    fn doors_are_followed_and_calls_are_counted() {
        let disassembly = Disassembly::parse(LISTING, RELOCATIONS).expect("it has an anchor");
        let code = |text, calls| {
            Some(Code {
                text,
                calls,
                unaligned: 0,
            })
        };
        assert_eq!(measure(&disassembly, 0x40), code(16, 0));
        assert_eq!(measure(&disassembly, 0x20), code(32, 0));
        assert_eq!(measure(&disassembly, 0x30), code(32, 0));
        assert_eq!(measure(&disassembly, 0x80), code(16 + 7, 0));
        let chatty = measure(&disassembly, 0x50).expect("it is listed");
        assert_eq!(chatty.excess(false).as_deref(), Some("has 2 calls"));
        let spills = measure(&disassembly, 0x60).expect("it is listed");
        let problem = "stores 1 vectors on a stack that is not aligned for them";
        assert_eq!(spills.excess(false).as_deref(), Some(problem));
        assert_eq!(spills.excess(true), None);
        let most = code(TEXT, 0).expect("made here");
        let long = Code {
            text: TEXT + 1,
            ..most
        };
        assert!(
            long.excess(false)
                .is_some_and(|excess| excess.contains("32769 bytes"))
        );
        assert_eq!(most.excess(false), None);
    }
}
