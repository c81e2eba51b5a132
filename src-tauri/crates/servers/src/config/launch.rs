//! From a server's record to exactly what would be started: the resolved program, its arguments, folder and
//! variables, what a card says of it, and the digest a permission binds to. Nothing is started here.

mod bind;
mod bundle;
mod former;
mod package;
mod risks;
mod runner;
mod variable_code;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret, SecretString};
use vestibule_consent as consent;
use vestibule_policy::{Digest, LAUNCH_VERSION, LaunchRecord, in_home};
use vestibule_store::{Program, ServerRecord};
use vestibule_transport::{path, stdio};

use self::bind::Files;
pub(crate) use self::package::{Brought, PackageFetch, package_fetch, plan_server};
pub(crate) use self::runner::may_download;
use crate::config::secrets::Secrets;
use crate::config::variables;
use crate::doctor::elsewhere;
use vestibule_app_protocol::{Problem, ServerProblem};

/// What would be started.
pub(crate) struct LaunchPlan {
    pub(crate) launch: stdio::LaunchSpec,
    pub(crate) facts: consent::Launch,
    pub(crate) record: LaunchRecord,
    pub(crate) digest: Digest,
    /// What version 1 of the record had as its digest.
    pub(crate) former: Digest,
    /// What has to be downloaded before it can be started.
    pub(crate) fetch: Option<PackageFetch>,
}

/// Works out what starting this server would run, in this folder.
pub(crate) async fn plan(
    record: &ServerRecord,
    given: &Program,
    secrets: &dyn Secrets,
    search_path: &OsStr,
    folder: PathBuf,
) -> Result<LaunchPlan, Problem> {
    plan_from_bundle(record, given, secrets, search_path, folder, None).await
}

/// The same for a program that may be run from an unpacked bundle, whose files are all bound with it.
async fn plan_from_bundle(
    record: &ServerRecord,
    given: &Program,
    secrets: &dyn Secrets,
    search_path: &OsStr,
    folder: PathBuf,
    bundle: Option<PathBuf>,
) -> Result<LaunchPlan, Problem> {
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    let command = in_home(&given.command, &home);
    let declared = given
        .cwd
        .as_deref()
        .filter(|cwd| *cwd != vestibule_store::OWN_FOLDER);
    let declared = declared.map(|_| folder.as_path());
    let program = path::resolve(&command.to_string_lossy(), search_path, declared)
        .map_err(|missing| not_found(missing, &home))?;
    let env = variables::resolve_variables(record, secrets).await?;
    let prints = variables::fingerprints(&env, secrets).await?;
    let bound = bind::bind(Files {
        program: program.clone(),
        args: given.args.clone(),
        folder: folder.clone(),
        search_path: given_search_path(&env, search_path),
        variables: variable_code::deciding(&env),
        bundle,
    })
    .await;
    let bytes = bound.files.first().and_then(|file| file.sha256.clone());
    let former = former::digest(&program, bytes.as_deref(), &given.args, &folder, &prints);
    let launch_record = LaunchRecord {
        version: LAUNCH_VERSION,
        program: bind::text(&program),
        args: given.args.clone(),
        folder: bind::text(&folder),
        env: prints,
        search_path: bind::os_text(&given_search_path(&env, search_path)),
        files: bound.files,
        package: None,
    };
    let variables = variables::displayed(&record.place, &env);
    let facts = facts(given, &program, &folder, &launch_record, bound.gaps, variables);
    let launch = stdio::LaunchSpec {
        program,
        args: given.args.clone(),
        env,
        cwd: folder,
        search_path: search_path.to_owned(),
        files: bound.checked,
    };
    Ok(LaunchPlan {
        launch,
        facts,
        digest: launch_record.digest(),
        record: launch_record,
        former,
        fetch: None,
    })
}

/// What the card of this launch shows.
fn facts(
    given: &Program,
    program: &Path,
    folder: &Path,
    record: &LaunchRecord,
    bound_gaps: Vec<consent::LaunchGap>,
    variables: Vec<consent::NamedValue>,
) -> consent::Launch {
    let code = runner::code(program, &given.args, folder);
    let gaps: Vec<_> = bound_gaps.into_iter().chain(code.gaps).collect();
    consent::Launch {
        program: program.display().to_string(),
        command: given.command.clone(),
        args: given.args.clone(),
        folder: folder.display().to_string(),
        risks: risks::find_risks(program, &given.args, &variables, &gaps),
        variables,
        files: record.files.clone(),
        gaps,
        loads_more: code.loads_more,
        change: None,
        serves_model: false,
        package: None,
    }
}

fn not_found(missing: path::NotFound, home: &Path) -> Problem {
    let text = |place: &PathBuf| place.display().to_string();
    Problem::Server(match missing.looked_in.iter().find(|place| place.is_file()) {
        Some(file) => ServerProblem::CommandNotExecutable { path: text(file) },
        None => ServerProblem::CommandNotFound {
            looked_in: missing.looked_in.iter().map(text).collect(),
            elsewhere: elsewhere::find(&missing.command, home).as_ref().map(text),
            command: missing.command,
        },
    })
}

/// The search path that the program gets: a declared `PATH` comes after ours, and so replaces it.
fn given_search_path(env: &[(String, SecretString)], search_path: &OsStr) -> OsString {
    let declared = env.iter().rev().find(|(name, _)| name == "PATH");
    declared.map_or_else(
        || search_path.to_owned(),
        |(_, value)| value.expose_secret().into(),
    )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::secrets::{MemorySecrets, SecretName};
    use jiff::Timestamp;
    use vestibule_app_protocol::InputProblem;
    use vestibule_protocol::{EraChoice, ServerId};
    use vestibule_store::ServerPlace;

    fn record(command: &str, args: &[&str], env: &[&str]) -> ServerRecord {
        ServerRecord {
            id: ServerId::new(),
            name: "notes".into(),
            place: ServerPlace::Here(Program {
                command: command.into(),
                args: args.iter().map(ToString::to_string).collect(),
                env: env.iter().map(ToString::to_string).collect(),
                pasted: vec![],
                cwd: None,
            }),
            era: EraChoice::Auto,
            wanted: false,
            created: Timestamp::UNIX_EPOCH,
        }
    }

    fn program(record: &ServerRecord) -> Program {
        match &record.place {
            ServerPlace::Here(program) => program.clone(),
            ServerPlace::Address(_) => panic!("not here"),
        }
    }

    async fn planned(record: &ServerRecord, secrets: &MemorySecrets) -> Result<LaunchPlan, Problem> {
        let given = program(record);
        let folder = crate::config::working_folder::working_folder(Path::new("/data"), record.id, &given);
        plan(record, &given, secrets, OsStr::new("/usr/bin:/bin"), folder).await
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
            place: ServerPlace::Here(program),
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

    /// The script, the interpreter of a first line, the search path and the runner itself.
    #[tokio::test]
    async fn whatever_really_runs_changes_the_digest() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path();
        let executable = |name: &str, text: &str| {
            let file = base.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        };
        executable("bin/npx", "#!/usr/bin/env node\n");
        executable("bin/node", "#!/bin/sh\n");
        executable("server.js", "one");
        let secrets = MemorySecrets::new("");
        let script = base.join("server.js").display().to_string();
        let server = record("npx", &["-y", "notes@1.0.0", &script], &[]);
        let search_path = format!("{0}/early:{0}/bin", base.display());
        let digest = async |search_path: &str| {
            let search_path = OsStr::new(search_path);
            let plan = plan(&server, &program(&server), &secrets, search_path, "/".into()).await;
            plan.map_err(|problem| problem.to_string()).unwrap().digest
        };
        let mut before = digest(&search_path).await;
        assert_eq!(digest(&search_path).await, before);
        for (name, text) in [
            ("server.js", "two"),
            ("bin/npx", "#!/usr/bin/env node\n//\n"),
            ("bin/node", "#!/bin/sh\n:\n"),
            ("early/node", "#!/bin/sh\n:\n"),
        ] {
            executable(name, text);
            let after = digest(&search_path).await;
            assert_ne!(after, before, "{name}");
            before = after;
        }
        assert_ne!(digest(&format!("{search_path}:/usr/bin")).await, before);
    }

    /// What is typed is a secret; what decides what runs is not; what was pasted is shown on request.
    #[tokio::test]
    async fn a_card_shows_the_values_that_decide_what_runs() {
        use vestibule_consent::ValueDisplay::{Hidden, Masked, Shown};
        let secrets = MemorySecrets::new("");
        let mut server = record("true", &[], &["NODE_OPTIONS", "TYPED", "PASTED"]);
        let ServerPlace::Here(given) = &mut server.place else {
            panic!("not here")
        };
        given.pasted = vec!["PASTED".into()];
        for name in ["NODE_OPTIONS", "TYPED", "PASTED"] {
            let secret = variables::secret(server.id, &server.place, name);
            secrets.set(&secret, &format!("of {name}").into()).await.unwrap();
        }
        let facts = planned(&server, &secrets)
            .await
            .map_err(|p| p.to_string())
            .unwrap()
            .facts;
        let shown: Vec<_> = facts
            .variables
            .into_iter()
            .map(|variable| variable.value)
            .collect();
        let expected = [
            Shown {
                text: "of NODE_OPTIONS".into(),
            },
            Hidden,
            Masked {
                text: "of PASTED".into(),
            },
        ];
        assert!(shown == expected, "{shown:?}");
        let deciding = variables::deciding(&server, &secrets).await.unwrap();
        assert_eq!(deciding.len(), 1, "the page of the server shows no other value");
    }

    #[tokio::test]
    async fn a_declared_search_path_is_the_one_that_counts() {
        let secrets = MemorySecrets::new("");
        let server = record("true", &[], &["PATH"]);
        let path = variables::secret(server.id, &server.place, "PATH");
        secrets.set(&path, &"/tmp/evil".into()).await.unwrap();
        let plan = planned(&server, &secrets)
            .await
            .map_err(|p| p.to_string())
            .unwrap();
        assert_eq!(plan.record.search_path, "/tmp/evil");
        assert_eq!(plan.facts.scopes(), [vestibule_policy::Scope::Once]);
    }

    #[tokio::test]
    async fn a_missing_command_says_where_it_was_looked_for() {
        let secrets = MemorySecrets::new("");
        let record = record("no-such-program", &[], &[]);
        let Err(problem) = planned(&record, &secrets).await else {
            panic!()
        };
        let Problem::Server(ServerProblem::CommandNotFound {
            command, looked_in, ..
        }) = problem
        else {
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
            Problem::Input(InputProblem::SecretsMissing {
                names: vec!["TOKEN".into(), "OTHER".into()]
            })
        );
    }

    #[test]
    fn a_command_line_keeps_its_parts_apart() {
        let args = ["-y".to_owned(), "a b".to_owned(), String::new()];
        assert_eq!(command_line("npx", &args), "npx -y \"a b\" \"\"");
    }
}
