//! What a variable of a program can do, judged by its name alone. A value of a name listed here decides which code
//! runs, where it comes from or whom it talks to, so it is shown before anything starts. The list helps the reader of
//! a card; nothing is allowed because a name is missing from it.

use serde::Serialize;

/// What the value of a variable can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum VariableEffect {
    /// The loader of the operating system puts code into every program that starts.
    InjectsCode,
    /// Which program a name stands for.
    FindsPrograms,
    /// An interpreter or tool runs other code or other programs.
    LoadsCode,
    /// Which files settings are read from; settings of tools can name programs to run.
    FindsSettings,
    /// Where packages are fetched from.
    PackageSource,
    /// Through which computer traffic goes, or which computer carries out commands.
    RoutesTraffic,
    /// Which certificates are accepted.
    Trust,
}

impl VariableEffect {
    /// Whether it acts on every program that starts, so that no permission may outlast one start.
    #[must_use]
    pub fn is_serious(self) -> bool {
        matches!(self, Self::InjectsCode | Self::FindsPrograms)
    }
}

/// A name, or with a final `*` the beginning of one.
type VariableRow = (&'static str, VariableEffect);

use VariableEffect::{
    FindsPrograms, FindsSettings, InjectsCode, LoadsCode, PackageSource, RoutesTraffic, Trust,
};

/// The first match counts, so exact names stand before the beginnings that cover them.
const TABLE: &[VariableRow] = &[
    ("LD_*", InjectsCode),
    ("DYLD_*", InjectsCode),
    ("GCONV_PATH", InjectsCode),
    ("GLIBC_TUNABLES", InjectsCode),
    ("PATH", FindsPrograms),
    ("PATHEXT", FindsPrograms),
    ("ComSpec", FindsPrograms),
    ("SystemRoot", FindsPrograms),
    ("NODE_EXTRA_CA_CERTS", Trust),
    ("NODE_TLS_REJECT_UNAUTHORIZED", Trust),
    ("PYTHONHTTPSVERIFY", Trust),
    ("PIP_CERT", Trust),
    ("PIP_TRUSTED_HOST", Trust),
    ("UV_INSECURE_HOST", Trust),
    ("GIT_SSL_*", Trust),
    ("SSL_CERT_*", Trust),
    ("SSLKEYLOGFILE", Trust),
    ("REQUESTS_CA_BUNDLE", Trust),
    ("CURL_CA_BUNDLE", Trust),
    ("AWS_CA_BUNDLE", Trust),
    ("DENO_CERT", Trust),
    ("DENO_TLS_CA_STORE", Trust),
    ("NODE_OPTIONS", LoadsCode),
    ("NODE_PATH", LoadsCode),
    ("NODE_REPL_EXTERNAL_MODULE", LoadsCode),
    ("PYTHON*", LoadsCode),
    ("VIRTUAL_ENV", LoadsCode),
    ("PERL*", LoadsCode),
    ("RUBY*", LoadsCode),
    ("GEM_*", LoadsCode),
    ("BUNDLE_*", LoadsCode),
    ("CLASSPATH", LoadsCode),
    ("JAVA_*", LoadsCode),
    ("_JAVA_OPTIONS", LoadsCode),
    ("JDK_JAVA_OPTIONS", LoadsCode),
    ("IBM_JAVA_OPTIONS", LoadsCode),
    ("OPENJ9_JAVA_OPTIONS", LoadsCode),
    ("MAVEN_*", LoadsCode),
    ("GRADLE_*", LoadsCode),
    ("JBANG_*", LoadsCode),
    ("ERL_*", LoadsCode),
    ("ELIXIR_ERL_OPTIONS", LoadsCode),
    ("MAKEFLAGS", LoadsCode),
    ("TS_NODE_*", LoadsCode),
    ("TSX_*", LoadsCode),
    ("BASH_ENV", LoadsCode),
    ("BASH_FUNC_*", LoadsCode),
    ("BASHOPTS", LoadsCode),
    ("SHELLOPTS", LoadsCode),
    ("ENV", LoadsCode),
    ("PS4", LoadsCode),
    ("PROMPT_COMMAND", LoadsCode),
    ("ZDOTDIR", LoadsCode),
    ("SHELL", LoadsCode),
    ("GIT_*", LoadsCode),
    ("DENO_*", LoadsCode),
    ("BUN_*", LoadsCode),
    ("ELECTRON_*", LoadsCode),
    ("DOTNET_*", LoadsCode),
    ("COMPlus_*", LoadsCode),
    ("CORECLR_*", LoadsCode),
    ("COR_*", LoadsCode),
    ("LUA_*", LoadsCode),
    ("PHPRC", LoadsCode),
    ("PHP_INI_SCAN_DIR", LoadsCode),
    ("JULIA_*", LoadsCode),
    ("R_*", LoadsCode),
    ("OPENSSL_*", LoadsCode),
    ("GTK_*", LoadsCode),
    ("GIO_*", LoadsCode),
    ("QT_*", LoadsCode),
    ("EDITOR", LoadsCode),
    ("VISUAL", LoadsCode),
    ("PAGER", LoadsCode),
    ("BROWSER", LoadsCode),
    ("MANPAGER", LoadsCode),
    ("LESSOPEN", LoadsCode),
    ("LESSCLOSE", LoadsCode),
    ("SSH_ASKPASS", LoadsCode),
    ("SUDO_ASKPASS", LoadsCode),
    ("HOME", FindsSettings),
    ("USERPROFILE", FindsSettings),
    ("APPDATA", FindsSettings),
    ("XDG_*", FindsSettings),
    ("KUBECONFIG", RoutesTraffic),
    ("npm_config_*", PackageSource),
    ("YARN_*", PackageSource),
    ("PNPM_*", PackageSource),
    ("COREPACK_*", PackageSource),
    ("UV_*", PackageSource),
    ("PIP_*", PackageSource),
    ("PIPX_*", PackageSource),
    ("POETRY_*", PackageSource),
    ("CONDA_*", PackageSource),
    ("CARGO_*", PackageSource),
    ("RUSTUP_*", PackageSource),
    ("GOPROXY", PackageSource),
    ("GOFLAGS", LoadsCode),
    ("GOSUMDB", Trust),
    ("GONOSUMDB", Trust),
    ("GONOSUMCHECK", Trust),
    ("GOINSECURE", Trust),
    ("NUGET_*", PackageSource),
    ("NIX_*", PackageSource),
    ("DOCKER_*", RoutesTraffic),
    ("CONTAINER_HOST", RoutesTraffic),
    ("HTTP_PROXY", RoutesTraffic),
    ("HTTPS_PROXY", RoutesTraffic),
    ("ALL_PROXY", RoutesTraffic),
    ("FTP_PROXY", RoutesTraffic),
    ("NO_PROXY", RoutesTraffic),
    ("NODE_USE_ENV_PROXY", RoutesTraffic),
    ("SSH_AUTH_SOCK", RoutesTraffic),
    ("RES_OPTIONS", RoutesTraffic),
    ("HOSTALIASES", RoutesTraffic),
];

/// Endings of names that hold a secret where a beginning of the table would match: `UV_PUBLISH_TOKEN`,
/// `npm_config__authToken`, `GIT_TOKEN`, `UV_INDEX_INTERNAL_PASSWORD`. No such name makes a tool run code.
const SECRET_ENDINGS: [&str; 6] = ["TOKEN", "PASSWORD", "PASSWD", "SECRET", "_AUTH", "API_KEY"];

/// Names that would match a beginning of the table, are set in many configurations and change no code.
const HARMLESS: [&str; 4] = [
    "PYTHONUNBUFFERED",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "PYTHONDONTWRITEBYTECODE",
];

/// What a variable of this name can do; `None` where it is not known to change what runs. Upper and lower case are the
/// same: npm and the proxies read both, and Windows tells none apart.
#[must_use]
pub fn variable_effect(name: &str) -> Option<VariableEffect> {
    let name = name.to_ascii_uppercase();
    if HARMLESS.contains(&name.as_str()) {
        return None;
    }
    let holds_secret = SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending));
    TABLE.iter().find_map(|(pattern, effect)| {
        let pattern = pattern.to_ascii_uppercase();
        let matches = match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning) && (effect.is_serious() || !holds_secret),
            None => name == pattern,
        };
        matches.then_some(*effect)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_changes_what_runs_is_known_in_any_case() {
        for (name, effect) in [
            ("NODE_OPTIONS", LoadsCode),
            ("node_options", LoadsCode),
            ("LD_PRELOAD", InjectsCode),
            ("LD_LIBRARY_PATH", InjectsCode),
            ("LD_ANY_TOKEN", InjectsCode),
            ("DYLD_INSERT_LIBRARIES", InjectsCode),
            ("PATH", FindsPrograms),
            ("Path", FindsPrograms),
            ("PYTHONPATH", LoadsCode),
            ("PYTHONSTARTUP", LoadsCode),
            ("BASH_ENV", LoadsCode),
            ("ENV", LoadsCode),
            ("PERL5OPT", LoadsCode),
            ("RUBYOPT", LoadsCode),
            ("JAVA_TOOL_OPTIONS", LoadsCode),
            ("GIT_SSH_COMMAND", LoadsCode),
            ("SSH_ASKPASS", LoadsCode),
            ("ERL_AFLAGS", LoadsCode),
            ("MAVEN_OPTS", LoadsCode),
            ("COMPlus_ReadyToRun", LoadsCode),
            ("NIX_PATH", PackageSource),
            ("npm_config_registry", PackageSource),
            ("NPM_CONFIG_REGISTRY", PackageSource),
            ("UV_INDEX_URL", PackageSource),
            ("PIP_INDEX_URL", PackageSource),
            ("https_proxy", RoutesTraffic),
            ("HTTPS_PROXY", RoutesTraffic),
            ("DOCKER_HOST", RoutesTraffic),
            ("SSL_CERT_FILE", Trust),
            ("NODE_TLS_REJECT_UNAUTHORIZED", Trust),
            ("GIT_SSL_NO_VERIFY", Trust),
            ("HOME", FindsSettings),
        ] {
            assert_eq!(variable_effect(name), Some(effect), "{name}");
        }
    }

    #[test]
    fn an_ordinary_name_or_the_name_of_a_secret_has_no_effect() {
        for name in [
            "GITHUB_TOKEN",
            "GIT_TOKEN",
            "UV_PUBLISH_TOKEN",
            "npm_config__authToken",
            "UV_INDEX_INTERNAL_PASSWORD",
            "OPENAI_API_KEY",
            "MAVEN_PASSWORD",
            "PYTHONUNBUFFERED",
            "NODE_ENV",
            "MY_PATH",
            "PORT",
            "",
        ] {
            assert_eq!(variable_effect(name), None, "{name}");
        }
    }

    #[test]
    fn only_what_acts_on_every_program_is_serious() {
        for (pattern, effect) in TABLE {
            let any_program = ["LD_*", "DYLD_*", "GCONV_PATH", "GLIBC_TUNABLES"].contains(pattern);
            let finds = ["PATH", "PATHEXT", "ComSpec", "SystemRoot"].contains(pattern);
            assert_eq!(effect.is_serious(), any_program || finds, "{pattern}");
        }
    }
}
