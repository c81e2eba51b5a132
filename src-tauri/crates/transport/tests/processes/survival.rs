use std::future::poll_fn;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::time::timeout;
use vestibule_transport::guard::GuardHandle;
use vestibule_transport::stdio::StdioTransport;
use vestibule_transport::{SpawnError, Transport};

use super::{
    BOUND, DAEMONISING, FIXTURE, QUICK, STUBBORN, end, launch, line, numbers, program, runs, shell,
    wait_until_gone,
};

fn app(script: &str) -> Child {
    let mut command = Command::new(FIXTURE);
    command.args(["app", "/bin/sh", "-c", script]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn no_server_survives_an_app_that_is_killed() {
    let mut app = app(STUBBORN);
    let mut lines = BufReader::new(app.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "starting");
    let family = numbers(&lines.next().unwrap().unwrap());
    assert!(family.iter().all(|process| runs(*process)));
    app.kill().unwrap();
    app.wait().unwrap();
    wait_until_gone(&family);
}

#[cfg(target_os = "linux")]
#[test]
fn no_server_survives_an_app_that_is_killed_while_it_starts_one() {
    let mark = format!("vestibule-race-{}", std::process::id());
    let script = format!("trap '' TERM; : {mark}; while :; do sleep 1000; done");
    for step in 0..40 {
        let mut app = app(&script);
        let mut out = BufReader::new(app.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line, "starting\n");
        // Killed at another moment of the start each time, from before the fork to after the exec.
        let moment = Instant::now() + Duration::from_micros(step * 250);
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        app.kill().unwrap();
        app.wait().unwrap();
    }
    let marked = || -> Vec<i32> {
        let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse().ok();
        let processes = std::fs::read_dir("/proc").unwrap().flatten().filter_map(number);
        let is_marked = |process: &i32| {
            let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&mark)
        };
        processes.filter(is_marked).collect()
    };
    let end = Instant::now() + BOUND;
    while !marked().is_empty() {
        assert!(Instant::now() < end, "{:?} survived", marked());
        std::thread::yield_now();
    }
}

/// The application dies between the start of the parent process and the end of its launch.
#[test]
fn a_parent_process_without_a_whole_launch_starts_nothing_and_leaves() {
    for input in [&b""[..], b"L", b"L\xff\xff\0\0{\"program\":", b"k", b"go\n"] {
        let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let mut parent = Command::new(FIXTURE)
            .args(["guard", "parent"])
            .stdin(std::os::fd::OwnedFd::from(theirs))
            .spawn()
            .unwrap();
        // It may have left before all of it was written.
        let _ = ours.write_all(input);
        drop(ours);
        parent.wait().unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_daemonised_does_not_survive_an_app_that_is_killed() {
    let mut app = app(DAEMONISING);
    let mut lines = BufReader::new(app.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "starting");
    let daemon = numbers(&lines.next().unwrap().unwrap());
    assert!(daemon.iter().all(|process| runs(*process)));
    app.kill().unwrap();
    app.wait().unwrap();
    wait_until_gone(&daemon);
}

/// A guard's program that writes its number to a file where it has this role, so that a test can end it or wait for it.
fn telling_guard(folder: &Path, role: &str) -> (PathBuf, PathBuf) {
    let numbers = folder.join("numbers");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = {role} ] && echo $$ >> '{}'\nexec '{FIXTURE}' guard \"$@\"\n",
        numbers.display()
    );
    (program(folder, "guard", &script).into(), numbers)
}

/// The user stops a server at any moment of its start, which drops the start: no program runs afterwards.
#[tokio::test]
async fn a_start_that_is_dropped_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (guard, told) = telling_guard(folder.path(), "parent");
    let guard = GuardHandle::start(guard, Vec::new()).await.unwrap();
    let ran = |polls: usize| folder.path().join(format!("ran-{polls}"));
    // More than a socket takes at once, so that the launch is sent in several parts.
    let padding = "x".repeat(100_000);
    let start = async |polls: usize| {
        let path = ran(polls);
        let (path, padding) = (path.to_str().unwrap(), padding.as_str());
        let launch = launch("/bin/sh", &["-c", ": > \"$0\"", path, padding, padding]);
        polled(StdioTransport::spawn(launch, &guard, QUICK), polls).await
    };
    let mut polls = 1;
    let mut server = loop {
        match start(polls).await {
            Some(server) => break server.unwrap(),
            None => polls += 1,
        }
    };
    assert!(polls > 2, "it was not dropped while the launch was sent");
    end(&mut server).await;
    assert!(ran(polls).exists(), "the program does not show that it ran");
    wait_until_gone(&written_numbers(&told, polls));
    for dropped in 1..polls {
        assert!(!ran(dropped).exists(), "dropped after {dropped} polls");
    }
}

/// What comes of a future that is dropped instead of being polled more often than this.
async fn polled<F: Future>(future: F, times: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = times;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(cx).map(Some)
    })
    .await
}

/// Waits until this many numbers are in a file.
fn written_numbers(file: &Path, count: usize) -> Vec<i32> {
    let end = Instant::now() + BOUND;
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if text.lines().count() == count {
            return numbers(&text);
        }
        assert!(Instant::now() < end, "{text:?} has not {count} numbers");
        std::thread::yield_now();
    }
}

#[test]
fn a_guard_that_dies_is_replaced_and_told_of_every_living_server() {
    let folder = tempfile::tempdir().unwrap();
    let (program, told) = telling_guard(folder.path(), "watch");
    let guards = || numbers(&std::fs::read_to_string(&told).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let (family, servers) = runtime.block_on(async {
        let guard = GuardHandle::start(program, Vec::new()).await.unwrap();
        let mut first = shell(&guard, STUBBORN).await;
        let mut family = numbers(&line(&mut first).await);
        kill(guards()[0], "-KILL");
        let mut second = shell(&guard, STUBBORN).await;
        family.extend(numbers(&line(&mut second).await));
        (family, (first, second))
    });
    assert_eq!(guards().len(), 2);
    assert!(family.iter().all(|process| runs(*process)));
    // As when the app is killed: nothing of ours runs any more and the pipe closes. Only the guard can end
    // the servers now, and the first of them was started before it.
    std::mem::forget(servers);
    drop(runtime);
    wait_until_gone(&family);
}

#[tokio::test]
async fn a_guard_that_is_asked_to_end_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (program, told) = telling_guard(folder.path(), "watch");
    let guard = GuardHandle::start(program, Vec::new()).await.unwrap();
    let number = numbers(&std::fs::read_to_string(&told).unwrap())[0];
    #[cfg(target_os = "linux")]
    assert_eq!(
        session_of(number),
        Some(number),
        "a signal of our terminal would reach it"
    );
    for signal in ["-TERM", "-INT", "-HUP"] {
        kill(number, signal);
    }
    let mut server = shell(&guard, "echo ready; cat").await;
    assert_eq!(line(&mut server).await, "ready");
    assert!(runs(number));
    assert_eq!(
        numbers(&std::fs::read_to_string(&told).unwrap()),
        [number],
        "it was replaced"
    );
    timeout(BOUND, server.close()).await.unwrap();
    drop(server);
    drop(guard);
    timeout(
        BOUND,
        tokio::task::spawn_blocking(move || wait_until_gone(&[number])),
    )
    .await
    .unwrap()
    .unwrap();
}

#[cfg(target_os = "linux")]
fn session_of(process: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(3)?.parse().ok()
}

fn kill(process: i32, signal: &str) {
    assert!(
        Command::new("/bin/kill")
            .args([signal, &process.to_string()])
            .status()
            .unwrap()
            .success()
    );
}

#[tokio::test]
async fn a_guard_that_does_not_work_lets_nothing_start() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        GuardHandle::start("guard".into(), Vec::new()).await,
        Err(SpawnError::Guard(_))
    ));
    assert!(matches!(
        GuardHandle::start("/bin/true".into(), Vec::new()).await,
        Err(SpawnError::Guard(_))
    ));

    let once = folder.path().join("once");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = watch ] || exec '{FIXTURE}' guard \"$@\"\n[ -e '{0}' ] && exit 1\n: > '{0}'\necho ready\nexit 0\n",
        once.display()
    );
    let guard = GuardHandle::start(program(folder.path(), "guard", &script).into(), Vec::new())
        .await
        .unwrap();
    let seen = folder.path().join("seen");
    let launch = launch("/bin/sh", &["-c", "echo > \"$0\"", seen.to_str().unwrap()]);
    let error = timeout(BOUND, StdioTransport::spawn(launch, &guard, QUICK))
        .await
        .unwrap()
        .err();
    assert!(matches!(error, Some(SpawnError::Guard(_))), "{error:?}");
    assert!(!seen.exists());
}

#[test]
fn the_guard_ends_the_groups_it_knows_when_its_pipe_closes_and_no_others() {
    let group = |script: &str| {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", script])
            .process_group(0)
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdout.take().unwrap().read_exact(&mut [0; 6]).unwrap();
        child
    };
    const READY: &str = "trap '' TERM; echo ready; while :; do sleep 1000; done";
    let (mut known, mut removed) = (group(READY), group(READY));
    let mut guard = Command::new(FIXTURE)
        .args(["guard", "watch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut orders = guard.stdin.take().unwrap();
    let mut answers = BufReader::new(guard.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert_eq!(answers.next().unwrap(), "ready");
    for order in [
        format!("add {}", known.id()),
        format!("add {}", removed.id()),
        format!("remove {}", removed.id()),
    ] {
        writeln!(orders, "{order}").unwrap();
        assert_eq!(answers.next().unwrap(), order);
    }
    writeln!(orders, "add 1").unwrap();
    assert_eq!(answers.next().unwrap(), "what?");
    drop(orders);
    assert!(guard.wait().unwrap().success());
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(known.wait().unwrap().signal(), Some(9));
    assert!(
        removed.try_wait().unwrap().is_none(),
        "a group that was taken off the list was ended"
    );
    let group = format!("-{}", removed.id());
    assert!(
        Command::new("/bin/kill")
            .args(["-KILL", "--", &group])
            .status()
            .unwrap()
            .success()
    );
    removed.wait().unwrap();
}
