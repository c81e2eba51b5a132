//! Which tool a program belongs to, by the name of its file.

use vestibule_app_protocol::RuntimeTool;

const TOOLS: &[(&[&str], RuntimeTool)] = &[
    (
        &["npx", "npm", "node", "pnpm", "yarn", "corepack"],
        RuntimeTool::Node,
    ),
    (&["uvx", "uv"], RuntimeTool::Uv),
    (
        &["python", "python3", "pip", "pip3", "pipx", "py"],
        RuntimeTool::Python,
    ),
    (&["docker", "docker-compose"], RuntimeTool::Docker),
    (&["podman"], RuntimeTool::Podman),
    (&["deno"], RuntimeTool::Deno),
    (&["bun", "bunx"], RuntimeTool::Bun),
    (&["java", "jbang"], RuntimeTool::Java),
    (&["dotnet", "dnx"], RuntimeTool::Dotnet),
    (&["go"], RuntimeTool::Go),
    (&["cargo", "rustc"], RuntimeTool::Rust),
    (&["git"], RuntimeTool::Git),
];

/// The name of a file in a path, without the ending of a program on Windows.
pub(super) fn file_name(command: &str) -> &str {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    name.strip_suffix(".exe")
        .or_else(|| name.strip_suffix(".cmd"))
        .unwrap_or(name)
}

/// The tool that a program comes with. Versions in its name do not count: `python3.12`.
pub(super) fn tool_of(command: &str) -> Option<RuntimeTool> {
    let name = file_name(command).to_ascii_lowercase();
    let name = name.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
    let is_it = |known: &&str| *known == name;
    TOOLS
        .iter()
        .find(|(names, _)| names.iter().any(is_it))
        .map(|(_, tool)| *tool)
}
