//! The code that variables name: the files in their values, which are bound like arguments, and what of it cannot be
//! bound. How a tool splits the value of its variable is known for few of them, so a text counts as a path where it
//! looks like one.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use secrecy::{ExposeSecret, SecretString};
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

/// The variables whose names say that they decide what runs, with their values. The card shows them too.
pub(super) fn deciding(env: &[(String, SecretString)]) -> Vec<(String, String)> {
    let deciding = env.iter().filter(|(name, _)| variable_effect(name).is_some());
    deciding
        .map(|(name, value)| (name.clone(), value.expose_secret().to_owned()))
        .collect()
}

/// What these variables name, for a program that starts in `folder`. A path inside `bundle`, of which every file is
/// bound already, is no gap.
pub(super) fn named_in(variables: &[(String, String)], folder: &Path, bundle: Option<&Path>) -> VariableCode {
    let mut code = VariableCode::default();
    for (name, value) in variables {
        match variable_effect(name) {
            None | Some(VariableEffect::Trust) => {}
            Some(effect) => code.read(name, value, effect, folder),
        }
    }
    if let Some(bundle) = bundle {
        code.gaps.retain(|gap| !is_inside(gap, bundle));
    }
    code
}

/// Whether a gap is a path in this folder. One that exists is followed through its links.
fn is_inside(gap: &LaunchGap, folder: &Path) -> bool {
    let path = Path::new(&gap.what);
    match gap.kind {
        LaunchGapKind::Folder => {
            let real = (path.canonicalize(), folder.canonicalize());
            matches!(real, (Ok(path), Ok(folder)) if path.starts_with(&folder))
        }
        LaunchGapKind::NotAFile => {
            path.starts_with(folder) && !path.components().any(|part| part == Component::ParentDir)
        }
        _ => false,
    }
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
        let code = named_in(&[(name.to_owned(), value)], base, None);
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

    #[test]
    fn folders_in_a_bundle_are_bound_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        let bundle = base.join("bundle");
        fs::create_dir_all(bundle.join("lib")).unwrap();
        let gaps = |path: &str, bundle: Option<&Path>| {
            let variable = ("PYTHONPATH".to_owned(), format!("{}/{path}", base.display()));
            let gaps = named_in(&[variable], base, bundle).gaps;
            gaps.into_iter().map(|gap| gap.kind).collect::<Vec<_>>()
        };
        for (path, gap) in [("bundle/lib", Folder), ("bundle/missing", NotAFile)] {
            assert_eq!(gaps(path, None), [gap]);
            assert_eq!(gaps(path, Some(&bundle)), []);
        }
        for (path, gap) in [("", Folder), ("bundle/lib/../../x", NotAFile)] {
            assert_eq!(gaps(path, Some(&bundle)), [gap], "{path}");
        }
    }
}
