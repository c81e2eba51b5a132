//! What a process did to files, as `strace -ff -xx -y --absolute-timestamps=format:unix,precision:ns` wrote it down.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Set for the process that is traced, to the path of its database.
pub(crate) const ROLE: &str = "VESTIBULE_STORE_TEST_TRACED";

/// One call that changes a file, or the standard output of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Write {
        file: PathBuf,
        at: u64,
        bytes: Vec<u8>,
    },
    Truncate {
        file: PathBuf,
        length: u64,
    },
    Sync {
        file: PathBuf,
    },
    Remove {
        file: PathBuf,
    },
    /// Text on standard output.
    Say(String),
}

/// What a traced process did.
pub(crate) struct Trace {
    /// The folder of its database.
    pub(crate) folder: TempDir,
    pub(crate) calls: Vec<Call>,
}

/// What a test of this program does when it is started once more, with [`ROLE`] set.
#[allow(
    clippy::disallowed_methods,
    reason = "this program starts itself under strace"
)]
pub(crate) fn of_test(name: &str) -> Trace {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let prefix = folder.path().join("trace");
    let output = Command::new("strace")
        .args(["-ff", "-qq", "-xx", "-y", "-s", "4194304"])
        .arg("--absolute-timestamps=format:unix,precision:ns")
        .arg("--trace=write,writev,pwrite64,pwritev,ftruncate,fallocate,fsync,fdatasync,unlink,rename,renameat2")
        .arg("-o")
        .arg(&prefix)
        .arg(env::current_exe().expect("this test has a file"))
        .args(["--exact", name, "--nocapture"])
        .env(ROLE, folder.path().join("vestibule.db"))
        .output()
        .expect("strace is installed, as scripts/setup.sh does");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let calls = read(&prefix);
    Trace { folder, calls }
}

/// The calls of all threads, whose traces begin with `prefix`, in the order in which they were made.
fn read(prefix: &Path) -> Vec<Call> {
    let folder = prefix.parent().expect("traces lie in a folder");
    let name = prefix.file_name().expect("traces have a name").to_string_lossy();
    let mut calls = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let entry = entry.expect("the folder can be read");
        if entry.file_name().to_string_lossy().starts_with(&*name) {
            let text = fs::read_to_string(entry.path()).expect("a trace is text");
            calls.extend(text.lines().filter_map(call));
        }
    }
    calls.sort_by(|(left, _), (right, _)| left.cmp(right));
    calls.into_iter().map(|(_, call)| call).collect()
}

/// The call in one line with its time, where it succeeded and changes something.
fn call(line: &str) -> Option<(String, Call)> {
    let (time, rest) = line.split_once(' ')?;
    let (name, rest) = rest.split_once('(')?;
    let (arguments, result) = rest.rsplit_once(") = ")?;
    let done: u64 = result.split(' ').next()?.parse().ok()?;
    let call = match name {
        "write" if arguments.starts_with("1<") || arguments.starts_with("1,") => {
            let said = String::from_utf8(unescaped(quoted(arguments)?)).ok()?;
            Call::Say(said)
        }
        "pwrite64" => {
            let mut bytes = unescaped(quoted(arguments)?);
            bytes.truncate(usize::try_from(done).ok()?);
            Call::Write {
                file: file_of(arguments)?,
                at: arguments.rsplit_once(", ")?.1.parse().ok()?,
                bytes,
            }
        }
        "ftruncate" => Call::Truncate {
            file: file_of(arguments)?,
            length: arguments.rsplit_once(", ")?.1.parse().ok()?,
        },
        "fsync" | "fdatasync" => Call::Sync {
            file: file_of(arguments)?,
        },
        "unlink" => Call::Remove {
            file: path(unescaped(quoted(arguments)?))?,
        },
        "write" | "writev" | "pwritev" | "rename" | "renameat2" | "fallocate" => {
            let ours = file_of(arguments).is_some_and(|file| file.is_file());
            assert!(!ours, "a call that this test cannot play again: {line:.200}");
            return None;
        }
        _ => return None,
    };
    Some((time.to_owned(), call))
}

/// The file that a descriptor is open on: `7</tmp/…>`.
fn file_of(arguments: &str) -> Option<PathBuf> {
    let (_, rest) = arguments.split_once('<')?;
    path(unescaped(rest.split_once('>')?.0))
}

fn path(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

fn quoted(arguments: &str) -> Option<&str> {
    let (_, rest) = arguments.split_once('"')?;
    let (text, after) = rest.rsplit_once('"')?;
    assert!(!after.starts_with("..."), "strace has cut a text off");
    Some(text)
}

/// The bytes of text in which `\x2f` stands for one byte.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4);
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if let ([b'\\'], [b'x', high, low, after @ ..]) = ([*first], after) {
            let digit = |digit: &u8| char::from(*digit).to_digit(16).expect("a hexadecimal digit");
            bytes.push(u8::try_from(digit(high) * 16 + digit(low)).expect("two digits are a byte"));
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    bytes
}
