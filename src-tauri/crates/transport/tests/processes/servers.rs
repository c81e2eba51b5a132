use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Instant;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::time::timeout;
use vestibule_protocol::jsonrpc::RequestId;
use vestibule_transport::stdio::StdioTransport;
use vestibule_transport::{CloseCause, Exit, Incoming, RequestFailure, SendError, SpawnError, Transport};

use super::{
    BOUND, FIRM, FIXTURE, POLITE, QUICK, STUBBORN, end, guard, launch, line, next, numbers, outgoing,
    patient_shell, program, shell, wait_until_gone,
};

/// STD-002, STD-010, LC-013.
#[tokio::test]
async fn a_server_that_leaves_when_its_input_ends_is_not_signalled() {
    let guard = guard().await;
    let mut server = patient_shell(
        &guard,
        "while read -r line; do echo \"got $line\"; done; echo bye >&2; exit 3",
        POLITE,
    )
    .await;
    server.send(outgoing(b"one".to_vec())).unwrap();
    server.send(outgoing(b"two".to_vec())).unwrap();
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
    assert_eq!(server.send(outgoing(b"late".to_vec())), Err(SendError::Closed));
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
    let mut server = patient_shell(
        &guard,
        "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done",
        FIRM,
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
    let mut server = patient_shell(&guard, "exec >&-; while :; do sleep 1000; done", FIRM).await;
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
    let mut server = patient_shell(&guard, &format!("setsid sh -c '{stray}' & wait"), FIRM).await;
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
    while server.send(outgoing(vec![b'x'; 1024 * 1024])).is_ok() {
        accepted += 1;
    }
    assert_eq!(
        server.send(outgoing(vec![b'x'; 1024 * 1024])),
        Err(SendError::Full)
    );
    assert!((31..=33).contains(&accepted), "{accepted} MiB were queued");
    assert_eq!(line(&mut server).await, "tick", "reading goes on meanwhile");
    let reason = end(&mut server).await;
    assert_eq!(reason.cause, CloseCause::NotReading(QUICK.while_not_reading));
}

/// STD-011: an output that is always ready must not keep the stages of the end from their turn.
#[tokio::test]
async fn a_server_that_floods_its_output_and_ignores_being_asked_is_ended() {
    let guard = guard().await;
    let script = format!("trap '' TERM; exec '{FIXTURE}' flood");
    let mut server = shell(&guard, &script).await;
    let flooding = numbers(&line(&mut server).await);
    let reason = timeout(BOUND, server.close()).await.expect("it is ended");
    assert_eq!(reason.cause, CloseCause::Asked);
    assert_eq!(
        reason.exit,
        Some(Exit {
            code: None,
            signal: Some(9)
        })
    );
    wait_until_gone(&flooding);
}

/// STD-012: a server that is stopped counts as ended although another process, which is not ended with it, floods its output.
#[tokio::test]
async fn last_words_that_do_not_stop_are_cut_off() {
    let guard = guard().await;
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let lending = launch(FIXTURE, &["lend", socket.to_str().unwrap()]);
    let mut server = StdioTransport::spawn(lending, &guard, POLITE).await.unwrap();
    let flooding = std::thread::spawn(move || flood_lent(&listener));
    assert_eq!(line(&mut server).await, "{}");
    let reason = timeout(BOUND, server.close()).await.expect("an end in time");
    assert_eq!(reason.exit.and_then(|exit| exit.code), Some(7));
    drop(server);
    flooding.join().unwrap();
}

/// STD-012: the user learns how the server ended, although a process that is not ended with it floods one of its outputs.
#[tokio::test]
async fn the_end_of_a_server_is_noticed_although_another_process_floods_its_output() {
    let guard = guard().await;
    let folder = tempfile::tempdir().unwrap();
    for output in ["1", "2"] {
        let socket = folder.path().join(output);
        let listener = UnixListener::bind(&socket).unwrap();
        let script = format!("exec '{FIXTURE}' lend '{}' >&{output}", socket.display());
        let mut server = patient_shell(&guard, &script, POLITE).await;
        let flooding = std::thread::spawn(move || flood_lent(&listener));
        let reason = timeout(BOUND, end(&mut server)).await.expect("an end in time");
        assert_eq!(reason.cause, CloseCause::Ended, "{output}");
        assert_eq!(reason.exit.and_then(|exit| exit.code), Some(7), "{output}");
        drop(server);
        flooding.join().unwrap();
    }
}

/// Floods the output that a server lends. The server ends once the output is full for the first time.
fn flood_lent(listener: &UnixListener) {
    let (lender, _) = listener.accept().unwrap();
    let output = lent_descriptor(&lender);
    flood(&output, lender);
}

fn lent_descriptor(lender: &UnixStream) -> OwnedFd {
    let mut space = [MaybeUninit::uninit(); 64];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut first = [0];
    let mut first = [IoSliceMut::new(&mut first)];
    recvmsg(lender, &mut first, &mut control, RecvFlags::empty()).unwrap();
    let lent = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    lent.unwrap()
}

/// Keeps an output full until its reader is gone. Its lender ends after the first write.
fn flood(output: &OwnedFd, lender: UnixStream) {
    fcntl_setfl(output, OFlags::NONBLOCK).unwrap();
    let frames = b"{}\n".repeat(1 << 14);
    rustix::io::write(output, &frames).unwrap();
    drop(lender);
    while !matches!(rustix::io::write(output, &frames), Err(error) if error != Errno::AGAIN) {}
}

/// With a pipe as its output such a server puts our thread to sleep, and every other server with it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_splices_from_silence_freezes_nobody() {
    let guard = guard().await;
    let splicing = launch(FIXTURE, &["splice"]);
    let mut hostile = StdioTransport::spawn(splicing, &guard, POLITE).await.unwrap();
    let mut healthy = patient_shell(&guard, "cat", POLITE).await;
    assert_eq!(line(&mut hostile).await, "before");
    healthy.send(outgoing(b"here".to_vec())).unwrap();
    assert_eq!(line(&mut healthy).await, "here");
    assert_eq!(
        line(&mut hostile).await,
        "Err(Os { code: 22, kind: InvalidInput, message: \"Invalid argument\" })"
    );
    hostile.send(outgoing(b"still here".to_vec())).unwrap();
    assert_eq!(line(&mut hostile).await, "still here");
}

#[tokio::test]
async fn what_was_sent_right_before_the_end_still_arrives() {
    let guard = guard().await;
    let mut server = patient_shell(&guard, "cat >&2", POLITE).await;
    for word in ["one", "two", "three"] {
        server.send(outgoing(word.as_bytes().to_vec())).unwrap();
    }
    let reason = timeout(BOUND, server.close()).await.unwrap();
    assert_eq!(reason.diagnostics, ["one", "two", "three"]);
}

/// A server that writes to its input, or shuts its output's other direction, still reads an end and not a failure.
#[tokio::test]
async fn each_stream_of_a_server_has_one_direction() {
    let guard = guard().await;
    let script = "trap '' PIPE; echo lost 2>/dev/null >&0; cat <&1; cat; echo end";
    let mut server = patient_shell(&guard, script, POLITE).await;
    server.send(outgoing(b"said".to_vec())).unwrap();
    assert_eq!(line(&mut server).await, "said");
    let reason = timeout(BOUND, server.close()).await.unwrap();
    assert_eq!(reason.exit.and_then(|exit| exit.code), Some(0));
    assert_eq!(reason.diagnostics, [""; 0]);
}

#[tokio::test]
async fn two_full_pipes_do_not_dead_lock() {
    let guard = guard().await;
    let mut server = patient_shell(&guard, "cat", POLITE).await;
    let frame = |n: u8| vec![b'a' + n; 1024 * 1024];
    for n in 0..8 {
        server.send(outgoing(frame(n))).unwrap();
    }
    for n in 0..8 {
        assert!(
            line(&mut server).await.as_bytes() == frame(n),
            "frame {n} came back changed"
        );
    }
}

/// STD-006: whoever waits is told at once, and with a higher limit would have been answered.
#[tokio::test]
async fn an_answer_that_is_too_long_fails_its_request_at_once() {
    let guard = guard().await;
    let long = "head -c 20000000 /dev/zero | tr '\\0' a";
    let script = format!(
        "printf '{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"'; {long}; echo '\"}}'; \
         printf '{{\"result\":\"'; {long}; echo '\",\"jsonrpc\":\"2.0\",\"id\":\"x\"}}'; \
         printf '{{\"id\":8,\"method\":\"ping\",\"params\":\"'; {long}; echo '\"}}'; echo after; cat"
    );
    let mut server = shell(&guard, &script).await;
    for expected in [RequestId::Number(7), RequestId::Text("x".into())] {
        let Incoming::RequestFailed { id, failure } = next(&mut server).await else {
            panic!("nothing failed")
        };
        assert_eq!(id, expected);
        assert_eq!(failure, RequestFailure::too_large(8 << 20));
        assert_eq!(failure.reason, "the answer was larger than 8 MiB");
    }
    assert!(
        matches!(next(&mut server).await, Incoming::Junk { .. }),
        "a call of theirs is no answer"
    );
    assert_eq!(line(&mut server).await, "after");
    let mut server = shell(&guard, &script).await;
    server.limit_frames(32 << 20);
    assert!(line(&mut server).await.len() > 20_000_000);
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
    // What is in a line of ordinary length is looked at once, by its reader.
    assert!(matches!(next(&mut server).await, Incoming::Frame(frame) if &frame[..] == b"\xff"));
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
