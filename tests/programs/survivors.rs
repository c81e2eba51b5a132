//! Starts and ends servers that leave a process behind, thousands of times, and counts what is left: `survivors COUNT`.
//! Half of them are ended by Stop, half by killing the program that started them. Each of these is a process of its own
//! that uses the transport and the guard as the application does, without a window and a database.

use std::io::{self, BufRead, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use vestibule_tests::naming;
use vestibule_transport::guard::GuardHandle;
use vestibule_transport::stdio::{LaunchSpec, Patience, StdioTransport};
use vestibule_transport::{Incoming, Transport};

/// How many programs start servers at the same time.
const AT_ONCE: usize = 4;
/// How many servers one program starts before it is replaced, where it is not killed.
const BATCH: usize = 100;
/// How long the last killed programs' servers may take.
const LAST: Duration = Duration::from_secs(30);
/// Starts a process without a parent that ignores being asked to end, then writes a line and waits for its input to end.
const SERVER: &str = r#"setsid sh -c 'sh -c "$1" "$0" <&- >&- 2>&- & exit' "$0" 'trap "" TERM HUP; while :; do sleep 1000; done'
echo started; while read -r line; do :; done"#;

pub(crate) fn main(mut args: impl Iterator<Item = String>) -> ExitCode {
    let count = args.next();
    match (count.as_deref(), args.next(), args.next()) {
        (Some("stop"), Some(mark), Some(count)) => host(&mark, count.parse().expect("a number")),
        (Some("wait"), Some(mark), None) => host(&mark, 0),
        (Some(count), None, None) => count_survivors(count.parse().expect("a number")),
        _ => ExitCode::from(2),
    }
}

fn count_survivors(count: usize) -> ExitCode {
    let mark = format!("vestibule-survivors-{}", std::process::id());
    let begun = Instant::now();
    let (mut stopped, mut killed, mut failed) = (0, 0, 0);
    while stopped < count / 2 {
        let each = BATCH.min((count / 2 - stopped).div_ceil(AT_ONCE));
        let number = each.to_string();
        let start = |index| Host::start(&["stop", &format!("{mark}-{index}-"), &number]);
        let hosts: Vec<Host> = (0..AT_ONCE).map(start).collect();
        for host in hosts {
            failed += usize::from(!host.ended_well());
        }
        stopped += each * AT_ONCE;
        progress("stopped", stopped, begun);
    }
    while killed < count - count / 2 {
        let batch = AT_ONCE.min(count - count / 2 - killed);
        let hosts: Vec<Host> = (0..batch).map(|_| Host::start(&["wait", &mark])).collect();
        for host in hosts {
            failed += usize::from(!host.killed_when_started());
        }
        killed += batch;
        progress("killed", killed, begun);
    }
    let took = begun.elapsed();
    let survivors = survivors(&mark);
    println!(
        "{stopped} servers stopped, {killed} programs killed in {} s ({:.0} a minute); {failed} failed to start; \
         {} processes survived",
        took.as_secs(),
        60.0 * (stopped + killed) as f64 / took.as_secs_f64(),
        survivors.len()
    );
    for (number, line) in &survivors {
        println!("  {number} {line}");
    }
    match (failed, survivors.is_empty()) {
        (0, true) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// What is left after everything had its time.
fn survivors(mark: &str) -> Vec<(i32, String)> {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let end = Instant::now() + LAST;
    loop {
        let mut left = naming(mark);
        left.retain(|(number, _)| *number != own);
        if left.is_empty() || Instant::now() >= end {
            return left;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn progress(what: &str, count: usize, begun: Instant) {
    if count.is_multiple_of(400) {
        println!("{what} {count} after {} s", begun.elapsed().as_secs());
    }
}

/// A program that starts servers.
struct Host {
    child: Child,
    said: Lines<BufReader<ChildStdout>>,
}

impl Host {
    #[expect(clippy::disallowed_methods, reason = "it stands in for the application")]
    fn start(args: &[&str]) -> Self {
        let own = std::env::current_exe().expect("our own path");
        let mut child = Command::new(own)
            .arg("survivors")
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a program");
        let said = BufReader::new(child.stdout.take().expect("its output")).lines();
        Self { child, said }
    }

    fn ended_well(mut self) -> bool {
        self.child.wait().is_ok_and(|status| status.success())
    }

    /// Kills it once its server has said that it left something behind.
    fn killed_when_started(mut self) -> bool {
        let started = self
            .said
            .next()
            .is_some_and(|line| line.is_ok_and(|line| line == "started"));
        let _ = self.child.kill();
        let _ = self.child.wait();
        started
    }
}

/// Starts and stops servers one after the other; with a count of 0 starts one and waits to be killed.
fn host(mark: &str, count: usize) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let program = std::env::current_exe()
            .expect("our own path")
            .with_file_name("vestibule-guard");
        let guard = GuardHandle::start(program, Vec::new()).await.expect("a guard");
        for _ in 0..count {
            let mut server = started(&guard, mark).await;
            server.close().await;
            if !naming(mark).iter().all(|(_, line)| line.contains("survivors")) {
                eprintln!("a server was reported as ended before all of it had");
                return ExitCode::FAILURE;
            }
        }
        if count > 0 {
            return ExitCode::SUCCESS;
        }
        let _server = started(&guard, mark).await;
        println!("started");
        let _ = io::stdout().flush();
        std::future::pending().await
    })
}

#[expect(clippy::disallowed_methods, reason = "it stands in for the application")]
async fn started(guard: &GuardHandle, mark: &str) -> StdioTransport {
    let launch = LaunchSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), SERVER.into(), mark.into()],
        env: Vec::new(),
        cwd: "/".into(),
        search_path: "/usr/bin:/bin".into(),
        files: Vec::new(),
    };
    let mut server = StdioTransport::spawn(launch, guard, Patience::default())
        .await
        .expect("a server");
    loop {
        match server.receive().await {
            Incoming::Frame(frame) if frame == "started" => return server,
            Incoming::Closed(reason) => panic!("{reason}"),
            _ => {}
        }
    }
}
