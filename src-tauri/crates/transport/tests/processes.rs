//! Real children: how they start, how they end, and that nothing of them is left, whatever happens to us.

#![allow(
    clippy::disallowed_methods,
    reason = "these tests start the programs they look at"
)]
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::time::timeout;
use vestibule_transport::guard::Guard;
use vestibule_transport::stdio::{Launch, Patience, StdioTransport};
use vestibule_transport::{CloseCause, CloseReason, Exit, Incoming, SendError, SpawnError, Transport};

const FIXTURE: &str = env!("CARGO_BIN_EXE_guard-fixture");
/// Only a bound against hanging; nothing waits this long when all is well.
const BOUND: Duration = Duration::from_secs(20);
const QUICK: Patience = Patience {
    after_end_of_input: Duration::from_millis(300),
    after_signal: Duration::from_millis(300),
    while_not_reading: Duration::from_millis(300),
};

async fn guard() -> Guard {
    Guard::start(FIXTURE.into(), vec!["guard".into()]).await.unwrap()
}

fn launch(program: &str, args: &[&str]) -> Launch {
    Launch {
        program: program.into(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        cwd: "/".into(),
        search_path: "/usr/bin:/bin".into(),
    }
}

async fn shell(guard: &Guard, script: &str) -> StdioTransport {
    StdioTransport::spawn(launch("/bin/sh", &["-c", script]), guard, QUICK)
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

/// STD-002, STD-010.
#[tokio::test]
async fn a_server_that_leaves_when_its_input_ends_is_not_signalled() {
    let guard = guard().await;
    let mut server = shell(
        &guard,
        "while read -r line; do echo \"got $line\"; done; echo bye >&2; exit 3",
    )
    .await;
    server.send(b"one".to_vec()).unwrap();
    server.send(b"two".to_vec()).unwrap();
    assert_eq!(line(&mut server).await, "got one");
    assert_eq!(line(&mut server).await, "got two");
    let reason = timeout(BOUND, server.close()).await.unwrap();
    assert_eq!(reason.cause, CloseCause::Asked);
    assert_eq!(
        reason.exit,
        Some(Exit {
            code: Some(3),
            signal: None
        })
    );
    assert_eq!(reason.diagnostics, ["bye"]);
    assert_eq!(server.send(b"late".to_vec()), Err(SendError::Closed));
}

/// STD-011.
#[tokio::test]
async fn a_server_that_ignores_everything_is_ended_with_all_it_started() {
    let guard = guard().await;
    let mut server = shell(&guard, STUBBORN).await;
    let family = numbers(&line(&mut server).await);
    assert_eq!(family.len(), 3);
    let begun = Instant::now();
    let reason = timeout(BOUND, server.close()).await.unwrap();
    assert_eq!(
        reason.exit,
        Some(Exit {
            code: None,
            signal: Some(9)
        })
    );
    assert!(
        begun.elapsed() >= QUICK.after_end_of_input + QUICK.after_signal,
        "a stage was left out"
    );
    wait_until_gone(&family);
}

/// STD-011.
#[tokio::test]
async fn a_server_that_ignores_its_input_is_asked_by_signal_first() {
    let guard = guard().await;
    let mut server = shell(
        &guard,
        "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done",
    )
    .await;
    assert_eq!(line(&mut server).await, "ready");
    let reason = timeout(BOUND, server.close()).await.unwrap();
    assert_eq!(
        reason.exit,
        Some(Exit {
            code: Some(5),
            signal: None
        })
    );
}

#[tokio::test]
async fn dropping_a_server_ends_all_it_started() {
    let guard = guard().await;
    let mut server = shell(&guard, STUBBORN).await;
    let family = numbers(&line(&mut server).await);
    drop(server);
    wait_until_gone(&family);
}

/// STD-012.
#[tokio::test]
async fn a_server_that_ends_by_itself_is_heard_out_and_leaves_nobody_behind() {
    let guard = guard().await;
    let mut server = shell(
        &guard,
        "sleep 1000 & echo $!; echo last words >&2; echo '{}'; exit 7",
    )
    .await;
    let child = numbers(&line(&mut server).await);
    assert_eq!(line(&mut server).await, "{}");
    let reason = end(&mut server).await;
    assert_eq!(reason.cause, CloseCause::Ended);
    assert_eq!(
        reason.exit,
        Some(Exit {
            code: Some(7),
            signal: None
        })
    );
    assert_eq!(reason.diagnostics, ["last words"]);
    wait_until_gone(&child);
    assert_eq!(end(&mut server).await, reason, "the end is told again");
}

/// STD-012.
#[tokio::test]
async fn a_server_that_only_closes_its_output_is_ended() {
    let guard = guard().await;
    let mut server = shell(&guard, "exec >&-; while :; do sleep 1000; done").await;
    let reason = end(&mut server).await;
    assert_eq!(reason.cause, CloseCause::Ended);
    assert_eq!(
        reason.exit,
        Some(Exit {
            code: None,
            signal: Some(15)
        })
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_left_the_group_is_found_through_its_parents() {
    let guard = guard().await;
    // The stray starts a child right after it has spoken, and the child another, while we are ending them.
    let stray =
        "trap \"\" TERM HUP; echo $$; sh -c \"echo \\$\\$; sleep 1000\" & while :; do sleep 1000; done";
    let mut server = shell(&guard, &format!("setsid sh -c '{stray}' & wait")).await;
    let strays = [
        numbers(&line(&mut server).await),
        numbers(&line(&mut server).await),
    ]
    .concat();
    let reason = timeout(BOUND, server.close()).await.unwrap();
    assert_eq!(
        reason.exit,
        Some(Exit {
            code: None,
            signal: Some(15)
        })
    );
    wait_until_gone(&strays);
}

#[tokio::test]
async fn a_server_that_does_not_read_neither_blocks_us_nor_stays() {
    let guard = guard().await;
    let mut server = shell(&guard, "while :; do echo tick; sleep 0.02; done").await;
    let mut accepted = 0;
    while server.send(vec![b'x'; 1024 * 1024]).is_ok() {
        accepted += 1;
    }
    assert_eq!(server.send(vec![b'x'; 1024 * 1024]), Err(SendError::Full));
    assert!((31..=33).contains(&accepted), "{accepted} MiB were queued");
    assert_eq!(line(&mut server).await, "tick", "reading goes on meanwhile");
    let reason = end(&mut server).await;
    assert_eq!(reason.cause, CloseCause::NotReading(QUICK.while_not_reading));
}

#[tokio::test]
async fn two_full_pipes_do_not_dead_lock() {
    let guard = guard().await;
    let mut server = shell(&guard, "cat").await;
    let frame = |n: u8| vec![b'a' + n; 1024 * 1024];
    for n in 0..8 {
        server.send(frame(n)).unwrap();
    }
    for n in 0..8 {
        assert!(
            line(&mut server).await.as_bytes() == frame(n),
            "frame {n} came back changed"
        );
    }
}

/// STD-006.
#[tokio::test]
async fn an_oversized_line_is_passed_over_in_bounded_memory() {
    let guard = guard().await;
    let script =
        "echo before; head -c 20000000 /dev/zero | tr '\\0' a; echo; printf '\\377\\n'; echo after; cat";
    let mut server = shell(&guard, script).await;
    assert_eq!(line(&mut server).await, "before");
    let Incoming::Junk { reason, sample } = next(&mut server).await else {
        panic!("no junk")
    };
    assert!(reason.contains("20000000 bytes") && sample.starts_with("aaa") && sample.len() < 300);
    let Incoming::Junk { reason, .. } = next(&mut server).await else {
        panic!("no junk")
    };
    assert!(reason.contains("UTF-8"));
    assert_eq!(line(&mut server).await, "after");
}

#[tokio::test]
async fn a_line_without_an_end_ends_the_connection() {
    let guard = guard().await;
    let mut server = shell(&guard, "echo before; cat /dev/zero").await;
    assert_eq!(line(&mut server).await, "before");
    let reason = end(&mut server).await;
    assert!(matches!(reason.cause, CloseCause::EndlessLine(_)), "{reason:?}");
}

/// STD-005.
#[tokio::test]
async fn a_server_that_floods_its_log_is_still_heard() {
    let guard = guard().await;
    let script = "head -c 3000000 /dev/zero | tr '\\0' '\\n' | sed 's/^/noise/' >&2; echo answer; cat";
    let mut server = shell(&guard, script).await;
    assert_eq!(line(&mut server).await, "answer");
}

#[tokio::test]
async fn a_server_gets_exactly_the_environment_it_was_given() {
    let guard = guard().await;
    let mut launch = launch("/usr/bin/env", &[]);
    launch.env = vec![("TOKEN".to_owned(), "t".into())];
    launch.cwd = "/usr".into();
    let mut server = StdioTransport::spawn(launch, &guard, QUICK).await.unwrap();
    let mut names = Vec::new();
    loop {
        match next(&mut server).await {
            Incoming::Frame(frame) => names.push(String::from_utf8(frame.to_vec()).unwrap()),
            Incoming::Closed(_) => break,
            _ => {}
        }
    }
    assert!(names.contains(&"TOKEN=t".to_owned()) && names.contains(&"PATH=/usr/bin:/bin".to_owned()));
    let allowed = [
        "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM", "PATH", "TOKEN",
    ];
    for name in names
        .iter()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
    {
        let passes = allowed.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_");
        assert!(passes, "{name} was passed on");
    }
}

#[tokio::test]
async fn what_can_not_be_started_is_told_apart_from_what_ended() {
    let guard = guard().await;
    let folder = tempfile::tempdir().unwrap();
    let spawn = |launch| StdioTransport::spawn(launch, &guard, QUICK);
    let relative = spawn(launch("sh", &[])).await.err();
    assert_eq!(relative, Some(SpawnError::NotAbsolute("sh".into())));
    let missing = spawn(launch("/nowhere/program", &[])).await.err();
    assert_eq!(
        missing,
        Some(SpawnError::NotExecutable("/nowhere/program".into()))
    );
    let mut no_folder = launch("/bin/sh", &[]);
    no_folder.cwd = folder.path().join("gone");
    let no_folder_path = no_folder.cwd.clone();
    assert_eq!(
        spawn(no_folder).await.err(),
        Some(SpawnError::NoFolder(no_folder_path))
    );

    let broken = program(folder.path(), "broken", "#!/nowhere/interpreter\n");
    let mut server = spawn(launch(&broken, &[])).await.unwrap();
    let reason = end(&mut server).await;
    let CloseCause::NotStarted(SpawnError::Refused(why)) = &reason.cause else {
        panic!("{reason:?}")
    };
    assert!(why.contains(&broken), "{why}");

    let mut server = shell(&guard, "echo not found >&2; exit 127").await;
    assert_eq!(end(&mut server).await.cause, CloseCause::Ended);
}

fn program(folder: &Path, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

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
    let begun = Instant::now();
    app.kill().unwrap();
    app.wait().unwrap();
    wait_until_gone(&family);
    assert!(begun.elapsed() < Duration::from_secs(5), "it took too long");
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

#[test]
fn the_helper_becomes_the_program_only_after_go_and_takes_no_more_of_its_input() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let run = |input: &[u8]| -> (Option<i32>, Option<Vec<u8>>) {
        let mut helper = Command::new(FIXTURE)
            .args(["guard", "exec", "--", "/bin/sh", "-c", "cat > \"$0\""])
            .arg(&seen)
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        helper.stdin.take().unwrap().write_all(input).unwrap();
        let code = helper.wait().unwrap().code();
        let content = std::fs::read(&seen).ok();
        let _ = std::fs::remove_file(&seen);
        (code, content)
    };
    assert_eq!(run(b""), (Some(0), None));
    assert_eq!(run(b"go"), (Some(0), None));
    assert_eq!(run(b"no\n"), (Some(127), None));
    assert_eq!(
        run(b"go\n{\"a\":1}\nrest"),
        (Some(0), Some(b"{\"a\":1}\nrest".to_vec()))
    );
}

/// A guard's program that writes its number to a file, so that a test can end it.
fn telling_guard(folder: &Path) -> (PathBuf, PathBuf) {
    let numbers = folder.join("numbers");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = watch ] && echo $$ >> '{}'\nexec '{FIXTURE}' guard \"$@\"\n",
        numbers.display()
    );
    (program(folder, "guard", &script).into(), numbers)
}

#[test]
fn a_guard_that_dies_is_replaced_and_told_of_every_living_server() {
    let folder = tempfile::tempdir().unwrap();
    let (program, told) = telling_guard(folder.path());
    let guards = || numbers(&std::fs::read_to_string(&told).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let (family, servers) = runtime.block_on(async {
        let guard = Guard::start(program, Vec::new()).await.unwrap();
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
    let (program, told) = telling_guard(folder.path());
    let guard = Guard::start(program, Vec::new()).await.unwrap();
    let number = numbers(&std::fs::read_to_string(&told).unwrap())[0];
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
        Guard::start("guard".into(), Vec::new()).await,
        Err(SpawnError::Guard(_))
    ));
    assert!(matches!(
        Guard::start("/bin/true".into(), Vec::new()).await,
        Err(SpawnError::Guard(_))
    ));

    let once = folder.path().join("once");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = watch ] || exec '{FIXTURE}' guard \"$@\"\n[ -e '{0}' ] && exit 1\n: > '{0}'\necho ready\nexit 0\n",
        once.display()
    );
    let guard = Guard::start(program(folder.path(), "guard", &script).into(), Vec::new())
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
