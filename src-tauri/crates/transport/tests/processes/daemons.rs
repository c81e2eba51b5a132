//! Servers that try to leave something behind, or to do without their parent process.
#![cfg(target_os = "linux")]

use sha2::{Digest as _, Sha256};
use tokio::time::timeout;
use vestibule_transport::guard::{CheckedFile, GuardHandle};
use vestibule_transport::stdio::{Patience, StdioTransport};
use vestibule_transport::{CloseCause, CloseReason, Exit, SpawnError, Transport};

use super::{
    BOUND, DAEMONISING, FIRM, FIXTURE, POLITE, QUICK, end, guard, launch, line, numbers, outgoing,
    patient_shell, program, runs, shell, wait_until_gone,
};

const SUCCESS: Exit = Exit {
    code: Some(0),
    signal: None,
};

async fn close(server: &mut StdioTransport) -> CloseReason {
    timeout(BOUND, server.close()).await.unwrap()
}

#[tokio::test]
async fn a_process_that_daemonised_is_gone_when_the_server_was_stopped() {
    let guard = guard().await;
    let mut server = patient_shell(&guard, DAEMONISING, POLITE).await;
    let daemon = numbers(&line(&mut server).await);
    assert!(runs(daemon[0]));
    let reason = close(&mut server).await;
    assert_eq!((reason.cause, reason.exit), (CloseCause::Asked, Some(SUCCESS)));
    assert!(!runs(daemon[0]), "it was reported before all had ended");
}

#[tokio::test]
async fn a_process_that_daemonised_is_gone_when_the_server_has_ended() {
    let guard = guard().await;
    let mut server = shell(&guard, &DAEMONISING.replace("while", "read -r go; exit 3; while")).await;
    let daemon = numbers(&line(&mut server).await);
    server.send(outgoing(b"go".to_vec())).unwrap();
    let reason = end(&mut server).await;
    assert_eq!(reason.exit.and_then(|exit| exit.code), Some(3));
    assert!(!runs(daemon[0]));
}

/// What a server leaves behind may end in order.
#[tokio::test]
async fn a_process_that_daemonised_is_asked_before_it_is_killed() {
    let guard = guard().await;
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("told");
    let daemon = r#"trap "echo asked > $0; exit" TERM; echo ready; while :; do sleep 0.01; done"#;
    let script = format!(
        "setsid sh -c 'sh -c \"$1\" \"$0\" & exit' '{}' '{daemon}'; cat",
        told.display()
    );
    let mut server = patient_shell(&guard, &script, POLITE).await;
    assert_eq!(line(&mut server).await, "ready");
    assert_eq!(close(&mut server).await.exit, Some(SUCCESS));
    assert_eq!(std::fs::read_to_string(told).unwrap(), "asked\n");
}

/// Each process lives only until it has started the next, in a session of its own.
#[tokio::test]
async fn a_process_that_flees_from_fork_to_fork_is_caught() {
    let guard = guard().await;
    let folder = tempfile::tempdir().unwrap();
    let escaped = folder.path().join("escaped");
    let text = format!(
        "#!/bin/sh\ntrap '' TERM HUP\n[ $1 = 4 ] && echo fleeing\n[ $1 = 20000 ] && : > '{}' && exit\n\
         setsid \"$0\" $(($1 + 1)) &\n",
        escaped.display()
    );
    let fleeing = program(folder.path(), "fleeing", &text);
    let mut server = patient_shell(&guard, &format!("'{fleeing}' 0; cat >&2"), POLITE).await;
    assert_eq!(line(&mut server).await, "fleeing");
    assert_eq!(close(&mut server).await.exit, Some(SUCCESS));
    assert!(!escaped.exists());
    assert!(!is_named(&fleeing), "a process of it is left");
}

fn is_named(text: &str) -> bool {
    let folders = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = folders.filter_map(|folder| std::fs::read(folder.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(text))
}

#[tokio::test]
async fn a_server_that_stops_its_parent_process_is_ended_all_the_same() {
    let guard = guard().await;
    let script = "trap '' TERM; setsid sleep 1000 & echo $! $$ $PPID; while :; do kill -STOP $PPID; done";
    let patience = Patience {
        after_kill: QUICK.after_signal,
        ..QUICK
    };
    let mut server = patient_shell(&guard, script, patience).await;
    let all = numbers(&line(&mut server).await);
    close(&mut server).await;
    wait_until_gone(&all);
}

#[tokio::test]
async fn a_server_that_kills_its_parent_process_is_ended_with_its_session() {
    let guard = guard().await;
    let script = "sleep 1000 & echo $! $$; kill -KILL $PPID; while :; do sleep 1000; done";
    let mut server = shell(&guard, script).await;
    let all = numbers(&line(&mut server).await);
    let reason = end(&mut server).await;
    assert_eq!((reason.cause, reason.exit), (CloseCause::Ended, None));
    wait_until_gone(&all);
}

/// Shows L-14, for the server and for what starts it.
#[tokio::test]
async fn nothing_dumps_its_memory_and_nothing_else_is_limited() {
    let limits = |process: u32| std::fs::read_to_string(format!("/proc/{process}/limits")).unwrap();
    let row = |limits: &str, name: &str| {
        let line = limits
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap()
            .to_owned();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let guard = guard().await;
    let mut server = patient_shell(&guard, "echo $$ $PPID; cat >&2", FIRM).await;
    let own = limits(std::process::id());
    for process in numbers(&line(&mut server).await) {
        let limits = limits(process.try_into().unwrap());
        assert_eq!(row(&limits, "Max core file size")[4..6], ["0", "0"]);
        for name in ["Max address space", "Max processes", "Max open files"] {
            assert_eq!(row(&limits, name), row(&own, name));
        }
    }
    close(&mut server).await;
}

/// The rest of L-7: the program is replaced after the application has looked at it for the last time.
#[tokio::test]
async fn a_program_that_is_replaced_right_before_the_start_does_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let (ran, evil) = (folder.path().join("ran"), folder.path().join("evil"));
    let server = program(folder.path(), "server", "#!/bin/sh\necho approved\n");
    let sha256 = Sha256::digest(std::fs::read(&server).unwrap());
    let files = vec![CheckedFile {
        path: server.clone().into(),
        sha256: sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
    }];
    program(
        folder.path(),
        "evil",
        &format!("#!/bin/sh\n: > '{}'\n", ran.display()),
    );
    let swap = format!(
        "#!/bin/sh\n[ \"$1\" = parent ] && [ -e '{0}.swap' ] && cp '{1}' '{0}'\nexec '{FIXTURE}' guard \"$@\"\n",
        server,
        evil.display()
    );
    let guard = GuardHandle::start(program(folder.path(), "guard", &swap).into(), Vec::new())
        .await
        .unwrap();
    let start = async || {
        let mut launch = launch(&server, &[]);
        launch.files = files.clone();
        StdioTransport::spawn(launch, &guard, QUICK).await.unwrap()
    };
    assert_eq!(line(&mut start().await).await, "approved");
    std::fs::write(format!("{server}.swap"), "").unwrap();
    let reason = end(&mut start().await).await;
    let expected = SpawnError::Changed(server.clone().into());
    assert_eq!(reason.cause, CloseCause::NotStarted(expected));
    assert!(!ran.exists());
}
