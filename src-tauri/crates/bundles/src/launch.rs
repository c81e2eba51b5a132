//! How the server of a bundle is started: `server.mcp_config` of its manifest, with what this system replaces of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use vestibule_app_protocol::{BundleFault, BundleKind, BundleLaunch, EnvPair};
use vestibule_policy::variable_effect;

use crate::manifest::{self, list, wrong};
use crate::template::Template;
use crate::{BundlePlace, BundleProgram};

/// The most arguments, and the most variables.
const MOST: usize = 200;
/// The longest argument or value, in bytes.
const LONGEST: usize = 8 * 1024;
/// Keeps Python from writing into the bundle, whose files are compared at each start.
const NO_BYTECODE: &str = "PYTHONDONTWRITEBYTECODE";
/// Where uv keeps what the server depends on: beside the bundle, for the same reason.
const UV_FOLDER: &str = "UV_PROJECT_ENVIRONMENT";
/// Has uv use the lock file of the bundle as it is. uv would otherwise rewrite one that its project has outgrown, and a
/// bundle with a changed file is asked about again.
const UV_FROZEN: &str = "UV_FROZEN";
const UV_LOCK: &str = "uv.lock";
/// With these uv does not write the lock file either. Older versions, such as 0.5, refuse to run with some of them and
/// [`UV_FROZEN`].
const KEEPS_LOCK: [&str; 3] = ["--frozen", "--locked", "--no-sync"];
const KEEPS_LOCK_ENV: [&str; 3] = [UV_FROZEN, "UV_LOCKED", "UV_NO_SYNC"];

/// What is started, with variables in it.
#[derive(Debug)]
pub(crate) struct ManifestLaunch {
    kind: BundleKind,
    command: Template,
    args: Vec<Template>,
    env: Vec<(String, Template)>,
    /// Whether uv is kept from writing the lock file that the archive has.
    is_frozen: bool,
}

/// The values of the user by key.
pub(crate) type Values = BTreeMap<String, Vec<String>>;

impl ManifestLaunch {
    /// Reads how the server is started on a system.
    ///
    /// # Errors
    /// Which member is missing or wrong.
    pub(crate) fn read(value: &Value, system: &str) -> Result<Self, BundleFault> {
        let kind = manifest::kind(value)?;
        let config = &value["server"]["mcp_config"];
        if config.is_null() && kind == BundleKind::Uv {
            return Self::of_uv(value);
        }
        let own = &config["platform_overrides"][system];
        let part = |member: &str| own.get(member).unwrap_or(&config[member]);
        let command = part("command")
            .as_str()
            .filter(|command| !command.trim().is_empty());
        let command = command.ok_or_else(|| wrong("server.mcp_config.command"))?;
        Ok(Self {
            kind,
            command: template(command, "server.mcp_config.command")?,
            args: args(part("args"))?,
            env: env(part("env"))?,
            is_frozen: false,
        })
    }

    /// What the host decides for a server of uv that does not say how it is started.
    fn of_uv(value: &Value) -> Result<Self, BundleFault> {
        let path = entry_point(value).ok_or_else(|| wrong("server.entry_point"))?;
        let args = ["run", "--directory", "${__dirname}"].map(Template::read);
        Ok(Self {
            kind: BundleKind::Uv,
            command: Template::read("uv"),
            args: args.into_iter().chain([Template::read(path)]).collect(),
            env: vec![],
            is_frozen: false,
        })
    }

    /// Has uv leave the lock file as it is, where the archive has one and nothing else sees to that.
    pub(crate) fn keep_lock(&mut self, has_file: impl Fn(&str) -> bool) {
        let is_kept = |arg: &Template| KEEPS_LOCK.iter().any(|flag| *arg == Template::read(flag));
        let is_set = |name: &str| self.env.iter().any(|(known, _)| known == name);
        self.is_frozen = self.kind == BundleKind::Uv
            && has_file(UV_LOCK)
            && !self.args.iter().any(is_kept)
            && !KEEPS_LOCK_ENV.into_iter().any(is_set);
    }

    /// The path in the archive of the file that it starts, where the command line names it.
    pub(crate) fn entry_point(&self, value: &Value) -> Option<String> {
        let path = entry_point(value)?;
        let path = path.strip_prefix("./").unwrap_or(path);
        let inside = Template::read(&format!("${{__dirname}}/{path}"));
        let is_started = self
            .words()
            .any(|word| *word == inside || *word == Template::read(path));
        is_started.then(|| path.to_owned())
    }

    /// Whether a value becomes part of the command line.
    pub(crate) fn has_in_words(&self, key: &str) -> bool {
        self.words()
            .any(|word| word.settings().any(|setting| setting == key))
    }

    fn words(&self) -> impl Iterator<Item = &Template> {
        std::iter::once(&self.command).chain(&self.args)
    }

    /// What is shown before the user entered anything.
    pub(crate) fn view(&self, place: &BundlePlace) -> BundleLaunch {
        let shown = |template: &Template| template.text(place, |_| None);
        let env: Vec<EnvPair> = self
            .env(place)
            .into_iter()
            .map(|(name, value)| pair(&name, shown(&value), true))
            .collect();
        let effect = |pair: &EnvPair| Some((pair.name.clone(), variable_effect(&pair.name)?));
        BundleLaunch {
            command: inside(&shown(&self.command), &place.folder),
            args: self.args.iter().map(shown).collect(),
            effects: env.iter().filter_map(effect).collect(),
            env,
        }
    }

    /// What is started with these values, of which `typed` are the keys of those that are the user's. An argument that is
    /// nothing but a value is left out while that is empty, and so is a variable with an empty value in it.
    pub(crate) fn program(
        &self,
        values: &Values,
        typed: &BTreeSet<&str>,
        place: &BundlePlace,
    ) -> BundleProgram {
        let text = |template: &Template| template.text(place, |key| one(values, key));
        let args = self.args.iter().flat_map(|arg| {
            let list = arg.whole_setting().and_then(|key| values.get(key));
            list.cloned().unwrap_or_else(|| vec![text(arg)])
        });
        let lacks = |value: &Template| {
            let mut lists = value.settings().filter_map(|key| values.get(key));
            lists.any(Vec::is_empty)
        };
        let env = self.env(place).into_iter().filter(|(_, value)| !lacks(value));
        BundleProgram {
            command: inside(&text(&self.command), &place.folder),
            args: args.collect(),
            env: env
                .map(|(name, value)| {
                    let pasted = !value.is_typed(|key| typed.contains(key));
                    pair(&name, text(&value), pasted)
                })
                .collect(),
        }
    }

    /// Its variables, with those that keep the bundle as it is.
    fn env(&self, place: &BundlePlace) -> Vec<(String, Template)> {
        let mut env = self.env.clone();
        let mut add = |name: &str, value: &str| {
            if !env.iter().any(|(known, _)| known == name) {
                env.push((name.to_owned(), Template::read(value)));
            }
        };
        if matches!(self.kind, BundleKind::Python | BundleKind::Uv) {
            add(NO_BYTECODE, "1");
        }
        if self.kind == BundleKind::Uv {
            add(
                UV_FOLDER,
                &place.working_folder.join(".venv").display().to_string(),
            );
        }
        if self.is_frozen {
            add(UV_FROZEN, "1");
        }
        env
    }
}

fn pair(name: &str, value: String, pasted: bool) -> EnvPair {
    EnvPair {
        name: name.to_owned(),
        value,
        pasted,
        from_computer: false,
    }
}

/// A value in a longer text: nothing where it has several, because no manifest says how they would be joined.
fn one(values: &Values, key: &str) -> Option<String> {
    match values.get(key)?.as_slice() {
        [] => Some(String::new()),
        [value] => Some(value.clone()),
        _ => None,
    }
}

/// A command with a folder in it is a file of the bundle; others are looked for in the search path.
fn inside(command: &str, folder: &Path) -> String {
    let is_relative =
        command.contains('/') && !Path::new(command).is_absolute() && !command.starts_with("${");
    if is_relative {
        folder.join(command).display().to_string()
    } else {
        command.to_owned()
    }
}

fn entry_point(value: &Value) -> Option<&str> {
    value["server"]["entry_point"]
        .as_str()
        .filter(|path| !path.is_empty())
}

fn args(value: &Value) -> Result<Vec<Template>, BundleFault> {
    let member = "server.mcp_config.args";
    let args = list(value, member)?;
    if args.len() > MOST {
        return Err(wrong(member));
    }
    let read = args
        .iter()
        .map(|arg| template(arg.as_str().ok_or_else(|| wrong(member))?, member));
    read.collect()
}

fn env(value: &Value) -> Result<Vec<(String, Template)>, BundleFault> {
    let member = "server.mcp_config.env";
    let env = match value {
        Value::Null => return Ok(vec![]),
        Value::Object(env) if env.len() <= MOST => env,
        _ => return Err(wrong(member)),
    };
    let read = env.iter().map(|(name, value)| {
        let is_name = !name.is_empty() && !name.contains(['=', '\0']);
        let value = value.as_str().filter(|_| is_name).ok_or_else(|| wrong(member))?;
        Ok((name.clone(), template(value, member)?))
    });
    read.collect()
}

fn template(text: &str, member: &str) -> Result<Template, BundleFault> {
    if text.len() > LONGEST || text.contains('\0') {
        return Err(wrong(member));
    }
    Ok(Template::read(text))
}
