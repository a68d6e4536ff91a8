//! A spec that bears the name of a parameter set must be that parameter set.

use std::fmt;

use super::permutation::Permutation;
use super::reader::{Placed, Report};
use crate::params::{Field, Instance, ParameterSet};

/// The instance that the spec's name stands for, if it stands for one; reports where the two
/// differ (constants aside).
pub(super) fn check(report: &Report<'_>, spec: &Permutation<'_, '_>) -> Option<Instance> {
    let set = spec.known_set()?;
    let (field, width) = (spec.field.as_ref()?, spec.width.as_ref()?);
    let Some(instance) = set.instance(field.value, width.value) else {
        report_undefined(report, set, field.value, width);
        return None;
    };
    let compare = Comparison {
        report,
        instance: &instance,
    };
    compare.value(
        "external-rounds",
        spec.external_rounds.as_ref(),
        &instance.external_rounds,
    );
    compare.value(
        "internal-rounds",
        spec.internal_rounds.as_ref(),
        &instance.internal_rounds,
    );
    compare.value("sbox", spec.alpha.as_ref(), &instance.alpha);
    if let Some(diagonal) = &spec.diagonal
        && diagonal.value.len() == instance.width
    {
        for (index, (entry, named)) in diagonal.value.iter().zip(&instance.diagonal).enumerate() {
            compare.value(&format!("diagonal entry {index}"), Some(entry), named);
        }
    }
    Some(instance)
}

fn report_undefined(report: &Report<'_>, set: &ParameterSet, field: &Field, width: &Placed<usize>) {
    let message = format!(
        "parameter set `{}` defines no {} instance of width {}",
        set.name, field.name, width.value
    );
    let widths: Vec<_> = set.widths(field).iter().map(ToString::to_string).collect();
    report.push(
        report
            .error(width.span.clone(), message, "not in the set")
            .help(format!(
                "its {} widths: `{}`; other parameters need a name of their own",
                field.name,
                widths.join("`, `")
            )),
    );
}

struct Comparison<'r, 'a> {
    report: &'r Report<'a>,
    instance: &'r Instance,
}

impl Comparison<'_, '_> {
    fn value<T: PartialEq + fmt::Display>(&self, what: &str, here: Option<&Placed<T>>, named: &T) {
        let Some(here) = here.filter(|here| here.value != *named) else {
            return;
        };
        let Instance {
            parameter_set,
            field,
            width,
            ..
        } = self.instance;
        let message = format!(
            "{what} is {}, but parameter set `{parameter_set}` ({} w{width}) has {named}",
            here.value, field.name
        );
        let error = self
            .report
            .error(here.span.clone(), message, format!("should be {named}"));
        self.report.push(
            error.help("other parameters are another permutation: give it a name of its own"),
        );
    }
}
