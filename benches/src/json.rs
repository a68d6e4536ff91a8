//! Figures for other programs: an array of records, each with how it came about.

use std::path::Path;

use serde::Serialize;

use crate::host;
use crate::manifest::Listed;
use crate::stop::Stop;

#[derive(Serialize)]
struct Told<'a, R> {
    #[serde(flatten)]
    record: &'a R,
    /// The hash of the code that was run.
    code: Option<&'a str>,
    command: &'a str,
    cpu: &'a str,
    compiler: &'a str,
    /// The peer's version.
    plonky3: &'a str,
    /// What the states were made from, if one could choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

/// Writes records to a file; `kernels` are those that they are of, and `name` tells which.
///
/// # Errors
/// It cannot be written.
pub fn write<R: Serialize>(
    path: &Path,
    records: &[R],
    name: fn(&R) -> &str,
    kernels: &[Listed],
    seed: Option<u64>,
) -> Result<(), Stop> {
    let cannot = |error| Stop::Blocked(format!("{}: {error}", path.display()));
    let text = text(records, name, kernels, seed).map_err(Stop::blocked)?;
    std::fs::write(path, text).map_err(cannot)
}

fn text<R: Serialize>(
    records: &[R],
    name: fn(&R) -> &str,
    kernels: &[Listed],
    seed: Option<u64>,
) -> serde_json::Result<String> {
    let (command, cpu, compiler) = (host::command(), host::cpu(), host::compiler());
    let plonky3 = host::plonky3();
    let code = |record: &R| {
        let listed = kernels.iter().find(|listed| listed.name == name(record));
        listed.map(|listed| listed.code.as_str())
    };
    let told = |record| Told {
        record,
        code: code(record),
        command: &command,
        cpu: &cpu,
        compiler: &compiler,
        plonky3: &plonky3,
        seed,
    };
    let told: Vec<_> = records.iter().map(told).collect();
    serde_json::to_string_pretty(&told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tests::example;

    #[test]
    fn records_say_how_they_came_about() {
        let mut kernels = crate::manifest::read().expect("it is committed");
        let name = example().kernel;
        kernels.truncate(1);
        (kernels[0].name, kernels[0].code) = (name, "0123456789abcdef".to_owned());
        let told = |seed| {
            let text = text(&[example()], |record| &record.kernel, &kernels, seed)
                .expect("it is plain data");
            serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON")[0].clone()
        };
        let record = told(Some(7));
        assert_eq!(
            (&record["seed"], &record["modelled"]),
            (&7.into(), &true.into())
        );
        assert_eq!(record["code"], "0123456789abcdef");
        for name in ["command", "cpu", "compiler", "plonky3"] {
            assert!(record[name].as_str().is_some_and(|text| !text.is_empty()));
        }
        assert!(told(None).get("seed").is_none());
    }
}
