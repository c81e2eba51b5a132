//! npm: a folder with a `package.json` of ours, the lock file that npm makes of it, and `npm ci` from that lock. The
//! flags below undo settings of a user's `.npmrc` under which the lock would not be enough; its registry, proxies,
//! certificates and credentials apply.

mod platform;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

use super::command::is_program;
use super::tool::Tools;
use super::{FetchError, Lock, LockedPackage, PackageRequest, folder};
use platform::Platform;

const LOCK: &str = "package-lock.json";
/// How many maintainers are read, and how much of each, in characters.
const MOST_MAINTAINERS: usize = 100;
const LONGEST_MAINTAINER: usize = 200;
const FLAGS: [&str; 12] = [
    "--prefix=.",
    "--no-global",
    "--ignore-scripts",
    "--package-lock",
    "--omit-lockfile-registry-resolved=false",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    // With the default of two, npm needs more than a minute to say that a registry does not answer.
    "--fetch-retries=1",
    "--loglevel=http",
    "--no-progress",
    "--no-dry-run",
];

pub(super) async fn resolve(
    request: &PackageRequest,
    tools: &Tools<'_>,
    folder: &Path,
) -> Result<Lock, FetchError> {
    std::fs::write(folder.join("package.json"), r#"{"private":true}"#)?;
    let mut args = vec!["install", "--package-lock-only", "--save", "--save-exact"];
    args.extend(FLAGS);
    args.extend(request.packages.iter().map(String::as_str));
    tools.run(&args, folder, 0, |_| false).await?;
    read_lock(&request.name, folder)
}

pub(super) async fn install(tools: &Tools<'_>, folder: &Path) -> Result<(), FetchError> {
    let lock = folder::read(&folder.join(LOCK))?;
    let total = packages(&lock)?.len();
    let mut args = vec!["ci"];
    args.extend(FLAGS);
    let total = u32::try_from(total).unwrap_or(u32::MAX);
    tools.run(&args, folder, total, is_archive).await?;
    Ok(())
}

/// Who may publish a version of a package, as the registry lists them; empty where it does not say.
pub(super) async fn maintainers(
    name: &str,
    version: &str,
    tools: &Tools<'_>,
    folder: &Path,
) -> Result<Vec<String>, FetchError> {
    let package = format!("{name}@{version}");
    let args = [
        "view",
        &package,
        "maintainers",
        "--json",
        "--loglevel=silent",
        "--no-color",
    ];
    Ok(listed(&tools.answer(&args, folder).await?))
}

/// npm prints one maintainer as a text or an object, and several as a list of either.
fn listed(answer: &str) -> Vec<String> {
    let all = match serde_json::from_str(answer) {
        Ok(Value::Array(all)) => all,
        Ok(one @ (Value::String(_) | Value::Object(_))) => vec![one],
        _ => vec![],
    };
    let text = |one: &Value| match one {
        Value::String(text) => Some(bounded(text)),
        other => Some(bounded(other["name"].as_str()?)),
    };
    all.iter().take(MOST_MAINTAINERS).filter_map(text).collect()
}

fn bounded(text: &str) -> String {
    text.chars().take(LONGEST_MAINTAINER).collect()
}

/// Whether a line of npm says that the archive of a package has arrived.
fn is_archive(line: &str) -> bool {
    line.starts_with("npm http fetch GET 200 ") && line.contains(".tgz")
}

pub(super) fn read_lock(name: &str, folder: &Path) -> Result<Lock, FetchError> {
    let text = folder::read(&folder.join(LOCK))?;
    let packages = packages(&text)?;
    let own = format!("node_modules/{name}");
    let version = packages.iter().find(|(path, _)| *path == own);
    let version = version.map(|(_, package)| package.version.clone());
    let mut packages: Vec<_> = packages.into_iter().map(|(_, package)| package).collect();
    packages.sort();
    packages.dedup();
    Ok(Lock {
        packages,
        sha256: folder::sha256(text.as_bytes()),
        version: version.ok_or_else(|| FetchError::Unexpected(format!("the lock file has no {name}")))?,
    })
}

#[derive(Deserialize)]
struct LockFile {
    packages: BTreeMap<String, Locked>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Locked {
    version: Option<String>,
    integrity: Option<String>,
    #[serde(default)]
    has_install_script: bool,
    #[serde(default)]
    in_bundle: bool,
    /// Whether npm does without it where it cannot be installed. Read in any form, like the two lists: a form that is not
    /// understood must not make the lock file unreadable.
    #[serde(default)]
    optional: Value,
    /// The systems it is for.
    #[serde(default)]
    os: Value,
    /// The processors it is for.
    #[serde(default)]
    cpu: Value,
}

impl Locked {
    /// Whether npm installs it here. The lock file has the optional packages of every system.
    fn is_installed(&self, here: &Platform) -> bool {
        self.optional != Value::Bool(true) || here.fits(&self.os, &self.cpu)
    }
}

/// The packages of a lock file that npm installs on this system, with the folder of each. One without a hash is refused,
/// because its bytes would not be known, and so is one of another system, because npm decides which it installs.
fn packages(lock: &str) -> Result<Vec<(String, LockedPackage)>, FetchError> {
    let lock: LockFile =
        serde_json::from_str(lock).map_err(|error| FetchError::Unexpected(error.to_string()))?;
    let here = Platform::this();
    let mut installed = vec![];
    for (path, locked) in lock.packages.into_iter().filter(|(path, _)| !path.is_empty()) {
        let name = path.rsplit("node_modules/").next().unwrap_or_default().to_owned();
        if locked.integrity.is_none() && !locked.in_bundle {
            return Err(FetchError::Unexpected(format!("npm knows no hash of {name}")));
        }
        if !locked.is_installed(&here) {
            continue;
        }
        let package = LockedPackage {
            name,
            version: locked.version.unwrap_or_default(),
            has_script: locked.has_install_script,
        };
        installed.push((path, package));
    }
    Ok(installed)
}

/// The program that npx would run: of the packages that were named, in their order.
pub(super) fn entry(request: &PackageRequest, folder: &Path) -> Result<PathBuf, FetchError> {
    let names = request.packages.iter().map(|package| {
        let end = package.get(1..).and_then(|rest| rest.find('@'));
        end.map_or(package.as_str(), |end| &package[..=end])
    });
    let mut found = vec![];
    for name in names {
        let package = Path::new("node_modules").join(name);
        let programs = programs(name, &folder.join(&package))?;
        let own = name.rsplit('/').next().unwrap_or_default();
        let chosen = match &request.executable {
            Some(wanted) => programs.get(wanted),
            // npx runs the only program, whatever its name is.
            None if programs
                .values()
                .all(|path| Some(path) == programs.values().next()) =>
            {
                programs.values().next()
            }
            None => programs.get(own),
        };
        if let Some(path) = chosen {
            return Ok(package.join(path));
        }
        found.extend(programs.into_keys());
    }
    Err(FetchError::NoSuchProgram { found })
}

/// The programs of a package by name, as paths inside it.
fn programs(name: &str, package: &Path) -> Result<BTreeMap<String, PathBuf>, FetchError> {
    let text = folder::read(&package.join("package.json"))?;
    let description: Value =
        serde_json::from_str(&text).map_err(|error| FetchError::Unexpected(error.to_string()))?;
    let own = name.rsplit('/').next().unwrap_or_default().to_owned();
    let named = match &description["bin"] {
        Value::String(path) => vec![(own, path.as_str())],
        Value::Object(all) => {
            let named = all
                .iter()
                .filter_map(|(name, path)| Some((name.clone(), path.as_str()?)));
            named.collect()
        }
        _ => vec![],
    };
    let inside = |(name, path): (String, &str)| {
        let path = folder::inside(path)?;
        is_program(&name).then_some((name, path))
    };
    Ok(named.into_iter().filter_map(inside).collect())
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn maintainers_are_read_in_each_form_that_npm_prints() {
        for (answer, expected) in [
            (
                r#"["ann <a@x.example>", "ben"]"#,
                vec!["ann <a@x.example>", "ben"],
            ),
            (r#""ann <a@x.example>""#, vec!["ann <a@x.example>"]),
            (
                r#"[{"name":"ann","email":"a@x.example"},{"email":"b"}]"#,
                vec!["ann"],
            ),
            (r#"{"name":"ann"}"#, vec!["ann"]),
            ("", vec![]),
            ("npm error code E404", vec![]),
        ] {
            assert_eq!(listed(answer), expected, "{answer}");
        }
        let many = serde_json::json!(vec!["x".repeat(500); 500]).to_string();
        assert!(listed(&many).len() == 100 && listed(&many).iter().all(|one| one.len() == 200));
    }
}
