//! Doublings of doublings are shifts, made when something else asks for them.

use crate::ir::{Operation, Value};
use crate::lower::parts::{Builder, Element};
use std::collections::BTreeMap;

/// Field values that are doublings of others, and not made yet.
#[derive(Default)]
pub(super) struct Doublings {
    /// The element, how often it is doubled, and the name of the last doubling.
    pending: BTreeMap<Value, (Element, u32, String)>,
}

impl Doublings {
    /// Remembers that an operation doubles `x`; what it stands for until it is made.
    pub(super) fn doubled(
        &mut self,
        operation: &Operation,
        x: Value,
        elements: &[Element],
    ) -> Element {
        let (base, times) = match self.pending.get(&x) {
            Some((base, times, _)) => (*base, times + 1),
            None => (elements[x.index()], 1),
        };
        let doubling = (base, times, operation.name.clone());
        self.pending.insert(operation.result, doubling);
        base
    }

    /// The element that a value is.
    pub(super) fn made(&mut self, b: &mut Builder, x: Value, elements: &mut [Element]) -> Element {
        if let Some((base, times, name)) = self.pending.remove(&x) {
            elements[x.index()] = match times {
                1 => b.plus(&name, base, base),
                _ => b.shifted(&name, base, times),
            };
        }
        elements[x.index()]
    }
}
