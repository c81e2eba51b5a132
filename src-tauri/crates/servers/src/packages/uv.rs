//! uv: a virtual environment, a list of requirements with the hash of every file, and an installation that accepts only
//! those files. Only wheels count, from the search for versions on: uv runs the code of a source distribution to learn its
//! dependencies, and to install it. The user's configuration of uv applies.

use std::path::{Path, PathBuf};

use super::tool::{ToolError, Tools};
use super::{FetchError, Lock, LockedPackage, PackageRequest, folder};

const LOCK: &str = "requirements.txt";
const PYTHON: &str = "venv/bin/python";
const WHEELS_ALONE: [&str; 2] = ["--only-binary", ":all:"];

pub(super) async fn resolve(
    request: &PackageRequest,
    tools: &Tools<'_>,
    folder: &Path,
) -> Result<Lock, FetchError> {
    let mut args = vec!["venv", "--no-project", "venv"];
    if let Some(python) = &request.python {
        args.extend(["--python", python]);
    }
    tools.run(&args, folder, 0, |_| false).await?;
    std::fs::write(folder.join("requirements.in"), request.packages.join("\n"))?;
    let mut args = vec!["pip", "compile", "--python", PYTHON];
    args.extend(WHEELS_ALONE);
    args.extend(["--generate-hashes", "--no-header", "--no-annotate"]);
    args.extend(["--output-file", LOCK, "requirements.in"]);
    run_pip(&args, tools, folder).await?;
    read_lock(&request.name, folder)
}

pub(super) async fn install(tools: &Tools<'_>, folder: &Path) -> Result<(), FetchError> {
    let mut args = vec!["pip", "install", "--python", PYTHON, "--require-hashes"];
    args.extend(WHEELS_ALONE);
    // Otherwise Python would write files into the folder at each first import.
    args.push("--compile-bytecode");
    args.extend(["--link-mode", "copy", "--requirements", LOCK]);
    run_pip(&args, tools, folder).await
}

async fn run_pip(args: &[&str], tools: &Tools<'_>, folder: &Path) -> Result<(), FetchError> {
    match tools.run(args, folder, 0, |_| false).await {
        Err(ToolError::Failed { lines, .. }) if has_no_wheel(&lines) => Err(FetchError::RunsCode),
        other => Ok(other?),
    }
}

/// Whether uv says that a package is offered as source alone. It breaks its sentences at the width of a terminal.
fn has_no_wheel(lines: &[String]) -> bool {
    let words: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
    let text = words.join(" ");
    text.contains("has no usable wheels") || text.contains("building from source is disabled")
}

pub(super) fn read_lock(name: &str, folder: &Path) -> Result<Lock, FetchError> {
    let text = folder::read(&folder.join(LOCK))?;
    let packages: Vec<_> = text.lines().filter_map(package).collect();
    let version = packages
        .iter()
        .find(|package| normal(&package.name) == normal(name));
    let version = version.map(|package| package.version.clone());
    Ok(Lock {
        sha256: folder::sha256(text.as_bytes()),
        version: version.ok_or_else(|| FetchError::Unexpected(format!("the lock file has no {name}")))?,
        packages,
    })
}

/// A line such as `name==1.2 \` or `name==1.2 ; marker \`.
fn package(line: &str) -> Option<LockedPackage> {
    if line.starts_with([' ', '#', '-']) {
        return None;
    }
    let (name, rest) = line.split_once("==")?;
    let version = rest.split([' ', ';', '\\']).next()?;
    Some(LockedPackage {
        name: name.split('[').next()?.to_owned(),
        version: version.to_owned(),
        has_script: false,
    })
}

/// A name of a Python package as registries compare it.
fn normal(name: &str) -> String {
    let lower = name.to_ascii_lowercase().replace(['_', '.'], "-");
    lower
        .split('-')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

/// The program in the environment. A script is run by the Python of the environment, because its first line has the path
/// that the folder had when it was made.
pub(super) fn entry(request: &PackageRequest, folder: &Path) -> Result<Vec<PathBuf>, FetchError> {
    let wanted = request.executable.as_deref().unwrap_or(&request.name);
    let program = Path::new("venv/bin").join(wanted);
    let Ok(file) = std::fs::File::open(folder.join(&program)) else {
        return Err(FetchError::NoSuchProgram { found: vec![] });
    };
    let mut start = [0; 2];
    let is_script = std::io::Read::read_exact(&mut &file, &mut start).is_ok() && start == *b"#!";
    Ok(if is_script {
        vec![PYTHON.into(), program]
    } else {
        vec![program]
    })
}
