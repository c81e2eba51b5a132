//! Programs that run other code, and how their arguments name it. From the command alone it is said which of that code a
//! permission cannot be bound to: nothing here reads a file beyond asking whether it is one. A form that is not
//! understood counts as not bound.

use std::path::Path;

use vestibule_consent::{LaunchGap, LaunchGapKind};

/// What a command says of the code it runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Code {
    /// What cannot be bound.
    pub(super) gaps: Vec<LaunchGap>,
    /// Whether the code loads more than is named.
    pub(super) loads_more: bool,
}

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

/// The flags of an interpreter.
struct Syntax {
    /// The code follows, or reading the code from the command line is switched on.
    inline: &'static [&'static str],
    /// The value names a module that is run instead of a file.
    module: &'static [&'static str],
    /// The value names a file or module that is loaded as well.
    loads: &'static [&'static str],
    /// The value is no code.
    value: &'static [&'static str],
    /// Words before the file.
    commands: &'static [&'static str],
    /// Whether letters can stand together (`-ic`), with the value of the last one attached (`-mnotes`).
    letters: bool,
}

const NODE: Syntax = Syntax {
    inline: &["-e", "--eval", "-p", "--print", "-pe"],
    module: &["--run"],
    loads: &[
        "-r",
        "--require",
        "--import",
        "--loader",
        "--experimental-loader",
        "--env-file",
        "--env-file-if-exists",
        "--preload",
    ],
    value: &["-C", "--conditions", "--title", "--max-http-header-size"],
    commands: &[],
    letters: false,
};
const BUN: Syntax = Syntax {
    inline: &["-e", "--eval", "-p", "--print"],
    module: &[],
    loads: &[
        "-r",
        "--require",
        "--import",
        "--preload",
        "--env-file",
        "-c",
        "--config",
        "--cwd",
    ],
    value: &[],
    commands: &["run"],
    letters: true,
};
const DENO: Syntax = Syntax {
    inline: &["eval"],
    module: &["task"],
    loads: &["--preload", "--import", "--import-map", "--config", "-c"],
    value: &["--lock", "--cert"],
    commands: &["run", "serve"],
    letters: true,
};
const PYTHON: Syntax = Syntax {
    inline: &["-c"],
    module: &["-m"],
    loads: &[],
    value: &["-X", "-W", "--check-hash-based-pycs"],
    commands: &[],
    letters: true,
};
const PERL: Syntax = Syntax {
    inline: &["-e", "-E"],
    module: &[],
    loads: &["-r", "-I", "-M"],
    value: &[],
    commands: &[],
    letters: true,
};
const PHP: Syntax = Syntax {
    inline: &["-r"],
    module: &[],
    loads: &["-c"],
    value: &["-d"],
    commands: &[],
    letters: true,
};
const JAVA: Syntax = Syntax {
    inline: &[],
    module: &["-m", "--module"],
    loads: &["-cp", "-classpath", "--class-path", "-p", "--module-path"],
    value: &["--add-modules", "--add-opens", "--add-exports"],
    commands: &[],
    letters: false,
};
const PLAIN: Syntax = Syntax {
    inline: &["-e"],
    module: &[],
    loads: &["-l", "-r"],
    value: &[],
    commands: &[],
    letters: true,
};
const SHELL: Syntax = Syntax {
    inline: &[],
    module: &[],
    loads: &["--rcfile", "--init-file"],
    value: &["-o", "-O"],
    commands: &[],
    letters: false,
};

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

fn family(name: &str) -> Option<Family> {
    Some(match name {
        "node" => Family::Interpreter(&NODE),
        "bun" => Family::Interpreter(&BUN),
        "deno" => Family::Interpreter(&DENO),
        "python" => Family::Interpreter(&PYTHON),
        "perl" | "ruby" => Family::Interpreter(&PERL),
        "php" => Family::Interpreter(&PHP),
        "java" => Family::Interpreter(&JAVA),
        "lua" | "luajit" | "julia" | "rscript" | "tclsh" | "tsx" | "ts-node" | "osascript" => {
            Family::Interpreter(&PLAIN)
        }
        "sh" | "bash" | "zsh" | "dash" | "fish" | "ksh" | "csh" | "tcsh" | "cmd" | "powershell" | "pwsh" => {
            Family::Shell
        }
        "npx" | "npm" | "pnpm" | "pnpx" | "yarn" | "bunx" | "uv" | "uvx" | "pipx" | "dnx" | "go" => {
            Family::Packages
        }
        "docker" | "podman" | "nerdctl" => Family::Container,
        "env" | "xargs" | "timeout" | "nohup" | "nice" | "ionice" | "setsid" | "stdbuf" | "flock"
        | "sudo" | "doas" | "ssh" | "wsl" | "kubectl" | "nsenter" | "unshare" | "bwrap" | "firejail"
        | "script" | "busybox" | "make" | "just" | "task" | "cargo" | "dotnet" | "mise" | "asdf"
        | "direnv" | "nix" | "find" | "strace" | "systemd-run" | "xvfb-run" | "dbus-run-session"
        | "caffeinate" => Family::Wrapper,
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
            if name == "bun" && args.first().is_some_and(|arg| arg == "x") {
                packages(&name, args, folder, &mut code);
            } else {
                interpreted(syntax, args, folder, &mut code);
            }
        }
        Some(Family::Shell) => {
            code.loads_more = true;
            let mut flags = args
                .iter()
                .take_while(|arg| arg.starts_with('-') || arg.len() == 2);
            if flags.any(|arg| is_command_flag(arg)) {
                code.gap(LaunchGapKind::OtherPrograms, "");
            } else {
                interpreted(&SHELL, args, folder, &mut code);
            }
        }
        Some(Family::Packages) => packages(&name, args, folder, &mut code),
        Some(Family::Container) => {
            let image = image(args);
            if name != "docker" || !image.is_some_and(has_digest) {
                code.gap(LaunchGapKind::ImageByTag, image.unwrap_or_default());
            }
        }
        Some(Family::Wrapper) => code.gap(LaunchGapKind::OtherPrograms, ""),
    }
    code
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

    /// A word that names code: bound with the other arguments where it is a file.
    fn file(&mut self, word: &str, folder: &Path) {
        let path = word.strip_prefix("file://").unwrap_or(word);
        match folder.join(path).metadata() {
            Ok(data) if data.is_file() => {}
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

fn interpreted(syntax: &Syntax, args: &[String], folder: &Path, code: &mut Code) {
    let mut words = args.iter().map(String::as_str);
    let mut first = true;
    while let Some(word) = words.next() {
        let (flag, attached) = syntax.flag(word);
        let mut value = || attached.or_else(|| words.next()).unwrap_or_default();
        if syntax.inline.contains(&flag.as_str()) {
            return;
        } else if syntax.module.contains(&flag.as_str()) {
            return code.gap(LaunchGapKind::NotAFile, value());
        } else if syntax.loads.contains(&flag.as_str()) {
            let loaded = value();
            code.file(loaded, folder);
        } else if syntax.value.contains(&flag.as_str()) {
            value();
        } else if word == "--" {
            let file = words.next().unwrap_or_default();
            return code.file(file, folder);
        } else if word.starts_with('-') && word.len() > 1 {
            // A flag by itself. The word after `-jar` is a file like any other.
        } else if first && syntax.commands.contains(&word) {
            first = false;
        } else {
            return code.file(word, folder);
        }
    }
    code.gap(LaunchGapKind::NotAFile, "");
}

impl Syntax {
    /// The flag that a word stands for, and the value attached to it.
    fn flag<'a>(&self, word: &'a str) -> (String, Option<&'a str>) {
        if self.letters
            && let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))
        {
            let known = letters.char_indices().find_map(|(at, letter)| {
                let flag = format!("-{letter}");
                let is_known = [self.inline, self.module, self.loads, self.value]
                    .iter()
                    .any(|flags| flags.contains(&flag.as_str()));
                let rest = &letters[at + letter.len_utf8()..];
                is_known.then_some((flag, (!rest.is_empty()).then_some(rest)))
            });
            if let Some(known) = known {
                return known;
            }
        }
        match word.split_once('=') {
            Some((flag, value)) if word.starts_with('-') => (flag.to_owned(), Some(value)),
            _ => (word.to_owned(), None),
        }
    }
}

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
pub(super) const SOURCE_FLAGS: [&str; 13] = [
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

fn packages(name: &str, args: &[String], folder: &Path, code: &mut Code) {
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

/// Flags of `docker run` without a value. Any other takes the next word.
const DOCKER_SWITCHES: [&str; 19] = [
    "-i",
    "-t",
    "-it",
    "-ti",
    "-d",
    "-P",
    "-q",
    "--interactive",
    "--tty",
    "--detach",
    "--rm",
    "--init",
    "--read-only",
    "--privileged",
    "--publish-all",
    "--quiet",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--use-api-socket",
];

/// The image of `docker run`.
fn image(args: &[String]) -> Option<&str> {
    let mut words = args.iter().map(String::as_str);
    if words.next() != Some("run") {
        return None;
    }
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Some(word);
        }
        if !DOCKER_SWITCHES.contains(&word) && !word.contains('=') {
            words.next();
        }
    }
    None
}

fn has_digest(image: &str) -> bool {
    image
        .rsplit_once("@sha256:")
        .is_some_and(|(_, digest)| digest.len() == 64 && digest.chars().all(|c| c.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests;
