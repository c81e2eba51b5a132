//! Forms of starting a program that can do more than they seem to. Naming them is a help for the reader of a
//! card; nothing is ever allowed because none was found.

use std::collections::BTreeSet;
use std::path::Path;

use vestibule_consent::LaunchRisk;

/// What deserves a second look in this command.
pub(super) fn of(program: &Path, args: &[String]) -> Vec<LaunchRisk> {
    let name = program
        .file_stem()
        .map(|stem| stem.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let mut found = BTreeSet::new();
    if runs_inline_code(&name, args) {
        found.insert(LaunchRisk::InlineCode);
    }
    if fetches_unpinned(&name, args) {
        found.insert(LaunchRisk::UnpinnedPackage);
    }
    if matches!(
        name.as_str(),
        "docker" | "podman" | "ssh" | "sudo" | "doas" | "wsl" | "kubectl" | "nsenter"
    ) {
        found.insert(LaunchRisk::ReachesFurther);
    }
    if args.iter().any(|arg| arg.chars().any(hides)) {
        found.insert(LaunchRisk::HiddenCharacters);
    }
    found.into_iter().collect()
}

/// A shell, an interpreter that is handed code, or a program that runs another one it is told.
fn runs_inline_code(name: &str, args: &[String]) -> bool {
    let flags: &[&str] = match name {
        "sh" | "bash" | "zsh" | "dash" | "fish" | "ksh" | "csh" | "tcsh" | "cmd" | "powershell" | "pwsh"
        | "env" | "xargs" | "osascript" | "eval" | "busybox" | "script" | "awk" | "gawk" | "mawk" => {
            return true;
        }
        "npx" | "npm" | "pnpm" | "yarn" => &["-c", "--call", "exec"],
        "node" | "bun" => &[
            "-e",
            "--eval",
            "-p",
            "--print",
            "-pe",
            "-r",
            "--require",
            "--import",
        ],
        "deno" => &["eval", "-"],
        "perl" | "ruby" | "lua" => &["-e", "-E"],
        "php" => &["-r"],
        "find" => &["-exec", "-execdir", "-ok"],
        "rg" => &["--pre"],
        "git" => &["-c"],
        "tar" => &["--to-command", "--checkpoint-action"],
        _ if name.starts_with("python") => &["-c", "-"],
        _ => &[],
    };
    args.iter().any(|arg| flags.iter().any(|flag| is_flag(arg, flag)))
}

/// The flag itself, the flag with its value attached (`--eval=…`, `-e…` for single letters), or single letters
/// in one (`-ic`).
fn is_flag(arg: &str, flag: &str) -> bool {
    if arg == flag || arg.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')) {
        return true;
    }
    let single = flag.len() == 2 && flag.starts_with('-');
    single && !arg.starts_with("--") && arg.starts_with('-') && arg[1..].contains(&flag[1..])
}

/// A package runner whose package has no fixed version: what runs tomorrow may be something else.
fn fetches_unpinned(name: &str, args: &[String]) -> bool {
    let words: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let package = match (name, words.first().copied()) {
        ("npx" | "bunx" | "uvx", Some(package)) => package,
        ("npm", Some("exec" | "x"))
        | ("pnpm" | "yarn", Some("dlx"))
        | ("pipx", Some("run"))
        | ("bun", Some("x"))
        | ("uv", Some("tool")) => match words.iter().copied().skip(1).find(|word| *word != "run") {
            Some(package) => package,
            None => return false,
        },
        _ => return false,
    };
    let is_path = package.starts_with(['.', '/', '~']);
    !is_path && !pinned(package)
}

/// `name@1.2.3`, `@scope/name@1.2.3`, `name==1.2.3`.
fn pinned(package: &str) -> bool {
    let version = package
        .rsplit_once("==")
        .or_else(|| package.get(1..).and_then(|rest| rest.rsplit_once('@')))
        .map(|(_, version)| version);
    version.is_some_and(|version| {
        version.starts_with(|c: char| c.is_ascii_digit()) && version.matches('.').count() >= 2
    })
}

/// Characters a person can not see, or that reorder the ones they can.
fn hides(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn risks(line: &str) -> Vec<LaunchRisk> {
        let mut words = line.split(' ').map(str::to_owned);
        let program = format!("/usr/bin/{}", words.next().unwrap());
        of(Path::new(&program), &words.collect::<Vec<_>>())
    }

    /// Shows LS-004.
    #[test]
    fn code_on_the_command_line_is_named_in_every_form() {
        for line in [
            "npx -c id",
            "npx --call=id",
            "npm exec evil",
            "node -e 1",
            "node --eval=1",
            "node -pe 1",
            "node -r ./x.js s.js",
            "bun -e 1",
            "deno eval 1",
            "python -c 1",
            "python3.11 -c 1",
            "python3 -ic 1",
            "perl -e 1",
            "ruby -e 1",
            "php -r 1",
            "bash -lc id",
            "sh -c id",
            "zsh x",
            "dash -c id",
            "fish -c id",
            "env -S id",
            "env FOO=1 id",
            "xargs id",
            "osascript -e x",
            "cmd /c dir",
            "pwsh -Command x",
            "find . -exec id",
            "rg --pre id",
            "git -c alias.x=!id x",
            "tar --to-command=id",
            "busybox sh",
            "awk BEGIN",
            "perl -ne 1",
        ] {
            assert!(risks(line).contains(&LaunchRisk::InlineCode), "{line}");
        }
    }

    #[test]
    fn an_ordinary_command_is_not_made_to_look_dangerous() {
        for line in [
            "npx -y @acme/notes@1.4.2",
            "node server.js --port 3",
            "uvx mcp-server-time==2026.10.19",
            "python3 -m notes",
            "notes-server --config x",
            "npx -y ./local",
        ] {
            assert_eq!(risks(line), [], "{line}");
        }
    }

    /// Shows LS-004.
    #[test]
    fn a_package_without_a_fixed_version_is_named() {
        for line in [
            "npx -y @acme/notes",
            "npx notes@latest",
            "npx notes@^1.2.3",
            "uvx mcp-server-time",
            "pipx run notes",
            "pnpm dlx notes",
            "bunx notes@1",
            "uv tool run notes",
        ] {
            assert_eq!(risks(line), [LaunchRisk::UnpinnedPackage], "{line}");
        }
    }

    /// Shows LS-004.
    #[test]
    fn what_reaches_beyond_the_folder_and_what_hides_is_named() {
        assert_eq!(risks("docker run -v /:/host img"), [LaunchRisk::ReachesFurther]);
        assert_eq!(risks("server a\u{202e}b"), [LaunchRisk::HiddenCharacters]);
    }
}
