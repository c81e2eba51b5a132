//! The digest that version 1 of the launch record had. A permission bound to it no longer allows a start; where nothing
//! else changed, its card says that Vestibule binds more now.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;
use vestibule_policy::Digest;

/// Programs whose bytes version 1 left out.
const UNBOUND: [&str; 16] = [
    "npx", "npm", "node", "bun", "bunx", "deno", "pnpm", "yarn", "uv", "uvx", "pipx", "python", "python3",
    "docker", "podman", "java",
];

/// The digest of version 1 for what would start now.
pub(super) fn digest(
    program: &Path,
    bytes: Option<&str>,
    args: &[String],
    folder: &Path,
    env: &BTreeMap<String, String>,
) -> Digest {
    let name = program
        .file_stem()
        .map(|stem| stem.to_string_lossy().to_ascii_lowercase());
    let is_unbound = name.is_some_and(|name| UNBOUND.contains(&name.as_str()) || name.starts_with("python"));
    Digest::of_launch(&json!({
        "transport": "stdio",
        "program": program.to_string_lossy(),
        "bytes": bytes.filter(|_| !is_unbound),
        "args": args,
        "folder": folder.to_string_lossy(),
        "env": env,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed apart from this code, from the canonical form of the record. It must not change: users' permissions are bound to it.
    #[test]
    fn the_digest_of_version_1_is_what_it_was() {
        let args = ["-y".to_owned()];
        let env = BTreeMap::from([("TOKEN".to_owned(), "print".to_owned())]);
        let of = |program: &str| {
            digest(
                Path::new(program),
                Some("ab"),
                &args,
                Path::new("/home/ann"),
                &env,
            )
            .to_string()
        };
        assert_eq!(
            of("/usr/bin/npx"),
            "517a7105b2c122cb0abf8c23002e7ece0e6bb38aa6eca35957f3a55834be20b0"
        );
        assert_eq!(
            of("/usr/bin/notes"),
            "2bf9ca43924dd93298fc083ae21a309cbe49a6065e0416396fd2acc37c0ba0a7"
        );
    }
}
