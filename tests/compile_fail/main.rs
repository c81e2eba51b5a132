//! Programs that must not compile: an effect without a permit, a permit that the gate did not make, a permit used twice.
//! Beside each program stand the errors that the compiler has to give for it, and no others.
//!
//! `rustc` is called directly, with the libraries that were compiled for this test. `trybuild` compiles every dependency
//! once more for it, which takes minutes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What the programs may name. Everything else has to be out of their reach.
const LIBRARIES: [&str; 3] = ["vestibule_consent", "vestibule_host", "vestibule_protocol"];

/// A message of the compiler, in its JSON form.
#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    code: Option<Code>,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    is_primary: bool,
    line_start: u32,
    column_start: u32,
}

#[test]
fn there_is_no_effect_without_a_permit_and_no_permit_without_the_gate() -> Result {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("compile_fail");
    let mut seen = 0;
    for program in programs(&folder.join("permits"))?
        .into_iter()
        .chain(programs(&folder.join("ways_around"))?)
    {
        let expected = fs::read_to_string(program.with_extension("errors"))?;
        assert_eq!(errors(&program)?, expected, "{}", program.display());
        seen += 1;
    }
    assert_eq!(seen, 12, "a program is missing, or this number is old");
    Ok(())
}

fn programs(folder: &Path) -> Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<PathBuf>>>()?;
    Ok(paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect())
}

/// The errors of a program, one a line: code, place, message.
#[expect(
    clippy::disallowed_methods,
    reason = "it is the compiler, and no effect of the host"
)]
fn errors(program: &Path) -> Result<String> {
    let test = std::env::current_exe()?;
    let libraries = test.parent().ok_or("the test has no folder")?;
    let built = tempfile::tempdir()?;
    let mut rustc = Command::new("rustc");
    rustc
        .args([
            "--edition=2024",
            "--emit=metadata",
            "--error-format=json",
            "--out-dir",
        ])
        .arg(built.path());
    rustc.arg("-L").arg(format!("dependency={}", libraries.display()));
    for name in LIBRARIES {
        rustc
            .arg("--extern")
            .arg(format!("{name}={}", newest(libraries, name)?.display()));
    }
    let messages = String::from_utf8(rustc.arg(program).output()?.stderr)?;
    let errors = messages
        .lines()
        .map(error)
        .collect::<Result<Vec<Option<String>>>>()?;
    Ok(errors.into_iter().flatten().collect())
}

/// A library as it was compiled last. Older ones with other features may lie beside it.
fn newest(folder: &Path, name: &str) -> Result<PathBuf> {
    let starts = format!("lib{name}-");
    let mut found = None;
    for entry in fs::read_dir(folder)? {
        let (entry, file) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        let file = file.to_string_lossy();
        if file.starts_with(&starts) && file.ends_with(".rlib") {
            found = found.max(Some((fs::metadata(&entry)?.modified()?, entry)));
        }
    }
    let (_, path) = found.ok_or_else(|| format!("no {name} in {}", folder.display()))?;
    Ok(path)
}

fn error(line: &str) -> Result<Option<String>> {
    let found: Diagnostic = serde_json::from_str(line)?;
    let place = found.spans.into_iter().find(|span| span.is_primary);
    Ok(place.filter(|_| found.level == "error").map(
        |Span {
             line_start,
             column_start,
             ..
         }| {
            let code = found.code.map_or("error".to_owned(), |code| code.code);
            format!("{code} at {line_start}:{column_start}: {}\n", found.message)
        },
    ))
}
