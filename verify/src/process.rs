//! Programs with a time limit, each in a process group of its own: what hangs is ended, together
//! with all that it has started.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks at a running program.
const PAUSE: Duration = Duration::from_millis(20);

/// The groups that are running. A signal from the keyboard does not reach them, so it is passed on.
static GROUPS: [AtomicI32; 64] = [const { AtomicI32::new(0) }; 64];

/// Runs a program to its end, or ends it ([`io::ErrorKind::TimedOut`]); its output goes where ours
/// goes.
pub(crate) fn status(command: &mut Command, limit: Duration) -> io::Result<ExitStatus> {
    Group::start(command)?.wait(limit, || 0)
}

/// As [`status`], but the clock starts anew whenever `progress` changes.
pub(crate) fn status_while(
    command: &mut Command,
    limit: Duration,
    progress: impl FnMut() -> u64,
) -> io::Result<ExitStatus> {
    Group::start(command)?.wait(limit, progress)
}

/// As [`status`], and keeps what the program prints.
pub(crate) fn output(command: &mut Command, limit: Duration) -> io::Result<Output> {
    let (stdout, stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null());
    command.stdout(stdout.try_clone()?);
    command.stderr(stderr.try_clone()?);
    let status = status(command, limit)?;
    let printed = |mut file: File| {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        io::Result::Ok(bytes)
    };
    Ok(Output {
        status,
        stdout: printed(stdout)?,
        stderr: printed(stderr)?,
    })
}

/// A program and everything that it starts.
struct Group {
    child: Child,
    slot: Option<&'static AtomicI32>,
}

impl Group {
    fn start(command: &mut Command) -> io::Result<Self> {
        pass_signals_on();
        let child = command.process_group(0).spawn()?;
        let group = child.id().cast_signed();
        let free = |slot: &&AtomicI32| {
            let taken = slot.compare_exchange(0, group, Ordering::SeqCst, Ordering::SeqCst);
            taken.is_ok()
        };
        let slot = GROUPS.iter().find(free);
        Ok(Self { child, slot })
    }

    fn wait(
        &mut self,
        limit: Duration,
        mut progress: impl FnMut() -> u64,
    ) -> io::Result<ExitStatus> {
        let (mut since, mut last) = (Instant::now(), progress());
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            let now = progress();
            if now != last {
                (since, last) = (Instant::now(), now);
            }
            if since.elapsed() >= limit {
                self.end()?;
                let message = format!("ended: not done after {}", spoken(limit));
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            thread::sleep(PAUSE);
        }
    }

    /// Ends the group. Its leader has not been waited for, so the number is still its own.
    fn end(&mut self) -> io::Result<()> {
        signal(self.child.id().cast_signed(), libc::SIGKILL);
        self.child.wait().map(drop)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            slot.store(0, Ordering::SeqCst);
        }
    }
}

fn signal(group: i32, number: i32) {
    // SAFETY: `kill` has no preconditions; groups that are gone are an error that does not matter.
    unsafe { libc::kill(-group, number) };
}

fn pass_signals_on() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for number in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            let handler = pass_on as extern "C" fn(i32);
            // SAFETY: the handler only calls what may be called in one: `kill`, `signal`, `raise`.
            unsafe { libc::signal(number, handler as libc::sighandler_t) };
        }
    });
}

/// Ends the groups, and then this process in the way in which it was to end.
extern "C" fn pass_on(number: i32) {
    for slot in &GROUPS {
        match slot.load(Ordering::SeqCst) {
            0 => {}
            group => signal(group, number),
        }
    }
    // SAFETY: neither has preconditions; the signal is delivered when this handler returns.
    unsafe {
        libc::signal(number, libc::SIG_DFL);
        libc::raise(number);
    }
}

fn spoken(limit: Duration) -> String {
    match limit.as_secs() {
        0 => format!("{} ms", limit.as_millis()),
        seconds if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_sleeps_is_ended_with_all_that_it_started() {
        let start = Instant::now();
        let error = output(
            &mut shell("sleep 600 & sleep 600"),
            Duration::from_millis(300),
        );
        let error = error.expect_err("it sleeps");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(error.to_string(), "ended: not done after 300 ms");
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn what_is_done_in_time_tells_how_it_went() {
        let limit = Duration::from_secs(60);
        let output = output(&mut shell("echo out; echo err >&2; exit 3"), limit).expect("runs");
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(
            (output.stdout.as_slice(), output.stderr.as_slice()),
            (b"out\n".as_slice(), b"err\n".as_slice())
        );
        assert!(status(&mut shell("true"), limit).expect("runs").success());
    }

    #[test]
    fn the_clock_starts_anew_with_progress() {
        let mut looks = 0;
        let progress = || {
            looks += 1;
            looks
        };
        let limit = Duration::from_millis(200);
        let status = status_while(&mut shell("sleep 1"), limit, progress);
        assert!(status.expect("it is not ended").success());
        assert!(status_while(&mut shell("sleep 600"), limit, || 7).is_err());
    }
}
