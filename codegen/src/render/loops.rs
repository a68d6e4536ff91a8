//! A flow as the loops that kernel templates write.
//!
//! Templates have one loop over steps: each but the first begins with an external round's S-boxes,
//! each has the external linear layer, and internal rounds follow the middle one. So a flow must
//! have this form, and what is free in it is read off it.

use crate::ir::BlockKind::{
    Enter, ExternalLinear, InternalEnter, InternalLeave, InternalNormalise, Leave,
};
use crate::ir::Step;

/// What differs from flow to flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loops {
    /// External rounds before the internal ones.
    pub(super) half: usize,
    /// External rounds.
    pub(super) external: usize,
    /// Internal rounds.
    pub(super) internal: usize,
    /// Internal rounds that begin with a normalisation.
    pub(super) normalised: Vec<usize>,
}

impl Loops {
    /// The loops of a flow; `None` if templates have none that execute it.
    pub(super) fn of(flow: &[Step]) -> Option<Self> {
        let once = |kind| move |step: &Step| *step == Step::Once(kind);
        let mut steps = flow.iter().peekable();
        steps.next_if(|step| once(Enter)(step));
        steps.next_if(|step| once(ExternalLinear)(step))?;
        let Step::External(first) = steps.next()? else {
            return None;
        };
        steps.next_if(|step| once(InternalEnter)(step));
        let (mut internal, mut normalised) = (0, Vec::new());
        loop {
            let Step::Internal(rounds) = steps.next()? else {
                return None;
            };
            if rounds.start != internal {
                return None;
            }
            internal = rounds.end;
            if steps
                .next_if(|step| once(InternalNormalise)(step))
                .is_none()
            {
                break;
            }
            normalised.push(internal);
        }
        steps.next_if(|step| once(InternalLeave)(step));
        let Step::External(rest) = steps.next()? else {
            return None;
        };
        steps.next_if(|step| once(Leave)(step));
        let contiguous = first.start == 0 && first.end == rest.start;
        (contiguous && steps.next().is_none()).then_some(Self {
            half: first.end,
            external: rest.end,
            internal,
            normalised,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_of_another_form_have_no_loops() {
        let linear = Step::Once(ExternalLinear);
        let whole = [
            linear.clone(),
            Step::External(0..4),
            Step::Internal(0..11),
            Step::Once(InternalNormalise),
            Step::Internal(11..22),
            Step::External(4..8),
        ];
        let loops = Loops::of(&whole).unwrap();
        let Loops {
            half,
            external,
            internal,
            normalised,
        } = loops;
        assert_eq!((half, external, internal, normalised), (4, 8, 22, vec![11]));
        for n in 0..whole.len() {
            let mut less = whole.to_vec();
            less.remove(n);
            assert_eq!(Loops::of(&less), None, "without {}", whole[n]);
            let mut more = whole.to_vec();
            more.insert(n, linear.clone());
            assert_eq!(Loops::of(&more), None, "one more before {}", whole[n]);
        }
        let shifted = |n: usize, step: Step| {
            let mut other = whole.to_vec();
            other[n] = step;
            Loops::of(&other)
        };
        assert_eq!(shifted(1, Step::External(1..4)), None);
        assert_eq!(shifted(4, Step::Internal(12..22)), None);
        assert_eq!(shifted(5, Step::External(5..8)), None);
    }
}
