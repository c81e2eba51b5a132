//! Which packages npm installs on this system, by the lists `os` and `cpu` of their descriptions. Node.js is taken to be
//! built for the same kind of processor as this application.

use std::env::consts;

use serde_json::Value;

/// A system as Node.js names it in `process.platform` and `process.arch`.
pub(super) struct Platform {
    os: &'static str,
    cpu: &'static str,
}

impl Platform {
    pub(super) fn this() -> Self {
        Self {
            os: match consts::OS {
                "macos" => "darwin",
                "windows" => "win32",
                other => other,
            },
            cpu: match consts::ARCH {
                "x86_64" => "x64",
                "aarch64" => "arm64",
                "x86" => "ia32",
                other => other,
            },
        }
    }

    /// Whether the lists of a package allow this system.
    pub(super) fn fits(&self, os: &Value, cpu: &Value) -> bool {
        allows(os, self.os) && allows(cpu, self.cpu)
    }
}

/// A name with `!` before it is excluded; where others are listed, it has to be one of them. A list in another form allows
/// every system, so that its package counts.
fn allows(list: &Value, own: &str) -> bool {
    let listed: Option<Vec<&str>> = match list {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => names.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let Some(listed) = listed else {
        return true;
    };
    if listed == ["any"] {
        return true;
    }
    let is_excluded = |name: &&str| name.strip_prefix('!') == Some(own);
    let mut wanted = listed.iter().filter(|name| !name.starts_with('!')).peekable();
    !listed.iter().any(is_excluded) && (wanted.peek().is_none() || wanted.any(|name| *name == own))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_read_as_npm_reads_them() {
        let platform = Platform {
            os: "linux",
            cpu: "x64",
        };
        for (os, cpu, fits) in [
            (json!(null), json!(null), true),
            (json!(["darwin"]), json!(null), false),
            (json!("darwin"), json!(null), false),
            (json!("linux"), json!("x64"), true),
            (json!(["darwin", "linux"]), json!(["x64", "arm64"]), true),
            (json!(["linux"]), json!(["arm64"]), false),
            (json!(["!win32"]), json!(null), true),
            (json!(["!win32", "!linux"]), json!(null), false),
            (json!(["!win32", "darwin"]), json!(null), false),
            (json!(["!linux", "linux"]), json!(null), false),
            (json!(["any"]), json!("any"), true),
            (json!(["any", "darwin"]), json!(null), false),
            (json!([]), json!([]), true),
            // No list at all: the package counts.
            (json!({ "linux": false }), json!(7), true),
            (json!(["darwin", 7]), json!(null), true),
        ] {
            assert_eq!(platform.fits(&os, &cpu), fits, "{os} {cpu}");
        }
    }

    #[test]
    fn this_system_has_a_name_of_node() {
        let Platform { os, cpu } = Platform::this();
        assert!(!["macos", "windows"].contains(&os) && !["x86_64", "aarch64"].contains(&cpu));
    }
}
