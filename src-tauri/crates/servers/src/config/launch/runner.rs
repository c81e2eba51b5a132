//! Programs that run other code, and how their arguments name it. From the command alone it is said which of that code a
//! permission cannot be bound to: nothing here reads a file beyond asking whether it is one. A form that is not
//! understood counts as not bound.

mod container;
mod interpreter;
mod packages;

use std::path::{Path, PathBuf};

use vestibule_consent::{LaunchGap, LaunchGapKind};

use container::{has_digest, image};
use interpreter::{BUN, DENO, JAVA, NODE, PERL, PHP, PLAIN, PYTHON, SHELL, Syntax, interpreted, loaded};
pub(super) use packages::SOURCE_FLAGS;
use packages::packages;

/// What a command says of the code it runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Code {
    /// What cannot be bound.
    pub(super) gaps: Vec<LaunchGap>,
    /// Whether the code loads more than is named.
    pub(super) loads_more: bool,
    /// The files among the arguments that are run or loaded.
    pub(super) files: Vec<PathBuf>,
}

/// Interpreters that know no flags of their own here.
const OTHER_INTERPRETERS: [&str; 8] = [
    "lua",
    "luajit",
    "julia",
    "rscript",
    "tclsh",
    "tsx",
    "ts-node",
    "osascript",
];
/// Programs that take a file of commands, or a command line.
pub(super) const SHELLS: [&str; 11] = [
    "sh",
    "bash",
    "zsh",
    "dash",
    "fish",
    "ksh",
    "csh",
    "tcsh",
    "cmd",
    "powershell",
    "pwsh",
];
/// Programs that fetch a package and run it.
const PACKAGE_RUNNERS: [&str; 11] = [
    "npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "uv", "uvx", "pipx", "dnx", "go",
];
/// Those whose packages are never downloaded as a step of its own, so that no lock file holds their dependencies.
const FLOATING_RUNNERS: [&str; 6] = ["pnpm", "pnpx", "yarn", "bunx", "pipx", "dnx"];
/// Programs that run another one named in their arguments.
const WRAPPERS: [&str; 55] = [
    "env",
    "xargs",
    "timeout",
    "nohup",
    "nice",
    "ionice",
    "setsid",
    "stdbuf",
    "flock",
    "sudo",
    "doas",
    "ssh",
    "wsl",
    "kubectl",
    "nsenter",
    "unshare",
    "bwrap",
    "firejail",
    "script",
    "busybox",
    "make",
    "just",
    "task",
    "cargo",
    "dotnet",
    "mise",
    "asdf",
    "direnv",
    "nix",
    "find",
    "strace",
    "systemd-run",
    "xvfb-run",
    "dbus-run-session",
    "caffeinate",
    "apptainer",
    "chroot",
    "conda",
    "distrobox",
    "flatpak",
    "hatch",
    "mamba",
    "micromamba",
    "parallel",
    "pdm",
    "pipenv",
    "pixi",
    "pkexec",
    "poetry",
    "runuser",
    "rye",
    "singularity",
    "snap",
    "su",
    "toolbox",
];

/// How a family of programs names what to run.
enum Family {
    /// Runs the first word that is no flag, as a file.
    Interpreter(&'static Syntax),
    /// Runs a file like an interpreter; with these flags a command line.
    Shell,
    /// Fetches a package and runs it.
    Packages,
    Container,
    Wrapper,
}

/// The name of a program without what tells its versions and platforms apart: `python3.11`, `nodejs`, `npx.cmd`.
pub(super) fn family_name(program: &Path) -> String {
    let name = program
        .file_name()
        .map(|name| name.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let name = [".exe", ".cmd", ".bat", ".com", ".ps1"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    match bare {
        "" => name.to_owned(),
        "nodejs" => "node".to_owned(),
        "pypy" => "python".to_owned(),
        bare => bare.to_owned(),
    }
}

/// Whether a program runs other code, so that an update of it says nothing about that code.
pub(super) fn is_runner(program: &Path) -> bool {
    family(&family_name(program)).is_some()
}

/// Whether a program may download what it runs, as npx and docker do, so that its start may take as long as a download.
pub(crate) fn may_download(program: &Path, args: &[String]) -> bool {
    let name = family_name(program);
    match family(&name) {
        Some(Family::Packages | Family::Container) => true,
        Some(Family::Interpreter(_)) => is_bun_x(&name, args),
        _ => false,
    }
}

fn is_bun_x(name: &str, args: &[String]) -> bool {
    name == "bun" && args.first().is_some_and(|arg| arg == "x")
}

fn family(name: &str) -> Option<Family> {
    Some(match name {
        "node" => Family::Interpreter(&NODE),
        "bun" => Family::Interpreter(&BUN),
        "deno" => Family::Interpreter(&DENO),
        "python" => Family::Interpreter(&PYTHON),
        "perl" | "ruby" => Family::Interpreter(&PERL),
        "php" => Family::Interpreter(&PHP),
        "java" => Family::Interpreter(&JAVA),
        "docker" | "podman" | "nerdctl" => Family::Container,
        name if OTHER_INTERPRETERS.contains(&name) => Family::Interpreter(&PLAIN),
        name if SHELLS.contains(&name) => Family::Shell,
        name if PACKAGE_RUNNERS.contains(&name) => Family::Packages,
        name if WRAPPERS.contains(&name) => Family::Wrapper,
        _ => return None,
    })
}

/// What cannot be bound of what this command runs.
pub(super) fn code(program: &Path, args: &[String], folder: &Path) -> Code {
    let name = family_name(program);
    let mut code = Code::default();
    match family(&name) {
        None => {}
        Some(Family::Interpreter(syntax)) => {
            code.loads_more = true;
            if is_bun_x(&name, args) {
                packages(&name, args, folder, &mut code);
                code.floating(&name);
            } else {
                interpreted(syntax, args, folder, &mut code);
            }
        }
        Some(Family::Shell) => shell(args, folder, &mut code),
        Some(Family::Packages) => {
            packages(&name, args, folder, &mut code);
            if FLOATING_RUNNERS.contains(&name.as_str()) {
                code.floating(&name);
            }
        }
        Some(Family::Container) => container(&name, args, &mut code),
        Some(Family::Wrapper) => code.gap(LaunchGapKind::OtherPrograms, ""),
    }
    code
}

/// What the options in the value of a variable load that cannot be bound.
pub(super) fn options(variable: &str, value: &str, folder: &Path) -> Vec<LaunchGap> {
    let mut code = Code::default();
    match variable.to_ascii_uppercase().as_str() {
        "NODE_OPTIONS" => loaded(&NODE, value, folder, &mut code),
        "BUN_OPTIONS" => loaded(&BUN, value, folder, &mut code),
        // Letters that name a module can stand after others, and Perl needs no `-` before them.
        "PERL5OPT" | "RUBYOPT" if value.contains(|c: char| !" -wWtTUCDSKE0123456789:".contains(c)) => {
            code.gap(LaunchGapKind::NotAFile, value);
        }
        "PERL5DB" if !value.trim().is_empty() => code.gap(LaunchGapKind::NotAFile, value),
        _ => {}
    }
    code.gaps
}

fn shell(args: &[String], folder: &Path, code: &mut Code) {
    code.loads_more = true;
    let mut flags = args
        .iter()
        .take_while(|arg| arg.starts_with('-') || arg.len() == 2);
    if flags.any(|arg| is_command_flag(arg)) {
        code.gap(LaunchGapKind::OtherPrograms, "");
    } else {
        interpreted(&SHELL, args, folder, code);
    }
}

fn container(name: &str, args: &[String], code: &mut Code) {
    let image = image(args);
    if name != "docker" || !image.is_some_and(has_digest) {
        code.gap(LaunchGapKind::ImageByTag, image.unwrap_or_default());
    }
}

impl Code {
    fn gap(&mut self, kind: LaunchGapKind, what: &str) {
        let gap = LaunchGap {
            kind,
            what: what.to_owned(),
        };
        if !self.gaps.contains(&gap) {
            self.gaps.push(gap);
        }
    }

    /// A runner that chooses dependencies at each start. What else is not bound says more.
    fn floating(&mut self, runner: &str) {
        if self.gaps.is_empty() {
            self.gap(LaunchGapKind::FloatingDependencies, runner);
        }
    }

    /// A word that names code: bound with the other arguments where it is a file.
    fn file(&mut self, word: &str, folder: &Path) {
        let path = word.strip_prefix("file://").unwrap_or(word);
        match folder.join(path).metadata() {
            Ok(data) if data.is_file() => self.files.push(folder.join(path)),
            Ok(_) => self.gap(LaunchGapKind::Folder, word),
            Err(_) => self.gap(LaunchGapKind::NotAFile, word),
        }
    }
}

/// `-c` of a shell, also among other letters (`-lc`), and what cmd and PowerShell write for it.
fn is_command_flag(arg: &str) -> bool {
    let lower = arg.to_ascii_lowercase();
    let letters = arg
        .strip_prefix('-')
        .is_some_and(|rest| !rest.starts_with('-') && rest.contains(['c', 'C']));
    letters || matches!(lower.as_str(), "/c" | "/k" | "--command" | "--init-command")
}

#[cfg(test)]
mod tests;
