//! From a server's record to exactly what would be started: the resolved program, its arguments, folder and
//! variables, what a card says of it, and the digest a permission binds to. Nothing is started here.

mod risks;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use vestibule_consent as consent;
use vestibule_policy::Digest;
use vestibule_store::ServerRecord;
use vestibule_transport::{path, stdio};

use crate::secrets::{SecretName, Secrets, SecretsError};
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
    secrets: &dyn Secrets,
    search_path: &OsStr,
) -> Result<LaunchPlan, Problem> {
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    let folder = record
        .cwd
        .as_ref()
        .map_or(home.clone(), |cwd| in_home(cwd, &home));
    let command = in_home(&record.command, &home);
    let declared = record.cwd.as_ref().map(|_| folder.as_path());
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
    let env = variables(record, secrets).await?;
    let prints = fingerprints(&env, secrets).await.map_err(keychain)?;
    let digest = Digest::of_launch(&json!({
        "transport": "stdio",
        "program": program,
        "bytes": hash_unless_runner(&program).await,
        "args": record.args,
        "folder": folder,
        "env": prints,
    }));
    let facts = consent::Launch {
        program: program.display().to_string(),
        command: record.command.clone(),
        args: record.args.clone(),
        folder: folder.display().to_string(),
        variables: record.env.clone(),
        risks: risks::of(&program, &record.args),
        changed: false,
    };
    let search_path = search_path.to_owned();
    let launch = stdio::Launch {
        program,
        args: record.args.clone(),
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

async fn variables(
    record: &ServerRecord,
    secrets: &dyn Secrets,
) -> Result<Vec<(String, SecretString)>, Problem> {
    let mut env = vec![];
    let mut missing = vec![];
    for name in &record.env {
        let secret = SecretName::Variable {
            server: record.id,
            name: name.clone(),
        };
        match secrets.get(&secret).await.map_err(keychain)? {
            Some(value) => env.push((name.clone(), value)),
            None => missing.push(name.clone()),
        }
    }
    if missing.is_empty() {
        Ok(env)
    } else {
        Err(Problem::SecretsMissing { names: missing })
    }
}

fn keychain(error: SecretsError) -> Problem {
    Problem::KeychainFailed { detail: error.0 }
}

/// A fingerprint a variable, made with a key that only the keychain knows: a changed value changes the digest,
/// and the digest tells nothing about the value.
async fn fingerprints(
    env: &[(String, SecretString)],
    secrets: &dyn Secrets,
) -> Result<serde_json::Map<String, serde_json::Value>, SecretsError> {
    if env.is_empty() {
        return Ok(serde_json::Map::new());
    }
    let key = match secrets.get(&SecretName::FingerprintKey).await? {
        Some(key) => key,
        None => {
            let key = SecretString::from(format!("{}{}", uuid::Uuid::new_v4(), uuid::Uuid::new_v4()));
            secrets.set(&SecretName::FingerprintKey, &key).await?;
            key
        }
    };
    let print = |value: &SecretString| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key.expose_secret().as_bytes())
            .expect("this code accepts a key of any length");
        mac.update(value.expose_secret().as_bytes());
        hex(&mac.finalize().into_bytes())
    };
    Ok(env
        .iter()
        .map(|(name, value)| (name.clone(), print(value).into()))
        .collect())
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
        Some(hex(&hasher.finalize()))
    });
    hash.await.ok().flatten()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::MemorySecrets;
    use jiff::Timestamp;
    use vestibule_protocol::ServerId;

    fn record(command: &str, args: &[&str], env: &[&str]) -> ServerRecord {
        ServerRecord {
            id: ServerId::new(),
            name: "notes".into(),
            command: command.into(),
            args: args.iter().map(ToString::to_string).collect(),
            env: env.iter().map(ToString::to_string).collect(),
            cwd: None,
            wanted: false,
            created: Timestamp::UNIX_EPOCH,
        }
    }

    async fn digest(record: &ServerRecord, secrets: &MemorySecrets) -> Digest {
        plan(record, secrets, OsStr::new("/usr/bin:/bin"))
            .await
            .map_err(|p| p.to_string())
            .unwrap()
            .digest
    }

    /// One byte of an argument, the value of a variable, the folder, or the bytes of the program.
    #[tokio::test]
    async fn anything_that_changes_what_runs_changes_the_digest() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("server");
        std::fs::copy("/bin/true", &program).unwrap();
        let secrets = MemorySecrets::new("");
        let base = record(program.to_str().unwrap(), &["--a"], &["TOKEN"]);
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

        let other_arg = ServerRecord {
            args: vec!["--b".into()],
            ..base.clone()
        };
        assert_ne!(digest(&other_arg, &secrets).await, before);
        let other_folder = ServerRecord {
            cwd: Some("/".into()),
            ..base.clone()
        };
        assert_ne!(digest(&other_folder, &secrets).await, before);
        secrets.set(&token, &"two".into()).await.unwrap();
        assert_ne!(digest(&base, &secrets).await, before);
        secrets.set(&token, &"one".into()).await.unwrap();
        assert_eq!(digest(&base, &secrets).await, before);
        std::fs::copy("/bin/false", &program).unwrap();
        assert_ne!(digest(&base, &secrets).await, before);
    }

    #[tokio::test]
    async fn a_missing_command_says_where_it_was_looked_for() {
        let secrets = MemorySecrets::new("");
        let record = record("no-such-program", &[], &[]);
        let Err(problem) = plan(&record, &secrets, OsStr::new("/usr/bin:/bin")).await else {
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
        let Err(problem) = plan(&record, &secrets, OsStr::new("/usr/bin:/bin")).await else {
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
