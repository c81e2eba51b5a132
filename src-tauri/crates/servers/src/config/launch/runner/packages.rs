//! Package runners: which package a command fetches and runs, and whether its version stands for one release.

use std::path::Path;

use super::Code;
use vestibule_consent::LaunchGapKind;

/// Flags of package runners whose value is a package.
const PACKAGE_FLAGS: [&str; 6] = [
    "--package",
    "--from",
    "--with",
    "--spec",
    "--with-requirements",
    "--with-editable",
];
/// Flags that say where packages come from.
pub(in crate::config::launch) const SOURCE_FLAGS: [&str; 13] = [
    "--registry",
    "--index-url",
    "--index",
    "--default-index",
    "--extra-index-url",
    "--find-links",
    "--pip-args",
    "--userconfig",
    "--globalconfig",
    "--config-file",
    "--constraints",
    "--overrides",
    "--source",
];
/// Other flags with a value, which must not be taken for the package.
const VALUE_FLAGS: [&str; 14] = [
    "--cache",
    "--cache-dir",
    "--prefix",
    "--workspace",
    "-w",
    "--node-options",
    "--python",
    "--env-file",
    "--extra",
    "--group",
    "--loglevel",
    "--color",
    "--resolution",
    "--exclude-newer",
];

/// What a package runner runs.
pub(super) fn packages(name: &str, args: &[String], folder: &Path, code: &mut Code) {
    code.loads_more = true;
    let mut words = args.iter().map(String::as_str);
    let command = match name {
        "npx" | "pnpx" | "bunx" | "uvx" | "dnx" => "",
        _ => words.next().unwrap_or_default(),
    };
    let runs_package = match (name, command) {
        (_, "")
        | ("npm", "exec" | "x")
        | ("pnpm" | "yarn", "dlx")
        | ("pipx" | "go", "run")
        | ("bun", "x") => true,
        ("uv", "tool") => words.next() == Some("run"),
        ("uv", "run") => false,
        _ => return code.gap(LaunchGapKind::OtherPrograms, command),
    };
    let is_python = matches!(name, "uv" | "uvx" | "pipx");
    let mut named = false;
    while let Some(word) = words.next() {
        let (flag, attached) = match word.split_once('=') {
            Some((flag, value)) if word.starts_with('-') => (flag, Some(value)),
            _ => (word, None),
        };
        let mut value = || attached.or_else(|| words.next()).unwrap_or_default();
        let is_package = PACKAGE_FLAGS.contains(&flag) || (flag == "-p" && !is_python);
        if is_package {
            named = true;
            code.package(value(), is_python, folder);
        } else if flag == "-c" || flag == "--call" {
            return code.gap(LaunchGapKind::OtherPrograms, "");
        } else if flag == "--directory" || flag == "--project" {
            code.gap(LaunchGapKind::Folder, value());
        } else if flag == "-m" || flag == "--module" {
            return code.gap(LaunchGapKind::NotAFile, value());
        } else if SOURCE_FLAGS.contains(&flag) {
            code.gap(LaunchGapKind::UnpinnedPackage, value());
        } else if VALUE_FLAGS.contains(&flag) || (flag == "-p" && is_python) {
            value();
        } else if word.starts_with('-') && word.len() > 1 {
            // A flag by itself.
        } else if !runs_package {
            return code.file(word, folder);
        } else if named && name != "pipx" {
            // The word is a command of the packages that were named.
            return;
        } else {
            return code.package(word, is_python, folder);
        }
    }
    if !named {
        code.gap(LaunchGapKind::NotAFile, "");
    }
}

impl Code {
    fn package(&mut self, package: &str, is_python: bool, folder: &Path) {
        // `--with a,b` names two.
        for one in package.split(',').filter(|_| !package.contains('[')) {
            self.one_package(one, is_python, folder);
        }
        if package.contains('[') {
            self.one_package(package, is_python, folder);
        }
    }

    fn one_package(&mut self, package: &str, is_python: bool, folder: &Path) {
        if package.starts_with(['.', '/', '~']) {
            // A folder, or an archive, which is bound as a file among the arguments.
            return self.file(package, folder);
        }
        let exact = if is_python {
            is_exact_python(package)
        } else {
            is_exact_npm(package)
        };
        if !exact {
            self.gap(LaunchGapKind::UnpinnedPackage, package);
        }
    }
}

/// `name==1.2`, `name[extra]==1.2`, `name@1.2`, with a version that stands for one release.
fn is_exact_python(package: &str) -> bool {
    let parts = package
        .split_once("==")
        .or_else(|| package.split_once('@'))
        .map(|(name, version)| (name.trim(), version.trim()));
    parts.is_some_and(|(name, version)| {
        let in_name = |c: char| c.is_ascii_alphanumeric() || "._-[],".contains(c);
        let in_version = |c: char| c.is_ascii_alphanumeric() || ".+!-_".contains(c);
        !name.is_empty()
            && name.chars().all(in_name)
            && version.starts_with(|c: char| c.is_ascii_digit())
            && version.chars().all(in_version)
    })
}

/// `name@1.2.3`, `@scope/name@1.2.3-beta.1`. For `go run` and `dnx`, too, three numbers stand for one release.
fn is_exact_npm(package: &str) -> bool {
    let Some((name, version)) = package.get(1..).and_then(|rest| rest.rsplit_once('@')) else {
        return false;
    };
    let in_name = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let scoped = package.starts_with('@');
    let slashes = name.matches('/').count();
    let release = version.split(['-', '+']).next().unwrap_or_default();
    let numbers: Vec<&str> = release.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    name.chars().all(in_name)
        && slashes == usize::from(scoped)
        && numbers.len() == 3
        && numbers.iter().all(is_number)
        && version
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".+-".contains(c))
}
