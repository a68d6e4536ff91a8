//! A kernel in the shape that the renderer gives, with two macro-ops only.

use crate::Constants;

macro_rules! EPSILON {
    () => {
        0xffff_ffff
    };
}

macro_rules! add {
    ($a:expr, $b:expr) => {{
        let a = $a;
        let b = $b;
        let (t2, t3) = u64::overflowing_add(a, b);
        let t4 = u64::wrapping_mul(u64::from(t3), EPSILON!());
        let r = u64::wrapping_add(t2, t4);
        r
    }};
}

/// Permutes.
pub fn permute(states: &mut [[[u64; 1]; 8]; 2], constants: &Constants<u64, 8, 8, 22>) {
    let mut state = [[0; 8]; 2];
    for group in 0..2 {
        for element in 0..8 {
            state[group][element] = states[group][element][0];
        }
    }
    for step in 0..=8 {
        if step > 0 {
            for element in 0..8 {
                let constant = constants.external[step - 1][element];
                // external[*].sbox.rc: b is read from a table of canonical constants
                let v2_0 = add!(state[0][element], constant);
                let v2_1 = add!(state[1][element], constant);
                state[0][element] = v2_0;
                state[1][element] = v2_1;
            }
        }
        for group in &mut state {
            let v9 = add!(group[0], group[1]); // external[*].mds.out[0]
            group[0] = v9;
        }
        if step == 4 {
            for round in 0..22 {
                if round == 11 {
                    for group in &mut state {
                        let v0 = add!(group[1], group[1]);
                        group[1] = v0;
                    }
                }
                let constant = constants.internal[round];
                let v2_0 = add!(state[0][0], constant); // internal.rc
                state[0][0] = v2_0;
            }
        }
    }
    for group in 0..2 {
        for element in 0..8 {
            states[group][element][0] = state[group][element];
        }
    }
}

/// On raw memory.
///
/// # Safety
/// As documented.
pub unsafe fn permute_raw(states: *mut u64, constants: *const u64) {
    // SAFETY: the caller vouches.
    unsafe { permute(&mut *states.cast(), &*constants.cast()) }
}
