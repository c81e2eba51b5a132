use std::sync::Mutex;

use serde_json::{Value, json};

use super::super::tool::ToolError;
use super::super::{DownloadProgress, FetchError, PackageFolder, PackageRequest, recognise};
use super::registry::{Plain, Published, Registry, run};
use vestibule_protocol::ServerId;

const PROGRAM: (&str, &str) = ("cli.js", "#!/usr/bin/env node\nconsole.log(require('words')())\n");

fn request(word: &str) -> PackageRequest {
    let args = ["-y".to_owned(), word.to_owned()];
    recognise("npx", &args, std::path::Path::new("/nowhere"))
        .unwrap()
        .request
}

fn notes(version: &str) -> Value {
    json!({
        "name": "notes", "version": version, "bin": { "notes-server": "./cli.js" },
        "maintainers": [{ "name": "ann", "email": "ann@x.example" }, { "name": version }],
        "dependencies": { "words": "^1.0.0" },
    })
}

/// A registry with a package that has a program and a dependency with an install script.
async fn registry() -> Registry {
    let registry = Registry::open().await;
    registry.publish(&Published {
        manifest: notes("1.2.3"),
        files: &[PROGRAM],
    });
    publish_words(&registry, "1.0.0", "module.exports = () => 'one'\n");
    registry
}

fn publish_words(registry: &Registry, version: &str, code: &str) {
    let scripts = json!({ "postinstall": "touch ran" });
    registry.publish(&Published {
        manifest: json!({ "name": "words", "version": version, "main": "words.js", "scripts": scripts }),
        files: &[("words.js", code)],
    });
}

#[tokio::test]
async fn a_fetched_package_runs_after_the_registry_is_gone() {
    let (registry, data) = (registry().await, tempfile::tempdir().unwrap());
    let (request, folder) = (request("notes"), PackageFolder::new(data.path(), ServerId::new()));
    let seen = Mutex::new(vec![]);
    let progress = |progress: DownloadProgress| seen.lock().unwrap().push(progress);
    let tools = registry.tools(&Plain, &progress);
    let new = folder.make().unwrap();

    let lock = request.resolve(&tools, new.path()).await.unwrap();
    assert_eq!(lock.version, "1.2.3");
    let names: Vec<_> = lock
        .packages
        .iter()
        .map(|one| (one.name.as_str(), one.has_script))
        .collect();
    assert_eq!(names, [("notes", false), ("words", true)]);
    let asked = registry.asked();
    assert!(asked.iter().all(|path| !path.ends_with(".tgz")), "{asked:?}");

    request.install(&tools, new.path()).await.unwrap();
    let last = seen.lock().unwrap().last().cloned();
    assert_eq!(last, Some(DownloadProgress { arrived: 2, total: 2 }));
    assert!(
        !new.path().join("node_modules/words/ran").exists(),
        "an install script ran"
    );
    let pin = folder.switch(new, &request, "1.2.3", 0).unwrap();
    drop(registry);

    let entry = request.entry(&folder.path(&pin)).unwrap();
    assert_eq!(run(&folder.path(&pin).join(&entry[0])), "one\n");
    assert_eq!(request.lock(&folder.path(&pin)).unwrap(), lock);
}

#[tokio::test]
async fn other_bytes_than_the_lock_names_are_refused() {
    let (registry, data) = (registry().await, tempfile::tempdir().unwrap());
    let (request, folder) = (request("notes"), PackageFolder::new(data.path(), ServerId::new()));
    let tools = registry.tools(&Plain, &|_| ());
    let new = folder.make().unwrap();
    request.resolve(&tools, new.path()).await.unwrap();
    registry.replace_archives(b"something else");
    let path = new.path().to_owned();
    let error = request.install(&tools, &path).await.unwrap_err();
    let FetchError::Tool(ToolError::Failed { lines, .. }) = error else {
        panic!("{error}")
    };
    assert!(lines.iter().any(|line| line.contains("EINTEGRITY")), "{lines:?}");
    drop(new);
    assert!(!path.exists(), "what was not fetched whole is removed");
    assert_eq!(folder.pin(&request), None);
}

#[tokio::test]
async fn a_package_that_does_not_exist_says_so_in_the_words_of_npm() {
    let (registry, data) = (registry().await, tempfile::tempdir().unwrap());
    let (request, folder) = (
        request("no-such-package"),
        PackageFolder::new(data.path(), ServerId::new()),
    );
    let tools = registry.tools(&Plain, &|_| ());
    let error = request
        .resolve(&tools, folder.make().unwrap().path())
        .await
        .unwrap_err();
    let FetchError::Tool(ToolError::Failed { lines, .. }) = error else {
        panic!("{error}")
    };
    assert!(lines.iter().any(|line| line.contains("E404")), "{lines:?}");
}

#[tokio::test]
async fn who_may_publish_a_version_is_read_from_the_registry() {
    let (registry, data) = (registry().await, tempfile::tempdir().unwrap());
    let folder = PackageFolder::new(data.path(), ServerId::new());
    let tools = registry.tools(&Plain, &|_| ());
    let new = folder.make().unwrap();
    let maintainers = request("notes").maintainers("1.2.3", &tools, new.path()).await;
    assert!(
        matches!(maintainers.as_slice(), [ann, other] if ann.starts_with("ann") && other.starts_with("1.2.3")),
        "{maintainers:?}"
    );
    let unknown = request("no-such-package");
    assert!(unknown.maintainers("1.0.0", &tools, new.path()).await.is_empty());
}

/// The same request finds the newer version in a folder of its own, and what is started stays until the switch.
#[tokio::test]
async fn a_newer_version_takes_the_place_of_the_older_one_at_the_switch_alone() {
    let (registry, data) = (registry().await, tempfile::tempdir().unwrap());
    let (request, folder) = (request("notes"), PackageFolder::new(data.path(), ServerId::new()));
    let tools = registry.tools(&Plain, &|_| ());
    let first = folder.make().unwrap();
    request.resolve(&tools, first.path()).await.unwrap();
    request.install(&tools, first.path()).await.unwrap();
    let old = folder.switch(first, &request, "1.2.3", 1).unwrap();

    publish_words(&registry, "1.1.0", "module.exports = () => 'two'\n");
    registry.publish(&Published {
        manifest: notes("1.3.0"),
        files: &[PROGRAM],
    });
    let second = folder.make().unwrap();
    let lock = request.resolve(&tools, second.path()).await.unwrap();
    assert_eq!(lock.version, "1.3.0");
    assert_eq!(folder.pin(&request), Some(old.clone()));
    request.install(&tools, second.path()).await.unwrap();
    let new = folder.switch(second, &request, "1.2.3", 2).unwrap();
    assert_eq!(folder.pin(&request), Some(new.clone()));
    assert!(!folder.path(&old).exists());
    let entry = request.entry(&folder.path(&new)).unwrap();
    assert_eq!(run(&folder.path(&new).join(&entry[0])), "two\n");
}

/// npm writes the optional packages of every system into the lock file, and installs those of this one.
#[tokio::test]
async fn a_script_of_an_optional_package_of_another_system_does_not_count() {
    let (registry, data) = (Registry::open().await, tempfile::tempdir().unwrap());
    let mut manifest = notes("1.2.3");
    manifest["dependencies"] = json!({});
    manifest["optionalDependencies"] = json!({ "events": "^1.0.0" });
    registry.publish(&Published {
        manifest,
        files: &[("cli.js", "#!/usr/bin/env node\nconsole.log('alone')\n")],
    });
    registry.publish(&Published {
        manifest: json!({
            "name": "events", "version": "1.0.0", "os": ["aix"], "scripts": { "postinstall": "touch ran" },
        }),
        files: &[],
    });
    let (request, folder) = (request("notes"), PackageFolder::new(data.path(), ServerId::new()));
    let tools = registry.tools(&Plain, &|_| ());
    let new = folder.make().unwrap();

    let lock = request.fetch(&tools, new.path()).await.unwrap();
    let text = std::fs::read_to_string(new.path().join("package-lock.json")).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        written["packages"]["node_modules/events"]["hasInstallScript"],
        json!(true)
    );
    let names: Vec<_> = lock.packages.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["notes"]);
    assert!(!new.path().join("node_modules/events").exists());
    let entry = request.entry(new.path()).unwrap();
    assert_eq!(run(&new.path().join(&entry[0])), "alone\n");
}
