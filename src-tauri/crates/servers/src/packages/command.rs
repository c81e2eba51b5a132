//! Reads the command lines of `npx` and `uvx`. A flag or a form of a package that is not known here makes the whole command
//! line one that is not understood, so that nothing is fetched that `npx` or `uvx` would not have run.

use std::path::Path;

use super::{PackageCommand, PackageRequest, Runner};

/// Flags of npx that change nothing about which package runs.
const NPX_PLAIN: [&str; 5] = ["-y", "--yes", "-q", "--quiet", "--prefer-offline"];
/// Flags of uvx of the same kind.
const UVX_PLAIN: [&str; 4] = ["-q", "--quiet", "--no-progress", "--isolated"];
/// Files that make a folder, and those in it, one where npx or uvx would run or obey something else.
const PROJECT: [&str; 4] = ["node_modules", "package.json", "pyproject.toml", "uv.toml"];
/// The longest word that is taken as the name of a package with its version, in bytes.
const LONGEST: usize = 256;

/// What this command line fetches and runs; `None` where it is no form that is known here.
pub(crate) fn recognise(command: &str, args: &[String], folder: &Path) -> Option<PackageCommand> {
    let name = Path::new(command).file_name()?.to_str()?;
    let understood = match name {
        "npx" => npx(args),
        "uvx" => uvx(args),
        _ => None,
    }?;
    // Last, because a disk of the network may take long to answer.
    let is_project = |folder: &Path| PROJECT.iter().any(|name| folder.join(name).exists());
    (!folder.ancestors().any(is_project)).then_some(understood)
}

fn npx(args: &[String]) -> Option<PackageCommand> {
    let mut words = args.iter().map(String::as_str);
    let mut packages = vec![];
    let executable = loop {
        let word = words.next()?;
        match word.split_once('=').unwrap_or((word, "")) {
            ("-p" | "--package", "") => packages.push(npm_package(words.next()?)?),
            ("--package", value) => packages.push(npm_package(value)?),
            ("--", "") => break words.next()?,
            _ if NPX_PLAIN.contains(&word) => {}
            _ if word.starts_with('-') => return None,
            _ => break word,
        }
    };
    let executable = if packages.is_empty() {
        packages.push(npm_package(executable)?);
        None
    } else {
        Some(executable)
            .filter(|name| is_program(name))
            .map(str::to_owned)?
            .into()
    };
    let (name, wanted) = packages[0].clone();
    let packages = packages
        .into_iter()
        .map(|(name, wanted)| joined(&name, "@", &wanted));
    Some(PackageCommand {
        request: PackageRequest {
            runner: Runner::Npm,
            packages: packages.collect(),
            name,
            wanted,
            executable,
            python: None,
        },
        args: words.map(str::to_owned).collect(),
    })
}

fn uvx(args: &[String]) -> Option<PackageCommand> {
    let mut words = args.iter().map(String::as_str);
    let (mut from, mut with, mut python) = (None, vec![], None);
    let word = loop {
        let word = words.next()?;
        let (flag, attached) = match word.split_once('=') {
            Some((flag, value)) if word.starts_with("--") => (flag, Some(value)),
            _ => (word, None),
        };
        match flag {
            "--from" => from = Some(python_package(attached.or_else(|| words.next())?)?),
            "--with" => {
                let all = attached.or_else(|| words.next())?;
                // A comma also separates the bounds of a version.
                with.push(python_package(all).filter(|_| !all.contains(','))?);
            }
            "--python" | "-p" => {
                let wanted = attached.or_else(|| words.next())?;
                python = Some(is_python_version(wanted).then(|| wanted.to_owned())?);
            }
            "--" if attached.is_none() => break words.next()?,
            _ if UVX_PLAIN.contains(&word) => {}
            _ if word.starts_with('-') => return None,
            _ => break word,
        }
    };
    let (main, executable) = match from {
        Some(package) => (package, is_program(word).then(|| word.to_owned())?),
        None => {
            let package = python_package(word)?;
            let name = package.0.split('[').next().unwrap_or_default().to_owned();
            (package, name)
        }
    };
    let (name, wanted) = main.clone();
    let all = std::iter::once(main).chain(with);
    Some(PackageCommand {
        request: PackageRequest {
            runner: Runner::Uv,
            packages: all.map(|(name, wanted)| format!("{name}{wanted}")).collect(),
            name: name.split('[').next().unwrap_or_default().to_owned(),
            wanted: wanted.strip_prefix("==").unwrap_or(&wanted).to_owned(),
            executable: Some(executable),
            python,
        },
        args: words.map(str::to_owned).collect(),
    })
}

fn joined(name: &str, between: &str, wanted: &str) -> String {
    if wanted.is_empty() {
        name.to_owned()
    } else {
        format!("{name}{between}{wanted}")
    }
}

/// `name`, `@scope/name`, and after an `@` a version, a range in one word, or a tag.
fn npm_package(word: &str) -> Option<(String, String)> {
    let is_scoped = word.starts_with('@');
    let after = usize::from(is_scoped);
    let (name, wanted) = match word.get(after..)?.split_once('@') {
        Some((name, wanted)) if !wanted.is_empty() => (&word[..name.len() + after], wanted),
        Some(_) => return None,
        None => (word, ""),
    };
    let parts: Vec<&str> = name[after..].split('/').collect();
    let in_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_part = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && part.chars().all(in_name)
    };
    let in_version = |c: char| c.is_ascii_alphanumeric() || ".+-^~*".contains(c);
    let fits = word.len() <= LONGEST
        && parts.len() == 1 + after
        && parts.iter().all(is_part)
        && !wanted.starts_with(['-', '.'])
        && wanted.chars().all(in_version);
    fits.then(|| (name.to_owned(), wanted.to_owned()))
}

/// `name`, `name[extra]`, and after it `==1.2`, other bounds, or `@1.2`. The second part begins with what compares.
fn python_package(word: &str) -> Option<(String, String)> {
    let end = word.find(['=', '<', '>', '~', '!', '@']).unwrap_or(word.len());
    let (name, bounds) = word.split_at(end);
    let bounds = match bounds.strip_prefix('@') {
        Some("latest") => String::new(),
        Some(version) if version.starts_with(|c: char| c.is_ascii_digit()) => format!("=={version}"),
        Some(_) => return None,
        None => bounds.to_owned(),
    };
    let (bare, extras) = match name.split_once('[') {
        Some((bare, extras)) => (bare, extras.strip_suffix(']')?),
        None => (name, ""),
    };
    let in_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let in_bounds = |c: char| c.is_ascii_alphanumeric() || ".+!=<>~,*-_".contains(c);
    let fits = word.len() <= LONGEST
        && bare.starts_with(|c: char| c.is_ascii_alphanumeric())
        && bare.chars().all(in_name)
        && extras.chars().all(|c| in_name(c) || c == ',')
        && bounds.chars().all(in_bounds);
    fits.then(|| (name.to_owned(), bounds))
}

fn is_python_version(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Whether a word can be the name of a program in a folder of programs.
pub(super) fn is_program(word: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.len() <= LONGEST
        && word.chars().all(in_name)
}
