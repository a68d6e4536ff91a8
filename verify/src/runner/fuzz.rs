//! Fuzzing, in processes of its own: what ends one of them, by itself or by a limit, is a finding.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::workspace::Workspace;
use super::{Stop, limits};
use crate::fuzz::{Corpus, Readers};
use crate::process;

/// A process's own time that reading an input twice may take: six times what the largest certificate takes on
/// a quiet core, for on a busy one a second does less.
const TIME: Duration = Duration::from_secs(10);
/// Bytes of memory that a process may have.
const MEMORY: u64 = 2 << 30;
/// Fuzzing ends after so many findings: those are fixed first.
const FINDINGS: usize = 20;

/// Reads inputs for so long, and tells how many, and what was wrong.
pub(super) fn all(workspace: &Workspace, seed: u64, seconds: u64) -> Result<String, Stop> {
    let corpus = Corpus::read(workspace.root())?;
    let progress = tempfile::NamedTempFile::new()?;
    let (mut number, mut spent, mut findings) = (0, 0, Vec::new());
    while spent < seconds && findings.len() < FINDINGS {
        let mut worker = std::process::Command::new("nice");
        worker.arg(std::env::current_exe()?);
        worker.args(["fuzz", "--seed", &seed.to_string()]);
        worker.args(["--patience", &workspace.patience().to_string()]);
        worker.args(["--input", &number.to_string()]);
        worker.args(["--seconds", &(seconds - spent).to_string()]);
        worker.arg("--worker").arg(progress.path());
        // A panic's message says enough; the command that is told shows more.
        worker.env("RUST_BACKTRACE", "0");
        // At low priority it waits for whatever else there is to do.
        let limit = limits::TESTS + Duration::from_secs(2 * seconds);
        let ended = process::output(&mut worker, workspace.limit(limit));
        let ended = ended.map_err(|error| Stop::of_program("fuzzing", &error))?;
        let reached = fs::read_to_string(progress.path())?;
        let told = String::from_utf8_lossy(&ended.stderr);
        let at = reached.split_once(' ');
        let at = at.and_then(|(n, own)| Some((n.parse().ok()?, own.parse::<u64>().ok()?)));
        let (reached, own) = at.ok_or_else(|| {
            Stop::Blocked(format!("fuzzing did not begin: {}: {told}", ended.status))
        })?;
        (number, spent) = (reached, spent + own);
        if !ended.status.success() {
            let input = corpus.input(seed, number);
            let file = format!("fuzz-{seed}-{number}.txt");
            let file = workspace.scratch()?.join(file);
            fs::write(&file, &input.text)?;
            findings.push(format!(
                "{:?} in place of {}: {}: {}\n    {}\n    cargo verify fuzz --seed {seed} --input {number}",
                input.reader,
                input.file,
                ended.status,
                told.trim(),
                workspace.relative(&file).display(),
            ));
            number += 1;
        }
    }
    let told = format!("fuzzing: {number} inputs in {spent} s of its own time, seed {seed}");
    match findings.is_empty() {
        true => Ok(told),
        false => Err(Stop::Failed(format!("{told}\n  {}", findings.join("\n  ")))),
    }
}

/// What a worker does, with no more stack than threads have.
pub(super) fn in_thread(
    workspace: &Workspace,
    seed: u64,
    number: u64,
    worker: Option<(&Path, u64)>,
) -> Result<(), Stop> {
    let read = || read(workspace, seed, number, worker);
    let ended = std::thread::scope(|scope| scope.spawn(read).join());
    ended.unwrap_or_else(|_| Err(Stop::Failed("a reader panicked".to_owned())))
}

/// Reads one input, or with `worker` all from it on until time is up, writing there which it is at.
///
/// # Panics
/// Where a reader does, or reads the same otherwise when it reads it again.
fn read(
    workspace: &Workspace,
    seed: u64,
    mut number: u64,
    worker: Option<(&Path, u64)>,
) -> Result<(), Stop> {
    let corpus = Corpus::read(workspace.root())?;
    let readers = Readers::new(workspace.root(), &corpus)?;
    bound_memory()?;
    loop {
        if let Some((progress, _)) = worker {
            fs::write(progress, format!("{number} {}", own_time()?))?;
        }
        let input = corpus.input(seed, number);
        bound_time(workspace)?;
        let read = readers.read(&input);
        if read.is_ok() {
            assert!(readers.read(&input) == read, "read otherwise again");
        }
        match worker {
            Some((_, seconds)) if own_time()? < seconds => number += 1,
            Some((progress, _)) => {
                let at = format!("{} {}", number + 1, own_time()?);
                return Ok(fs::write(progress, at)?);
            }
            None => {
                match read {
                    Ok(_) => println!("{:?} in place of {}: accepted", input.reader, input.file),
                    Err(why) => println!("{:?} in place of {}: {why}", input.reader, input.file),
                }
                return Ok(());
            }
        }
    }
}

/// Seconds that this process has run for: time in which others run is not counted.
fn own_time() -> Result<u64, Stop> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the time is there to be written.
    done(unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) })?;
    Ok(time.tv_sec.cast_unsigned())
}

/// Whoever allocates more is ended.
fn bound_memory() -> Result<(), Stop> {
    let limit = libc::rlimit {
        rlim_cur: MEMORY,
        rlim_max: MEMORY,
    };
    // SAFETY: the limit is there for as long as the call lasts.
    let set = unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
    done(set)
}

/// Starts the clock again after which a signal ends this process. It stands still while others run.
fn bound_time(workspace: &Workspace) -> Result<(), Stop> {
    let limit = workspace.limit(TIME);
    let timer = libc::itimerval {
        it_interval: libc::timeval {
            tv_sec: 0,
            tv_usec: 0,
        },
        it_value: libc::timeval {
            tv_sec: limit.as_secs().cast_signed(),
            tv_usec: 0,
        },
    };
    // SAFETY: the timer is there for as long as the call lasts; the old one is not asked for.
    let set = unsafe { libc::setitimer(libc::ITIMER_PROF, &timer, std::ptr::null_mut()) };
    done(set)
}

fn done(status: i32) -> Result<(), Stop> {
    match status {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error().into()),
    }
}
