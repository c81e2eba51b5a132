//! Which commands keep a lasting permission, and why the others do not.

use std::fs;

use LaunchGapKind::{FloatingDependencies, Folder, ImageByTag, NotAFile, OtherPrograms, UnpinnedPackage};

use super::*;

/// A folder with `server.js`, `server.py`, `run.sh`, `app.jar` and a folder `dist`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["server.js", "server.py", "run.sh", "app.jar", "hook.mjs"] {
        fs::write(folder.path().join(file), "code").unwrap();
    }
    fs::create_dir(folder.path().join("dist")).unwrap();
    folder
}

fn gaps(line: &str, folder: &Path) -> Vec<LaunchGapKind> {
    let mut words = line.split(' ').map(str::to_owned);
    let program = format!("/usr/bin/{}", words.next().unwrap());
    let code = code(Path::new(&program), &words.collect::<Vec<_>>(), folder);
    code.gaps.into_iter().map(|gap| gap.kind).collect()
}

#[test]
fn code_that_the_command_names_exactly_can_be_allowed_for_longer() {
    let folder = folder();
    let digest = "0".repeat(64);
    for line in [
        "node server.js --port 3",
        "nodejs --import ./hook.mjs server.js",
        "node --import=./hook.mjs server.js",
        "node -- server.js",
        "node -e 1",
        "python3.11 -u server.py",
        "python -X dev server.py",
        "python3 -c 1",
        "bash run.sh",
        "bash -e run.sh -c",
        "python -ic 1",
        "java -Xmx512m -jar app.jar",
        "deno run -A server.js",
        "bun run server.js",
        "java -jar app.jar",
        "uv run server.py",
        "npx -y @acme/notes@1.4.2 /home/ann",
        "npx -y notes@1.4.2-beta.1",
        "npx -p good@1.0.0 notes",
        "npx --package=good@1.0.0 notes",
        "npm exec notes@1.0.0",
        "uvx mcp-server-time==2026.10.19",
        "uvx mcp-server-time@2026.10",
        "uvx --python 3.12 notes==1.0",
        "uvx --from notes[cli]==1.0 notes",
        "uv tool run notes==1.0",
        &format!("docker run -i --rm -e KEY mcp/fetch@sha256:{digest}"),
        "own-server dist",
        "notes-server --config x",
    ] {
        assert_eq!(gaps(line, folder.path()), [], "{line}");
    }
}

#[test]
fn code_that_is_not_known_is_named() {
    let folder = folder();
    let digest = "0".repeat(64);
    for (line, gap) in [
        ("npx -y @acme/notes", UnpinnedPackage),
        ("npx notes@latest", UnpinnedPackage),
        ("npx notes@^1.2.3", UnpinnedPackage),
        ("npx notes@1.x.x", UnpinnedPackage),
        ("npx notes@1", UnpinnedPackage),
        ("npx --package=evil good@1.0.0", UnpinnedPackage),
        ("npx -p evil good@1.0.0", UnpinnedPackage),
        ("npx --registry=https://evil.example good@1.0.0", UnpinnedPackage),
        ("npx --registry https://evil.example good@1.0.0", UnpinnedPackage),
        ("npx good@npm:evil@1.0.0", UnpinnedPackage),
        ("npx git+https://evil.example/x@1.2.3", UnpinnedPackage),
        ("npx user/repo@1.2.3", UnpinnedPackage),
        ("npx -c id", OtherPrograms),
        ("npx ./dist", Folder),
        ("npx", NotAFile),
        ("npm start", OtherPrograms),
        ("yarn start", OtherPrograms),
        ("bunx notes", UnpinnedPackage),
        ("pnpm dlx notes", UnpinnedPackage),
        ("bunx notes@1.0.0", FloatingDependencies),
        ("bun x notes@1.0.0", FloatingDependencies),
        ("pnpm dlx notes@1.0.0", FloatingDependencies),
        ("yarn dlx notes@1.0.0", FloatingDependencies),
        ("pipx run notes==1.0", FloatingDependencies),
        ("dnx notes@1.0.0", FloatingDependencies),
        ("bun x notes", UnpinnedPackage),
        ("uvx mcp-server-time", UnpinnedPackage),
        ("uvx notes==1.*", UnpinnedPackage),
        ("uvx notes>=1.0", UnpinnedPackage),
        ("uvx --from=evil x==1.0.0", UnpinnedPackage),
        ("uvx --from git+https://evil.example/x@1.2.3 x", UnpinnedPackage),
        ("uvx --with evil x==1.0.0", UnpinnedPackage),
        ("uvx --index-url=https://evil.example x==1.0.0", UnpinnedPackage),
        ("uv tool run notes", UnpinnedPackage),
        ("uv run --with evil server.py", UnpinnedPackage),
        ("uv --directory /srv run server.py", OtherPrograms),
        ("uv run --directory /srv server.py", Folder),
        ("uv run notes", NotAFile),
        ("pipx run notes", UnpinnedPackage),
        ("go run example.com/x@latest", UnpinnedPackage),
        ("dnx notes", UnpinnedPackage),
        ("node .", Folder),
        ("node dist", Folder),
        ("node server", NotAFile),
        ("node", NotAFile),
        ("node --import tsx server.js", NotAFile),
        ("node -r ./missing.js server.js", NotAFile),
        ("node --run start", NotAFile),
        ("python -m notes", NotAFile),
        ("python -mcache", NotAFile),
        ("python -Im notes", NotAFile),
        ("perl -MEvil server.py", NotAFile),
        ("bash -e missing.sh", NotAFile),
        ("python -", NotAFile),
        ("python3 dist", Folder),
        ("deno run npm:notes", NotAFile),
        ("java -cp dist Main", Folder),
        ("bash -c id", OtherPrograms),
        ("sh -lc id", OtherPrograms),
        ("pwsh -Command id", OtherPrograms),
        ("bash dist/run.sh", NotAFile),
        ("env FOO=1 node server.js", OtherPrograms),
        ("timeout 5 npx notes@1.0.0", OtherPrograms),
        ("sudo npx notes@1.0.0", OtherPrograms),
        ("make serve", OtherPrograms),
        ("pixi run notes", OtherPrograms),
        ("flatpak run org.example.Notes", OtherPrograms),
        ("apptainer run notes.sif", OtherPrograms),
        ("apptainer exec notes.sif node server.js", OtherPrograms),
        ("poetry run notes", OtherPrograms),
        ("docker run -i --rm mcp/fetch", ImageByTag),
        ("docker run --name x@y mcp/fetch:1.2.3", ImageByTag),
        ("docker compose up", ImageByTag),
    ] {
        assert!(gaps(line, folder.path()).contains(&gap), "{line}");
    }
    // A digest that is not the image's proves nothing.
    let line = format!("docker run --oom-kill-disable evil x@sha256:{digest}");
    assert_eq!(gaps(&line, folder.path()), [ImageByTag]);
}

#[test]
fn a_runner_is_known_under_each_of_its_names() {
    for name in [
        "node",
        "nodejs",
        "node20",
        "python3.11",
        "perl5.36",
        "php8.2",
        "ruby3.1",
        "lua5.4",
        "npx.cmd",
        "uvx.exe",
        "Rscript",
        "NPX",
    ] {
        assert!(is_runner(Path::new("/usr/bin").join(name).as_path()), "{name}");
    }
    for name in [
        "python-mcp-thing",
        "notes-server",
        "nodeless",
        "7z",
        "npx-evil",
        "",
    ] {
        assert!(!is_runner(Path::new("/usr/bin").join(name).as_path()), "{name}");
    }
}
