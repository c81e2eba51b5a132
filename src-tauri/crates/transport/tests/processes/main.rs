//! Real children: how they start, how they end, and that nothing of them is left, whatever happens to us.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests start the programs they look at"
)]
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod daemons;
mod opening;
mod servers;
mod survival;

use std::path::Path;
use std::time::{Duration, Instant};

use tokio::time::timeout;
use vestibule_transport::guard::GuardHandle;
use vestibule_transport::stdio::{LaunchSpec, Patience, StdioTransport};
use vestibule_transport::{CloseReason, Incoming, Outgoing, Transport};

const FIXTURE: &str = env!("CARGO_BIN_EXE_guard-fixture");
/// Only a bound against hanging; nothing waits this long when all is well.
const BOUND: Duration = Duration::from_secs(20);
const QUICK: Patience = Patience {
    after_end_of_input: Duration::from_millis(300),
    after_signal: Duration::from_millis(300),
    after_kill: HALF,
    while_not_reading: Duration::from_millis(300),
};

/// For servers that go when they are told to, however busy the machine is.
const POLITE: Patience = Patience {
    after_end_of_input: HALF,
    after_signal: HALF,
    after_kill: HALF,
    while_not_reading: HALF,
};
/// For servers that go when they are asked by signal.
const FIRM: Patience = Patience {
    after_end_of_input: QUICK.after_end_of_input,
    ..POLITE
};
const HALF: Duration = Duration::from_secs(10);

async fn guard() -> GuardHandle {
    GuardHandle::start(FIXTURE.into(), vec!["guard".into()])
        .await
        .unwrap()
}

fn launch(program: &str, args: &[&str]) -> LaunchSpec {
    LaunchSpec {
        program: program.into(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        cwd: "/".into(),
        search_path: "/usr/bin:/bin".into(),
        files: Vec::new(),
    }
}

fn outgoing(frame: Vec<u8>) -> Outgoing {
    Outgoing::notification(frame, "test")
}

async fn shell(guard: &GuardHandle, script: &str) -> StdioTransport {
    patient_shell(guard, script, QUICK).await
}

async fn patient_shell(guard: &GuardHandle, script: &str, patience: Patience) -> StdioTransport {
    StdioTransport::spawn(launch("/bin/sh", &["-c", script]), guard, patience)
        .await
        .unwrap()
}

async fn next(server: &mut StdioTransport) -> Incoming {
    timeout(BOUND, server.receive()).await.expect("something happens")
}

async fn line(server: &mut StdioTransport) -> String {
    loop {
        match next(server).await {
            Incoming::Frame(frame) => return String::from_utf8(frame.to_vec()).unwrap(),
            Incoming::Diagnostic(_) => {}
            other => panic!("a line was expected, not {other:?}"),
        }
    }
}

async fn end(server: &mut StdioTransport) -> CloseReason {
    loop {
        if let Incoming::Closed(reason) = next(server).await {
            return reason;
        }
    }
}

/// A process that has ended but was not collected by its parent counts as gone.
fn runs(process: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| {
        !stat
            .rsplit_once(") ")
            .is_some_and(|(_, state)| state.starts_with(['Z', 'X']))
    })
}

fn wait_until_gone(processes: &[i32]) {
    let end = Instant::now() + BOUND;
    while let Some(survivor) = processes.iter().find(|process| runs(**process)) {
        assert!(Instant::now() < end, "process {survivor} survived");
        std::thread::yield_now();
    }
}

fn numbers(line: &str) -> Vec<i32> {
    line.split_whitespace()
        .map(|number| number.parse().unwrap())
        .collect()
}

/// Ignores being asked, and has a child and a grandchild that do as well; prints all three numbers.
const STUBBORN: &str = r#"trap '' TERM
sh -c 'trap "" TERM; sleep 1000 & echo "$1 $$ $!"; wait' sh $$ &
while :; do sleep 1000; done"#;

/// Starts a process that forks, begins a session of its own and forks again, so that its parent is gone and nothing
/// leads to it. It ignores being asked. Its number is printed.
const DAEMONISING: &str = r#"setsid sh -c 'sh -c "trap \"\" TERM HUP; echo \$\$; exec sleep 1000" <&- & exit'
while read -r line; do :; done"#;

/// Another process writes it. While this process has a file open for writing, a test beside can fork, and the system
/// starts no program from the file until the child has closed it ("Text file busy").
fn program(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    let written = std::process::Command::new("/bin/sh")
        .args(["-c", r#"printf %s "$1" > "$0" && chmod 755 "$0""#])
        .args([path.as_os_str(), text.as_ref()])
        .status();
    assert!(written.unwrap().success());
    path.to_str().unwrap().to_owned()
}
