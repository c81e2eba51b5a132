//! From a server's record to exactly what would be started: the resolved program, its arguments, folder and
//! variables, what a card says of it, and the digest a permission binds to. Nothing is started here.

mod risks;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::json;
use sha2::{Digest as _, Sha256};
use vestibule_consent as consent;
use vestibule_policy::Digest;
use vestibule_store::{Program, ServerRecord};
use vestibule_transport::{path, stdio};

use crate::secrets::Secrets;
use crate::values;
use crate::view::Problem;

/// Programs that run other code: they change with every update of the system, and what matters is what they are
/// told to run. Any other program is part of what is approved, byte for byte.
const RUNNERS: [&str; 16] = [
    "npx", "npm", "node", "bun", "bunx", "deno", "pnpm", "yarn", "uv", "uvx", "pipx", "python", "python3",
    "docker", "podman", "java",
];
/// The largest program that is hashed, in bytes.
const LARGEST_HASHED: u64 = 256 * 1024 * 1024;

/// What would be started.
pub(crate) struct LaunchPlan {
    /// For the transport.
    pub(crate) launch: stdio::Launch,
    /// For the card.
    pub(crate) facts: consent::Launch,
    /// For the permission.
    pub(crate) digest: Digest,
}

/// Works out what starting this server would run.
pub(crate) async fn plan(
    record: &ServerRecord,
    given: &Program,
    secrets: &dyn Secrets,
    search_path: &OsStr,
) -> Result<LaunchPlan, Problem> {
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    let folder = working_folder(given);
    let command = in_home(&given.command, &home);
    let declared = given.cwd.as_ref().map(|_| folder.as_path());
    let program = path::resolve(&command.to_string_lossy(), search_path, declared).map_err(|missing| {
        let looked_in = missing
            .looked_in
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        Problem::CommandNotFound {
            command: missing.command,
            looked_in,
        }
    })?;
    let env = values::of(record, secrets).await?;
    let prints = values::fingerprints(&env, secrets).await?;
    let digest = Digest::of_launch(&json!({
        "transport": "stdio",
        "program": program,
        "bytes": hash_unless_runner(&program).await,
        "args": given.args,
        "folder": folder,
        "env": prints,
    }));
    let facts = consent::Launch {
        program: program.display().to_string(),
        command: given.command.clone(),
        args: given.args.clone(),
        folder: folder.display().to_string(),
        variables: given.env.clone(),
        risks: risks::of(&program, &given.args),
        changed: false,
    };
    let search_path = search_path.to_owned();
    let launch = stdio::Launch {
        program,
        args: given.args.clone(),
        env,
        cwd: folder,
        search_path,
    };
    Ok(LaunchPlan {
        launch,
        facts,
        digest,
    })
}

/// The folder a program starts in.
pub(crate) fn working_folder(given: &Program) -> PathBuf {
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    given.cwd.as_ref().map_or(home.clone(), |cwd| in_home(cwd, &home))
}

/// The command line in one piece, as provenance: quoted where a part holds white space.
pub(crate) fn command_line(command: &str, args: &[String]) -> String {
    let quoted = |part: &str| {
        if part.is_empty() || part.contains(char::is_whitespace) {
            format!("\"{part}\"")
        } else {
            part.to_owned()
        }
    };
    std::iter::once(command)
        .chain(args.iter().map(String::as_str))
        .map(quoted)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A leading `~/` means the person's own folder, as in every shell.
fn in_home(path: &str, home: &Path) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None if path == "~" => home.to_owned(),
        None => PathBuf::from(path),
    }
}

/// The hash of a program that is not a runner of other code; `None` where it is one or can not be read whole.
async fn hash_unless_runner(program: &Path) -> Option<String> {
    let name = program.file_stem()?.to_str()?.to_ascii_lowercase();
    if RUNNERS.contains(&name.as_str()) || name.starts_with("python") {
        return None;
    }
    let program = program.to_owned();
    let hash = tokio::task::spawn_blocking(move || {
        let mut file = std::fs::File::open(&program).ok()?;
        if file.metadata().ok()?.len() > LARGEST_HASHED {
            return None;
        }
        let mut hasher = Sha256::new();
        std::io::copy(&mut file, &mut hasher).ok()?;
        Some(values::hex(&hasher.finalize()))
    });
    hash.await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::{MemorySecrets, SecretName};
    use jiff::Timestamp;
    use vestibule_protocol::{EraChoice, ServerId};
    use vestibule_store::Place;

    fn record(command: &str, args: &[&str], env: &[&str]) -> ServerRecord {
        ServerRecord {
            id: ServerId::new(),
            name: "notes".into(),
            place: Place::Here(Program {
                command: command.into(),
                args: args.iter().map(ToString::to_string).collect(),
                env: env.iter().map(ToString::to_string).collect(),
                cwd: None,
            }),
            era: EraChoice::Auto,
            wanted: false,
            created: Timestamp::UNIX_EPOCH,
        }
    }

    fn program(record: &ServerRecord) -> Program {
        match &record.place {
            Place::Here(program) => program.clone(),
            Place::Address(_) => panic!("not here"),
        }
    }

    async fn planned(record: &ServerRecord, secrets: &MemorySecrets) -> Result<LaunchPlan, Problem> {
        plan(record, &program(record), secrets, OsStr::new("/usr/bin:/bin")).await
    }

    async fn digest(record: &ServerRecord, secrets: &MemorySecrets) -> Digest {
        planned(record, secrets)
            .await
            .map_err(|p| p.to_string())
            .unwrap()
            .digest
    }

    /// One byte of an argument, the value of a variable, the folder, or the bytes of the program.
    #[tokio::test]
    async fn anything_that_changes_what_runs_changes_the_digest() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("server");
        std::fs::copy("/bin/true", &file).unwrap();
        let secrets = MemorySecrets::new("");
        let base = record(file.to_str().unwrap(), &["--a"], &["TOKEN"]);
        let token = SecretName::Variable {
            server: base.id,
            name: "TOKEN".into(),
        };
        secrets.set(&token, &"one".into()).await.unwrap();
        let before = digest(&base, &secrets).await;
        assert_eq!(
            digest(&base, &secrets).await,
            before,
            "the same launch has the same digest"
        );

        let with = |program| ServerRecord {
            place: Place::Here(program),
            ..base.clone()
        };
        let other_arg = with(Program {
            args: vec!["--b".into()],
            ..program(&base)
        });
        assert_ne!(digest(&other_arg, &secrets).await, before);
        let other_folder = with(Program {
            cwd: Some("/".into()),
            ..program(&base)
        });
        assert_ne!(digest(&other_folder, &secrets).await, before);
        secrets.set(&token, &"two".into()).await.unwrap();
        assert_ne!(digest(&base, &secrets).await, before);
        secrets.set(&token, &"one".into()).await.unwrap();
        assert_eq!(digest(&base, &secrets).await, before);
        std::fs::copy("/bin/false", &file).unwrap();
        assert_ne!(digest(&base, &secrets).await, before);
    }

    #[tokio::test]
    async fn a_missing_command_says_where_it_was_looked_for() {
        let secrets = MemorySecrets::new("");
        let record = record("no-such-program", &[], &[]);
        let Err(problem) = planned(&record, &secrets).await else {
            panic!()
        };
        let Problem::CommandNotFound { command, looked_in } = problem else {
            panic!("{problem:?}")
        };
        assert_eq!(command, "no-such-program");
        assert!(
            looked_in.iter().any(|place| place.starts_with("/usr/bin")),
            "{looked_in:?}"
        );
    }

    #[tokio::test]
    async fn a_variable_without_a_value_is_named_before_anything_starts() {
        let record = record("true", &[], &["TOKEN", "OTHER"]);
        let secrets = MemorySecrets::new("");
        let Err(problem) = planned(&record, &secrets).await else {
            panic!()
        };
        assert_eq!(
            problem,
            Problem::SecretsMissing {
                names: vec!["TOKEN".into(), "OTHER".into()]
            }
        );
    }

    #[test]
    fn a_command_line_keeps_its_parts_apart() {
        let args = ["-y".to_owned(), "a b".to_owned(), String::new()];
        assert_eq!(command_line("npx", &args), "npx -y \"a b\" \"\"");
    }
}
