//! Opening pages: an address is one argument of one program, whatever a shell would make of it.

use std::path::{Path, PathBuf};

use vestibule_transport::browser::Browser;

/// A browser that writes down what it is called with. A link, since a program that was just written cannot always
/// be started while other tests start theirs.
fn browser(folder: &Path) -> (Browser, PathBuf) {
    let program = folder.join("browser");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/processes/opener.sh");
    std::os::unix::fs::symlink(script, &program).unwrap();
    (Browser::Program(program), folder.join("browser.opened"))
}

/// Shows AU-052, LS-008.
#[tokio::test]
async fn an_address_is_one_argument_and_no_shell_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let (browser, opened) = browser(folder.path());
    let trap = folder.path().join("trap");
    let trap = trap.display();
    for url in [
        format!("https://a.example/?q=$(touch {trap})&r=`touch {trap}`"),
        format!("https://a.example/';touch {trap};'\"|touch {trap}\n&touch {trap}&"),
        "https://a.example/*?x=%PATH%&y=$HOME ^& --new-window".to_owned(),
    ] {
        browser.open(&url).await.unwrap();
        let heard = std::fs::read_to_string(&opened).unwrap();
        assert_eq!(heard, format!("{url}\0"));
    }
    assert!(!folder.path().join("trap").exists());
}

/// Shows AU-051: what is no page of the web reaches no program.
#[tokio::test]
async fn only_pages_of_the_web_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let (browser, opened) = browser(folder.path());
    for url in [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "--help",
        "",
        "vscode://open",
    ] {
        assert!(browser.open(url).await.is_err(), "{url}");
    }
    assert!(!opened.exists());
}
