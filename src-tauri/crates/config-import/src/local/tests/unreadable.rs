//! Files that cannot be read or hold too much: each is named with the reason, and none is waited for.

use super::*;

/// The problem of the only file.
fn problem(home: &TestHome) -> InputProblem {
    match &home.found(&[])[..] {
        [
            AppConfigFile {
                content:
                    AppConfigContent::Unreadable {
                        problem: Problem::Input(problem),
                    },
                ..
            },
        ] => problem.clone(),
        other => panic!("{other:?}"),
    }
}

const CURSOR: &str = ".cursor/mcp.json";

#[test]
fn a_pipe_a_folder_and_a_link_to_nothing_are_named_and_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let pipe = TestHome::new(&[(".cursor/other", "")]);
    mknodat(CWD, pipe.path(CURSOR), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let folder = TestHome::new(&[(".cursor/mcp.json/other", "")]);
    for home in [pipe, folder] {
        let problem = problem(&home);
        assert!(
            matches!(&problem, InputProblem::ConfigUnreadable { detail } if detail == "it is not a regular file"),
            "{problem:?}"
        );
    }
    let link = TestHome::new(&[(".cursor/other", "")]);
    std::os::unix::fs::symlink("/nonexistent", link.path(CURSOR)).unwrap();
    assert!(matches!(problem(&link), InputProblem::ConfigUnreadable { .. }));
}

#[test]
fn what_is_no_text_or_broken_or_too_long_is_named_with_the_reason() {
    let home = TestHome::new(&[]);
    home.write(CURSOR, [b'{', 0xff, b'}']);
    assert!(matches!(problem(&home), InputProblem::ConfigUnreadable { .. }));
    home.write(CURSOR, "{\n oops");
    assert!(matches!(problem(&home), InputProblem::JsonBroken { line: 2, .. }));
    home.write(CURSOR, vec![b' '; files::LONGEST_FILE + 1]);
    assert!(matches!(
        problem(&home),
        InputProblem::ConfigTooLong { limit_kb: 8192 }
    ));
}

/// Where the text is no JSON, it is not taken for a command line as a pasted text would be.
#[test]
fn a_file_is_read_in_its_own_format_alone() {
    let home = TestHome::new(&[(CURSOR, "npx -y some-server")]);
    assert!(matches!(problem(&home), InputProblem::JsonBroken { .. }));
}

#[test]
fn servers_are_read_up_to_what_a_user_can_review() {
    let servers = |count: usize| {
        let entries: Vec<String> = (0..count)
            .map(|n| format!(r#""s{n}": {{"command": "c"}}"#))
            .collect();
        format!(r#"{{"mcpServers": {{{}}}}}"#, entries.join(","))
    };
    let home = TestHome::new(&[(CURSOR, &servers(201))]);
    assert!(matches!(
        problem(&home),
        InputProblem::ServersTooMany {
            found: 201,
            limit: 200
        }
    ));
    for path in [CURSOR, ".lmstudio/mcp.json", ".kiro/settings/mcp.json"] {
        home.write(path, servers(180));
    }
    let files = home.found(&[]);
    let too_many = |file: &&AppConfigFile| {
        let problem = InputProblem::ServersTooMany {
            found: 540,
            limit: 500,
        };
        file.content
            == AppConfigContent::Unreadable {
                problem: problem.into(),
            }
    };
    assert_eq!(
        files
            .iter()
            .filter(too_many)
            .map(|file| file.app.as_str())
            .collect::<Vec<_>>(),
        ["Kiro"]
    );
}

#[test]
fn files_are_read_up_to_a_number() {
    let home = TestHome::new(&[]);
    for number in 0..200 {
        home.write(&format!(".continue/mcpServers/{number}.json"), "{}");
    }
    assert_eq!(home.found(&[]).len(), files::MOST_FILES);
}
