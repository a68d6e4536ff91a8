//! The kernel suite as a program of its own: light enough to be cross-built, and alone in its
//! process, so that a kernel that faults takes nothing else with it.

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::process::ExitCode;

use verify::corpus;
use verify::request::Request;
use verify::suite;
use verify::suite::report::Event;
use verify::trace::{locate, trace};

const USAGE: &str = "This program is run by `cargo verify`. It reads one argument: a request, in JSON, that \
                     says which kernels to test. To test kernels, run `cargo verify`.";

fn main() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kernels: {error}");
            ExitCode::from(2)
        }
    }
}

fn answer() -> Result<(), Box<dyn Error>> {
    let Some(argument) = std::env::args().nth(1) else {
        return Err(format!("no request was given. {USAGE}").into());
    };
    if ["--help", "-h"].contains(&argument.as_str()) {
        println!("{USAGE}");
        return Ok(());
    }
    let request = serde_json::from_str(&argument);
    match request.map_err(|error| format!("the argument is not a request ({error}). {USAGE}"))? {
        Request::Locate => println!("{}", serde_json::to_string(&locate())?),
        Request::Run {
            plan,
            corpus,
            events,
            guest,
        } => {
            if !guest.is_empty() {
                suite::guest::start(&guest)?;
            }
            let corpus = corpus::read(&corpus)?;
            let mut lines = File::create(events)?;
            let mut written = Ok(());
            suite::run(&plan, &corpus, |event| {
                // One write a line, unbuffered: the last line must be there if the next one faults.
                let line = serde_json::to_string(event).map_err(std::io::Error::from);
                let write = line.and_then(|line| lines.write_all(format!("{line}\n").as_bytes()));
                if let Event::End(report) = event {
                    eprintln!("{report}");
                }
                if written.is_ok() {
                    written = write;
                }
            });
            written?;
        }
        Request::Trace { kernel } => println!("{}", serde_json::to_string(&trace(&kernel)?)?),
    }
    Ok(())
}
