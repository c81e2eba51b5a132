//! Interpreters: which of their words names the file that is run, and which others load code.

use std::path::Path;

use super::Code;
use vestibule_consent::LaunchGapKind;

/// The flags of an interpreter.
pub(super) struct Syntax {
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

pub(super) const NODE: Syntax = Syntax {
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
pub(super) const BUN: Syntax = Syntax {
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
pub(super) const DENO: Syntax = Syntax {
    inline: &["eval"],
    module: &["task"],
    loads: &["--preload", "--import", "--import-map", "--config", "-c"],
    value: &["--lock", "--cert"],
    commands: &["run", "serve"],
    letters: true,
};
pub(super) const PYTHON: Syntax = Syntax {
    inline: &["-c"],
    module: &["-m"],
    loads: &[],
    value: &["-X", "-W", "--check-hash-based-pycs"],
    commands: &[],
    letters: true,
};
pub(super) const PERL: Syntax = Syntax {
    inline: &["-e", "-E"],
    module: &[],
    loads: &["-r", "-I", "-M"],
    value: &[],
    commands: &[],
    letters: true,
};
pub(super) const PHP: Syntax = Syntax {
    inline: &["-r"],
    module: &[],
    loads: &["-c"],
    value: &["-d"],
    commands: &[],
    letters: true,
};
pub(super) const JAVA: Syntax = Syntax {
    inline: &[],
    module: &["-m", "--module"],
    loads: &["-cp", "-classpath", "--class-path", "-p", "--module-path"],
    value: &["--add-modules", "--add-opens", "--add-exports"],
    commands: &[],
    letters: false,
};
pub(super) const PLAIN: Syntax = Syntax {
    inline: &["-e"],
    module: &[],
    loads: &["-l", "-r"],
    value: &[],
    commands: &[],
    letters: true,
};
pub(super) const SHELL: Syntax = Syntax {
    inline: &[],
    module: &[],
    loads: &["--rcfile", "--init-file"],
    value: &["-o", "-O"],
    commands: &[],
    letters: false,
};

/// What an interpreter with these flags runs.
pub(super) fn interpreted(syntax: &Syntax, args: &[String], folder: &Path, code: &mut Code) {
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

/// What the options of a variable load beside the file that is run.
pub(super) fn loaded(syntax: &Syntax, options: &str, folder: &Path, code: &mut Code) {
    let quote = |c: char| c == '"' || c == '\'';
    let mut words = options.split_whitespace().map(|word| word.trim_matches(quote));
    while let Some(word) = words.next() {
        let (flag, attached) = syntax.flag(word);
        // Node.js reads `_` in a flag as `-`.
        if syntax.loads.contains(&flag.replace('_', "-").as_str()) {
            let file = attached.or_else(|| words.next()).unwrap_or_default();
            code.file(file.trim_matches(quote), folder);
        }
    }
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
