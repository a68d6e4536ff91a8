//! The measuring process. `benches compare` builds it once for each set of CPU flags, because the
//! peer chooses its types when it is compiled, and tells it what to measure.

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use benches::contest;

fn main() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("contest: {error}");
            ExitCode::from(2)
        }
    }
}

fn answer() -> Result<(), Box<dyn Error>> {
    let Some(argument) = std::env::args().nth(1) else {
        return Err(
            "needs a request; `cargo run -p benches --release -- compare` makes one".into(),
        );
    };
    let request = serde_json::from_str(&argument)?;
    let mut written = Ok(());
    contest::run(&request, |event| {
        let line = serde_json::to_string(event).map_err(std::io::Error::from);
        let write = line.and_then(|line| writeln!(std::io::stdout(), "{line}"));
        if written.is_ok() {
            written = write;
        }
    });
    Ok(written?)
}
