//! The code that variables name: the files in their values, which are bound like arguments, and what of it cannot be
//! bound. How a tool splits the value of its variable is known for few of them, so a text counts as a path where it
//! looks like one.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use vestibule_consent::{LaunchGap, LaunchGapKind};
use vestibule_policy::{VariableEffect, variable_effect};

use super::{bind, runner};

/// Variables whose value is a path or a list of paths, also where it does not look like one.
const PATHS: [&str; 15] = [
    "BASH_ENV",
    "CLASSPATH",
    "GEM_HOME",
    "GEM_PATH",
    "HOME",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "PERL5LIB",
    "PHPRC",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "VIRTUAL_ENV",
    "ZDOTDIR",
];
/// What variables are given in place of a file, to have none.
const NO_FILE: &str = "/dev/null";

/// What the variables of a launch name.
#[derive(Debug, Default)]
pub(super) struct VariableCode {
    pub(super) files: Vec<PathBuf>,
    pub(super) gaps: Vec<LaunchGap>,
}

/// What these variables name, for a program that starts in `folder`.
pub(super) fn named_in(variables: &[(String, String)], folder: &Path) -> VariableCode {
    let mut code = VariableCode::default();
    for (name, value) in variables {
        match variable_effect(name) {
            None | Some(VariableEffect::Trust) => {}
            Some(effect) => code.read(name, value, effect, folder),
        }
    }
    code
}

/// Removes the gaps that are variables with paths in a folder of which every file is bound.
pub(super) fn drop_gaps_inside(folder: &Path, args: &[String], gaps: &mut Vec<LaunchGap>) {
    let real = folder.canonicalize().ok();
    gaps.retain(|gap| {
        let path = Path::new(&gap.what);
        // The gaps of arguments hold the word as it is written. They can be more than a folder that code is read from.
        let is_argument = args
            .iter()
            .any(|arg| arg.split_once('=').map_or(arg.as_str(), |(_, value)| value) == gap.what);
        let is_inside = match gap.kind {
            LaunchGapKind::Folder => path
                .canonicalize()
                .ok()
                .is_some_and(|path| real.as_ref().is_some_and(|folder| path.starts_with(folder))),
            LaunchGapKind::NotAFile => {
                path.starts_with(folder) && !path.components().any(|part| part == Component::ParentDir)
            }
            _ => false,
        };
        is_argument || !is_inside
    });
}

impl VariableCode {
    fn read(&mut self, name: &str, value: &str, effect: VariableEffect, folder: &Path) {
        let decides = match effect {
            VariableEffect::LoadsCode => true,
            // What is the same without the variable is no gap of it.
            VariableEffect::FindsSettings => std::env::var_os(name).as_deref() != Some(OsStr::new(value)),
            _ => false,
        };
        let is_path = PATHS.iter().any(|known| known.eq_ignore_ascii_case(name));
        for text in paths_in(value, folder) {
            let path = folder.join(text);
            let kind = match path.metadata() {
                Ok(data) if data.is_file() => {
                    self.files.push(path);
                    continue;
                }
                Ok(data) if data.is_dir() => LaunchGapKind::Folder,
                _ if text != NO_FILE && (is_path || looks_like_path(text)) => LaunchGapKind::NotAFile,
                _ => continue,
            };
            if decides {
                let what = bind::text(&path);
                self.gaps.push(LaunchGap { kind, what });
            }
        }
        if effect == VariableEffect::LoadsCode {
            self.gaps.extend(runner::options(name, value, folder));
        }
    }
}

/// The texts in a value that can be paths: all of it where that exists, and else its parts.
fn paths_in<'a>(value: &'a str, folder: &Path) -> Vec<&'a str> {
    let whole = value.trim();
    if folder.join(whole).exists() && !whole.is_empty() {
        return vec![whole];
    }
    let words = value.split(|c: char| c.is_whitespace() || "\"',;".contains(c));
    let parts = words.flat_map(|word| word.split('=')).flat_map(|part| {
        let (part, is_address) = match part.strip_prefix("file://") {
            Some(path) => (path, false),
            None => (part, part.contains("://")),
        };
        part.split(':').filter(move |_| !is_address)
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// Whether a text that names nothing that exists is a path, or becomes one where a shell reads it.
fn looks_like_path(text: &str) -> bool {
    text.contains(['/', '\\', '$', '`']) || text.starts_with('~')
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use LaunchGapKind::{Folder, NotAFile};

    /// The files that a variable has bound, and its gaps, in a folder with `hook.js`, `my hook.js` and `lib`.
    fn named(name: &str, value: &str) -> (Vec<String>, Vec<LaunchGapKind>) {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        for file in ["hook.js", "my hook.js"] {
            fs::write(base.join(file), "code").unwrap();
        }
        fs::create_dir(base.join("lib")).unwrap();
        let value = value.replace("@", &base.display().to_string());
        let code = named_in(&[(name.to_owned(), value)], base);
        let files = code.files.iter().map(|path| {
            let path = path.file_name().unwrap();
            path.to_string_lossy().into_owned()
        });
        let mut kinds: Vec<_> = code.gaps.iter().map(|gap| gap.kind).collect();
        kinds.dedup();
        (files.collect(), kinds)
    }

    /// H3.
    #[test]
    fn a_file_that_a_variable_has_loaded_is_bound() {
        for (name, value) in [
            ("NODE_OPTIONS", "--require=@/hook.js"),
            ("NODE_OPTIONS", "--no-warnings -r ./hook.js"),
            ("node_options", "--import file://@/hook.js"),
            ("PYTHONSTARTUP", "@/hook.js"),
            ("PYTHONSTARTUP", "hook.js"),
            ("BASH_ENV", "./hook.js"),
            ("LD_PRELOAD", "@/hook.js"),
            ("JAVA_TOOL_OPTIONS", "-javaagent:@/hook.js=a=b"),
            ("GIT_SSH_COMMAND", "sh '@/hook.js'"),
            ("npm_config_script_shell", "@/hook.js"),
            ("KUBECONFIG", "@/hook.js"),
        ] {
            let files = vec!["hook.js".to_owned()];
            assert_eq!(named(name, value), (files, vec![]), "{name}={value}");
        }
        let spaced = (vec!["my hook.js".to_owned()], vec![]);
        assert_eq!(named("PYTHONSTARTUP", "@/my hook.js"), spaced);
    }

    /// H3.
    #[test]
    fn code_of_a_variable_that_cannot_be_bound_is_named() {
        for (name, value, gap) in [
            ("NODE_OPTIONS", "--require=./missing.js", NotAFile),
            ("NODE_OPTIONS", "--import tsx", NotAFile),
            ("NODE_OPTIONS", "--experimental_loader=tsx", NotAFile),
            ("NODE_OPTIONS", "-r \"./my hook.js\"", NotAFile),
            ("NODE_PATH", "@/lib", Folder),
            ("PYTHONPATH", "lib", Folder),
            ("PYTHONPATH", "@/hook.js:@/lib", Folder),
            ("PYTHONPATH", "missing", NotAFile),
            ("PYTHONSTARTUP", "missing.py", NotAFile),
            ("BASH_ENV", "$HOME/.rc", NotAFile),
            ("ENV", "~/.rc", NotAFile),
            ("PERL5OPT", "-MEvil", NotAFile),
            ("PERL5OPT", "MEvil", NotAFile),
            ("RUBYOPT", "-revil", NotAFile),
            ("JDK_JAVA_OPTIONS", "-javaagent:/missing.jar", NotAFile),
            ("HOME", "@/lib", Folder),
            ("XDG_CONFIG_HOME", "@/lib", Folder),
        ] {
            assert!(named(name, value).1.contains(&gap), "{name}={value}");
        }
    }

    #[test]
    fn a_variable_that_names_no_code_keeps_the_lasting_permission() {
        for (name, value) in [
            ("NODE_OPTIONS", "--max-old-space-size=512 --no-warnings"),
            ("PERL5OPT", "-w"),
            ("ENV", "production"),
            ("GIT_AUTHOR_NAME", "Ann"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("PYTHONHASHSEED", "0"),
            ("JAVA_OPTS", "-Xmx512m"),
            ("DENO_REGISTRY", "https://registry.example/a"),
            ("UV_PROJECT_ENVIRONMENT", "@/lib"),
            ("SSL_CERT_FILE", "@/hook.js"),
            ("DATA_FILE", "@/hook.js"),
            ("HOME", &std::env::var("HOME").unwrap_or_default()),
        ] {
            assert_eq!(named(name, value), (vec![], vec![]), "{name}={value}");
        }
    }

    /// Where every file of a bundle is bound, its folders are no gap, unless an argument names them.
    #[test]
    fn folders_in_a_bundle_are_bound_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        fs::create_dir_all(base.join("bundle/lib")).unwrap();
        let inside = base.join("bundle/lib").display().to_string();
        let gap = |kind, what: String| LaunchGap { kind, what };
        let outside = [
            gap(Folder, base.display().to_string()),
            gap(NotAFile, format!("{inside}/../../x.js")),
        ];
        let mut gaps = vec![
            gap(Folder, inside.clone()),
            gap(NotAFile, format!("{inside}/x.js")),
        ];
        gaps.extend(outside.clone());
        drop_gaps_inside(&base.join("bundle"), &[], &mut gaps);
        assert_eq!(gaps, outside);
        let mut gaps = vec![gap(Folder, inside.clone())];
        drop_gaps_inside(&base.join("bundle"), &[format!("--cp={inside}")], &mut gaps);
        assert_eq!(gaps.len(), 1);
    }
}
